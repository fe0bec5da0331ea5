"""Binds a recorded call's arguments to a builtin's parameters and checks their types."""

from difflib import get_close_matches

from execpolicy.language.calls import Call, Plain, type_name
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Report = Callable[..., None]


class Parameter(Value):
    """A parameter: its name, the Starlark types it takes, and whether it must be given."""

    name: str
    types: tuple[str, ...]
    required: bool = False


class Signature(Value):
    """A builtin's parameters in order; the first `positional` may be given without their names."""

    builtin: str
    parameters: tuple[Parameter, ...]
    positional: int


def bind(call: Call, signature: Signature, report: "Report") -> "dict[str, Plain] | None":
    """Arguments by parameter name, or None after reporting every problem of the call."""
    parameters = signature.parameters
    problems = 0

    def problem(message: str, hint: str | None = None, at: str | None = None) -> None:
        nonlocal problems
        problems += 1
        report("signature", message, hint, at)

    if len(call.args) > signature.positional:
        problem(f"`{call.name}` takes at most {signature.positional} positional arguments")
    bound = {p.name: v for p, v in zip(parameters, call.args, strict=False)}
    for name in call.kwargs.keys() & bound.keys():
        problem(f"argument `{name}` of `{call.name}` is given twice", at=name)
    bound.update(call.kwargs)
    known = {p.name: p for p in parameters}
    for name in bound:
        if name not in known:
            problem(f"`{call.name}` has no argument `{name}`", _meant(name, known), name)
        elif type_name(bound[name]) not in known[name].types:
            wanted = " or ".join(f"a {t}" for t in known[name].types)
            given = type_name(bound[name])
            problem(f"`{name}` must be {wanted}, not a {given}", at=name)
    for parameter in parameters:
        if parameter.required and parameter.name not in bound:
            problem(f"`{call.name}` needs the argument `{parameter.name}`")
    return None if problems else bound


def _meant(name: str, known: "dict[str, Parameter]") -> str:
    close = get_close_matches(name, known, 1, 0.5)
    return f"did you mean `{close[0]}`?" if close else "it takes " + ", ".join(known)


def strings(value: Plain) -> tuple[str, ...] | None:
    """A list of strings as a tuple, or None if it is anything else."""
    if not isinstance(value, list):
        return None
    texts = tuple(v for v in value if isinstance(v, str))
    return texts if len(texts) == len(value) else None

"""Binds a recorded call's arguments to a builtin's parameters and checks their types."""

from collections.abc import Iterator
from difflib import get_close_matches

from execpolicy.language.calls import BuiltinCall, Plain, type_name
from execpolicy.language.problems import Reporter
from execpolicy.support.record import Value

Given = dict[str, Plain]
Problem = tuple[str, str | None, str | None]


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


def bind(call: BuiltinCall, signature: Signature, report: Reporter) -> Given | None:
    """Arguments by parameter name, or None after reporting every problem of the call."""
    names = _names(signature)
    bound = dict(zip(names, call.args, strict=False))
    count = len(call.args) + len(call.kwargs)
    bound.update(call.kwargs)
    sound = len(bound) == count and len(call.args) <= signature.positional
    complete = all(p.name in bound for p in signature.parameters if p.required)
    typed = sound and all(n in names and type(v) in names[n] for n, v in bound.items())
    if complete and typed:
        return bound
    return None if _problems(call, signature, bound, report) else bound


def _names(signature: Signature) -> dict[str, frozenset[type]]:
    """Each parameter with the Python types that are its Starlark types for certain."""
    plain: dict[str, type] = {"string": str, "bool": bool, "list": list, "None": type(None)}
    return {
        p.name: frozenset(plain[t] for t in p.types if t in plain) for p in signature.parameters
    }


def _problems(call: BuiltinCall, signature: Signature, bound: Given, report: Reporter) -> bool:
    """Report all that is wrong with a call's arguments; whether there was anything."""
    found = list(_surplus(call, signature))
    if not found:  # else what was meant as which argument is not known
        found += _wrong(call, signature, bound)
        found += _missing(call, signature, bound)
    for message, hint, at in found:
        report("signature", message, hint, at)
    return bool(found)


def _surplus(call: BuiltinCall, signature: Signature) -> Iterator[Problem]:
    if len(call.args) > signature.positional:
        many = f"{signature.positional} argument{'' if signature.positional == 1 else 's'}"
        message = f"`{call.name}` takes at most {many} without a name"
        yield message, _form(signature), None
    taken = [p.name for p in signature.parameters[: len(call.args)]]
    for name in call.kwargs.keys() & set(taken):
        yield f"argument `{name}` of `{call.name}` is given twice", None, name


def _missing(call: BuiltinCall, signature: Signature, bound: Given) -> Iterator[Problem]:
    for parameter in signature.parameters:
        if parameter.required and parameter.name not in bound:
            message = f"`{call.name}` needs the argument `{parameter.name}`"
            yield message, _form(signature), None


def _form(signature: Signature) -> str:
    """The call with what must be given: `path_rule([paths], decision = …)`."""
    needed = []
    for at, parameter in enumerate(signature.parameters):
        if parameter.required:
            shown = f"[{parameter.name}]" if parameter.types[0] == "list" else parameter.name
            needed.append(shown if at < signature.positional else f"{parameter.name} = …")
    return f"write `{signature.builtin}({', '.join(needed)})`"


def _wrong(call: BuiltinCall, signature: Signature, bound: Given) -> Iterator[Problem]:
    known = {p.name: p for p in signature.parameters}
    for name, value in bound.items():
        if name not in known:
            yield f"`{call.name}` has no argument `{name}`", _meant(name, known), name
        elif type_name(value) not in known[name].types:
            wanted = " or ".join(f"a {t}" for t in known[name].types)
            yield f"`{name}` must be {wanted}, not a {type_name(value)}", None, name


def _meant(name: str, known: dict[str, Parameter]) -> str:
    close = get_close_matches(name, known, 1, 0.5)
    return f"did you mean `{close[0]}`?" if close else "it takes " + ", ".join(known)


def strings(value: Plain) -> tuple[str, ...] | None:
    """A list of strings as a tuple, or None if it is anything else."""
    if not isinstance(value, list):
        return None
    texts = tuple(v for v in value if isinstance(v, str))
    return texts if len(texts) == len(value) else None

"""What evaluating a rules file leaves behind: plain records of the calls it made."""

from execpolicy.model.errors import Diagnostic
from execpolicy.support.record import Value

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
"""Data as JSON has it. What JSON cannot hold is `{"@": its Starlark type, "v": its items}`."""


class BuiltinCall(Value):
    """One call of a builtin: its arguments as given and the line it stands on."""

    name: str
    args: "tuple[Plain, ...]"
    kwargs: "dict[str, Plain]"
    line: int


class Evaluated(Value):
    """A file's calls in order, and the problems of evaluating it."""

    calls: tuple[BuiltinCall, ...]
    problems: tuple[Diagnostic, ...]


def type_name(value: "Plain") -> str:
    """The Starlark name of a recorded value's type."""
    if isinstance(value, dict):
        tag = value.get("@", "dict")
        return tag if isinstance(tag, str) else "dict"
    names = {type(None): "None", bool: "bool", int: "int", float: "float", str: "string"}
    return names.get(type(value), "list")

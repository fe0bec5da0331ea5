"""`sandbox`: limits and openings of confined runs."""

from collections.abc import Mapping

from execpolicy.language.builtins.signature import Given, Parameter, Signature
from execpolicy.language.calls import Plain
from execpolicy.language.problems import Reporter
from execpolicy.model.confinement import BACKENDS, CACHES, OPENINGS
from execpolicy.model.rule import Origin, SandboxRule

OF_PERSONS = ("system", "user")
"""The layers that may choose a backend, or let the walls stand in the place of questions."""

_TIMES = {"s": 1, "m": 60, "h": 3600}
_SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SHORT_CACHES = {True: "write", False: "read"}
_AMOUNT = ("int", "string")

SANDBOX = Signature(
    "sandbox",
    (
        Parameter("time", _AMOUNT),
        Parameter("memory", _AMOUNT),
        Parameter("processes", ("int",)),
        Parameter("file_size", _AMOUNT),
        Parameter("temporary", _AMOUNT),
        Parameter("caches", ("bool", "string")),
        *(Parameter(name, ("bool",)) for name in OPENINGS),
        Parameter("listen", ("list",)),
        Parameter("reach", ("list",)),
        Parameter("backend", ("string",)),
    ),
    positional=0,
)


def sandbox(given: Given, origin: Origin, report: Reporter) -> SandboxRule:
    """The limits and openings that the call states."""
    rule = SandboxRule(
        origin,
        time=_amount("time", given, _TIMES, report),
        memory=_amount("memory", given, _SIZES, report),
        file_size=_amount("file_size", given, _SIZES, report),
        processes=_amount("processes", given, {}, report),
        unix=_flag(given.get("unix")),
        trace=_flag(given.get("trace")),
        temporary=_amount("temporary", given, _SIZES, report),
        caches=_caches(given.get("caches"), report),
        listen=_ports("listen", given, report),
        reach=_ports("reach", given, report),
        auto_allow=_flag(given.get("auto_allow")),
        undo=_flag(given.get("undo")),
        backend=_backend(given.get("backend"), report),
    )
    _of_person(given, origin, report)
    return rule


def _flag(value: Plain) -> bool | None:
    return value if isinstance(value, bool) else None


def _amount(
    name: str, given: Mapping[str, Plain], units: Mapping[str, int], report: Reporter
) -> int | None:
    """A whole number, or a text of one with a unit."""
    value = given.get(name)
    if value is None:
        return None
    text = str(value)
    unit = units.get(text[-1:], 0)
    digits = text[:-1] if unit else text
    if not digits.isascii() or not digits.isdigit() or int(digits) == 0:
        example = {"s": '"90s"', "K": '"512M"'}.get(next(iter(units), ""), "200")
        message = f"`{name}` must be a number above 0, not `{text}`"
        report("sandbox", message, f"write it as {example}", name)
        return None
    return int(digits) * (unit or 1)


def _ports(name: str, given: Mapping[str, Plain], report: Reporter) -> tuple[int, ...] | None:
    value = given.get(name)
    if value is None:
        return None
    listed = value if isinstance(value, list) else []
    ports = tuple(v for v in listed if type(v) is int and 0 < v < 1 << 16)
    if len(ports) != len(listed):
        report("sandbox", f"`{name}` must hold ports from 1 to 65535", at=name)
    return ports


def _caches(value: Plain, report: Reporter) -> str | None:
    """How the caches are there; True and False stand for the two ends."""
    if isinstance(value, bool):
        return _SHORT_CACHES[value]
    if value is not None and value not in CACHES:
        hint = "write " + ", ".join(f"`{name}`" for name in CACHES)
        report("sandbox", f"unknown way for `caches`: `{value}`", hint, "caches")
    return None if value is None else str(value)


def _backend(value: Plain, report: Reporter) -> str | None:
    if value is not None and value not in BACKENDS:
        hint = "write " + ", ".join(f"`{name}`" for name in BACKENDS)
        report("sandbox", f"unknown backend `{value}`", hint, "backend")
    return None if value is None else str(value)


def _of_person(given: Mapping[str, Plain], origin: Origin, report: Reporter) -> None:
    """Only the user's own layer widens: everything else can be written by an agent."""
    for name in ("backend", "auto_allow", "undo"):
        if given.get(name) and origin.layer not in OF_PERSONS:
            hint = "move the line to a file of the user's layer"
            report("sandbox", f"only the user may set `{name}`", hint, name)

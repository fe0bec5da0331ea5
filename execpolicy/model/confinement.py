"""What rules say about confined runs: limits and openings of the sandbox."""

from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.model.rule import SandboxRule

NARROWS = "project"
"""The layer that may only make confined runs narrower."""

CACHES = ("read", "overlay", "write")
"""How the caches of tools are there in a sandbox: read only, written in a copy that is gone after
the run, or written. The first is the narrowest."""

BACKENDS = ("bubblewrap", "external", "none")


class SandboxSettings(Value):
    """All calls of `sandbox(...)` as one. A limit of None is none."""

    time: float | None = None
    memory: int | None = None
    processes: int | None = None
    file_size: int | None = None
    unix: bool = True
    trace: bool = False
    caches: str = CACHES[0]
    temporary: int | None = None
    listen: tuple[int, ...] = ()
    reach: tuple[int, ...] = ()
    auto_allow: bool = False
    undo: bool = False
    backend: str = "bubblewrap"


_LIMITS = ("time", "memory", "processes", "file_size", "temporary")
OPENINGS = ("unix", "trace", "auto_allow", "undo")


def settle(rules: "Iterable[SandboxRule]", *, walled: bool = False) -> SandboxSettings:
    """What all layers say, the lowest first. A higher layer replaces, a project only narrows.

    `walled`: no rule takes the walls away, because the file that could was named by the one who
    starts the run, which may be an agent.
    """
    settled = SandboxSettings()
    for rule in rules:
        given = {n: getattr(rule, n) for n in SandboxSettings.__fields__}
        given = {name: value for name, value in given.items() if value is not None}
        if rule.origin.layer == NARROWS:
            given = _narrowed(settled, given)
        settled = settled.replace(**given)
    return settled.replace(backend=BACKENDS[0]) if walled else settled


def _narrowed(known: SandboxSettings, given: "dict[str, object]") -> "dict[str, object]":
    """What is left of a project's words: lower limits, and openings that it closes."""
    left: dict[str, object] = {}
    for name in _LIMITS:
        limit, before = given.get(name), getattr(known, name)
        if isinstance(limit, int | float) and (before is None or limit < before):
            left[name] = limit
    left.update({name: False for name in OPENINGS if given.get(name) is False})
    caches = given.get("caches")
    if isinstance(caches, str):
        left["caches"] = min(caches, known.caches, key=CACHES.index)
    for name in ("listen", "reach"):
        ports = given.get(name)
        if isinstance(ports, tuple):
            left[name] = tuple(port for port in getattr(known, name) if port in ports)
    return left

"""The classes that are laid over a path, whatever directory it lies in, in one table."""

from execpolicy.support.record import Value


class OverlayClass(Value):
    """One class. `reads` and `writes` say why that asks; an empty text is no question.

    `shrinks`: the user may take paths out of it. `walled`: no confined run writes there, so the
    question stands in the sandbox too; else the write is allowed there, and reported.
    """

    name: str
    reads: str = ""
    writes: str = ""
    shrinks: bool = True
    walled: bool = True


OVERLAY = {
    each.name: each
    for each in (
        OverlayClass("policy", "", "is part of the policy itself", shrinks=False),
        OverlayClass(
            "credentials",
            "may hold a key, a password or a token",
            "may hold a key, a password or a token",
        ),
        OverlayClass("control", "", "decides what runs later"),
        OverlayClass("instructions", "", "instructs agents", walled=False),
    )
}
"""The classes by name, the worst to touch first."""

OVERLAYS = tuple(OVERLAY)
SHRINKABLE = frozenset(each.name for each in OVERLAY.values() if each.shrinks)
READ = frozenset(each.name for each in OVERLAY.values() if each.reads)
"""The classes that count where something is read."""
CHANGED = frozenset(each.name for each in OVERLAY.values() if each.writes)
"""The classes that count where something is written or removed."""
WALLED = frozenset(each.name for each in OVERLAY.values() if each.walled)
"""The classes that the sandbox holds."""

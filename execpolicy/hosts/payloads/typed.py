"""What a tool types into a program that runs already, as a text for a shell.

Which program reads it is not known, so that it counts as if a shell did. Copilot writes keys as
`{enter}` (its tool `write_bash`), Codex as control characters (`write_stdin`).
"""

from execpolicy.model.operation import Opaque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from execpolicy.model.operation import Operation

    class Typed(TypedDict, total=False):
        """The fields of a request."""

        text: str
        operations: tuple[Operation, ...]


_LINES = {"{enter}": "\n", "{return}": "\n", "\r\n": "\n", "\r": "\n"}
_ENDS = "\x03\x04\x1a\x1c\n \t"
"""Keys that interrupt, end or stop what runs, and blanks: they begin nothing."""


def typed(keys: str) -> "Typed | None":
    """What these keys ask; None where they begin nothing."""
    for written, line in _LINES.items():
        keys = keys.replace(written, line)
    if not keys.strip(_ENDS):
        return None
    if any(not char.isprintable() and char not in "\n\t" for char in keys) or _has_key(keys):
        why = "keys that edit a line or recall another: what is entered is not known"
        return {"operations": (Opaque(keys, why),)}
    return {"text": keys}


def _has_key(keys: str) -> bool:
    """Whether a key stands there by its name."""
    return any(f"{{{name}}}" in keys.lower() for name in _KEYS)


_KEYS = (
    "up", "down", "left", "right", "backspace", "delete", "tab", "home", "end", "escape", "esc",
    "pageup", "pagedown", "space", "ctrl", "alt", "shift",
)  # fmt: skip

"""What runs outside for an operation with a key: programs of the user's own, with bounds."""

from execpolicy.sandbox.keys.opening import Outside
from execpolicy.support.resources import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LISTS = words_of("environment")
_PASSED = _LISTS["kept"] | _LISTS["login"]
_NEVER_ASKS = (("GIT_TERMINAL_PROMPT", "0"), ("GIT_ASKPASS", ""))
"""What runs outside does not ask at the terminal, which what is inside may have written to."""


def outside(given: "Mapping[str, str]", path: str, cwd: str) -> Outside:
    """What runs outside, with these directories of programs."""
    kept = {name: value for name, value in given.items() if name in _PASSED}
    return Outside(tuple({**kept, "PATH": path, **dict(_NEVER_ASKS)}.items()), cwd)

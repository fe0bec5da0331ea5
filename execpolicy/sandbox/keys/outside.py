"""What runs outside for an operation with a key: programs of the user's own, with bounds."""

import subprocess

from execpolicy.sandbox.keys.opening import NoKeyError
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 20.0
_LISTS = words_of("environment")
_PASSED = _LISTS["kept"] | _LISTS["login"]
_NEVER_ASKS = (("GIT_TERMINAL_PROMPT", "0"), ("GIT_ASKPASS", ""))
"""What runs outside does not ask at the terminal, which what is inside may have written to."""


class Outside(Value):
    """The environment of what runs outside: of that of this process's start what logs in."""

    environment: tuple[tuple[str, str], ...]
    cwd: str

    def output(self, argv: tuple[str, ...]) -> str:
        """What a program writes to its output; empty where it fails. Raises `NoKeyError`."""
        try:
            done = subprocess.run(
                argv,
                env=dict(self.environment),
                cwd=self.cwd,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoKeyError(f"`{argv[0]}` cannot be asked: {error}") from None
        return "" if done.returncode else done.stdout.decode("utf-8", "replace")


def outside(given: "Mapping[str, str]", path: str, cwd: str) -> Outside:
    """What runs outside, with these directories of programs."""
    kept = {name: value for name, value in given.items() if name in _PASSED}
    return Outside(tuple({**kept, "PATH": path, **dict(_NEVER_ASKS)}.items()), cwd)

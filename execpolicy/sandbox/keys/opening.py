"""What opens for one operation with a key."""

import subprocess
from _collections_abc import Mapping

from execpolicy.model.errors import ExecPolicyError
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

SECONDS = 20.0


class NoKeyError(ExecPolicyError):
    """No key is opened, and why."""


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


class Bridge(Value):
    """A program of the user that runs outside, joined to a connection from inside.

    The connection is one to this host and port, as the run asks for it. `text` is what the program
    reads; None where that is what comes through the connection. Without words it says how the one
    before it ended. `judged`: the host is a real one,
    about which the rules decide.
    """

    host: str
    port: int
    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    cwd: str
    text: bytes | None = None
    judged: bool = False


class Opening(Value):
    """What one operation with a key is given beside its ordinary sandbox, and what is taken away.

    `argv` are the words that run in the directory `cwd`, of a program that nothing inside can
    write, `path` the directories of such programs. `summary` says in a few words what opens.
    `files` are real paths, read only, `contents` files as they were when they were judged. Below
    the `private` directories the files are copies, gone after the run. `given`
    are variables that the call sets, `variables` its own, which come last. `hosts` is all that can
    be reached, each with its port. `apart`: of the project there are only `contents` and
    `operands`. `needed` are directories that have to be there. `then` are programs of the user that
    run `outside` after it, where it ended well.
    """

    argv: tuple[str, ...]
    path: str
    summary: str
    files: tuple[str, ...] = ()
    contents: tuple[tuple[str, bytes], ...] = ()
    private: tuple[str, ...] = ()
    hosts: frozenset[tuple[str, int]] = frozenset()
    cwd: str = ""
    given: tuple[tuple[str, str], ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    apart: bool = False
    operands: tuple[str, ...] = ()
    bridges: tuple[Bridge, ...] = ()
    needed: tuple[str, ...] = ()
    then: tuple[tuple[str, ...], ...] = ()
    outside: Outside | None = None

    def finish(self) -> str:
        """Run what comes after it; what that says. Raises `NoKeyError` where it does not start."""
        of = self.outside
        return "" if of is None else "".join([of.output(argv) for argv in self.then])


_LISTS = words_of("environment")
_PASSED = _LISTS["kept"] | _LISTS["login"]
_NEVER_ASKS = (("GIT_TERMINAL_PROMPT", "0"), ("GIT_ASKPASS", ""))
"""What runs outside does not ask at the terminal, which what is inside may have written to."""


def outside(given: Mapping[str, str], path: str, cwd: str) -> Outside:
    """What runs outside, with these directories of programs."""
    kept = {name: value for name, value in given.items() if name in _PASSED}
    return Outside(tuple({**kept, "PATH": path, **dict(_NEVER_ASKS)}.items()), cwd)

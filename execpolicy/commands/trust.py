"""`execpolicy trust`: read a project's rules, and let them loosen too from then on."""

import difflib
import os
import sys

from execpolicy.errors import UsageError, printable
from execpolicy.exit import ExitCode
from execpolicy.store import trust
from execpolicy.store.files import RulesFile
from execpolicy.store.layers import find
from execpolicy.store.settings import load as load_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
usage: execpolicy trust [--yes] [--revoke] [DIR]

Show the rules files of the project in DIR (by default here) and, when you agree, pin their content:
until one of them changes they may allow, not only tighten. A file that was trusted before is shown
as what changed in it. Without a terminal nothing is pinned unless `--yes` is given.

  --yes     agree without being asked
  --revoke  trust the project's files no longer

example: execpolicy trust ~/src/app
"""


def main(arguments: "Sequence[str]") -> ExitCode:
    """Show, ask, pin. PROMPT if nothing was pinned because nobody agreed."""
    if "-h" in arguments or "--help" in arguments:
        print(HELP, end="")
        return ExitCode.ALLOW
    options = {a for a in arguments if a.startswith("-")}
    places = [a for a in arguments if not a.startswith("-")]
    if options - {"--yes", "--revoke"} or len(places) > 1:
        raise UsageError("usage: execpolicy trust [--yes] [--revoke] [DIR]")
    cwd = os.path.abspath(places[0] if places else ".")
    found = find(cwd, load_settings().codex)
    files = [f for f in found.files if f.layer == "project" and not f.problem]
    if "--revoke" in options:
        count = trust.unpin(tuple(f.path for f in files))
        print(f"{count} files are trusted no longer")
        return ExitCode.ALLOW
    return _trust([f for f in files if not f.binding], len(files), "--yes" in options)


def _trust(changed: list[RulesFile], count: int, agreed: bool) -> ExitCode:
    if not changed:
        print(f"nothing to trust: {count} project rules files, all trusted as they are")
        return ExitCode.ALLOW
    known = trust.pins()
    for file in changed:
        sys.stdout.write(shown(file, known.get(os.path.realpath(file.path), ())))
    if not (agreed or _asks()):
        print("nothing was trusted")
        return ExitCode.PROMPT
    # What was shown is what is pinned: a file that changed meanwhile stays untrusted.
    trust.pin({file.path: file.data for file in changed})
    print(f"trusted {len(changed)} files")
    return ExitCode.ALLOW


def _asks() -> bool:
    """Ask the person at the terminal. Nobody there means no."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return input("let these rules allow things, too? [y/N] ").strip().lower() in ("y", "yes")


def shown(file: RulesFile, pinned: tuple[str, ...]) -> str:
    """The file's text, or what changed since it was trusted; nothing in it can fool a terminal."""
    before = trust.copy(pinned[-1]) if pinned else None
    lines = _lines(file.data)
    if before is not None:
        lines = list(difflib.unified_diff(_lines(before), lines, "trusted", "now", lineterm=""))
    head = "changed since it was trusted" if before is not None else "not trusted"
    body = "".join(f"    {line}\n" for line in lines)
    return f"{printable(file.path)} ({head})\n{body}\n"


def _lines(data: bytes) -> list[str]:
    return [printable(line) for line in data.decode(errors="backslashreplace").split("\n")]

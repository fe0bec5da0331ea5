"""Makes docs/commands.md from the help of each command: `python -m tests.pages.commands`."""

import io
from contextlib import redirect_stdout

from execpolicy.commands import COMMANDS
from execpolicy.commands.exit_codes import run
from tests.pages import ROOT

PAGE = ROOT / "docs/commands.md"
HEAD = """\
# Commands

What `execpolicy help COMMAND` prints, for each command. This page is made from it by
`python -m tests.pages.commands`. How commands work together is in [README.md](../README.md).
"""


def page() -> str:
    """The page as it has to be."""
    parts = [HEAD, "\n".join(f"- [`{name}`](#{name}): {c.summary}" for name, c in COMMANDS.items())]
    parts += [f"## {name}\n\n```text\n{_help(name)}```" for name in COMMANDS]
    return "\n\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


def _help(name: str) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        run(COMMANDS[name].load(), ["--help"])
    return printed.getvalue()


if __name__ == "__main__":
    PAGE.write_text(page())

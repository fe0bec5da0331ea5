"""`execpolicy teach`: an entry for a tool of the user's own, from what its `--help` shows."""

import os
from collections.abc import Sequence
from tempfile import TemporaryDirectory

from execpolicy.commands.arguments import OptionSyntax, Syntax, Takes, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.person import agrees
from execpolicy.engine.amend.change import Amending, canonical
from execpolicy.engine.engine import Engine
from execpolicy.engine.offers.own_tool import is_free, line, programs, subcommands
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError, UsageError, printable
from execpolicy.sandbox.api import Sandbox
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.store import amend

SYNTAX = Syntax("teach", (OptionSyntax(("--write",), "write"),), Takes("program"))
SECONDS = 10.0
MAX_CALLS = 60
"""How many help texts are read at most."""


def main(arguments: Sequence[str]) -> ExitCode:
    """Show the entry and write it. Raises `ExecPolicyError` where no entry can be made."""
    parsed = parse(SYNTAX, arguments)
    if len(parsed.operands) != 1:
        raise UsageError("name one program: `execpolicy teach bd`")
    (name,) = parsed.operands
    entries = [canonical(line(program)) for program in programs(_paths(name))]
    print(*entries, sep="\n")
    if parsed.fields.get("write") or agrees("write it into your rules?"):
        _write(name, entries)
    return ExitCode.ALLOW


def _paths(name: str) -> list[str]:
    """The program and its sub-commands, by its help texts."""
    engine = Engine.load()
    if not is_free(name, engine.snapshot.catalogue):
        raise ExecPolicyError(f"`{printable(name, 60)}` is not a name of a tool of your own")
    found, waiting, read = [name], [name], set[str]()
    with TemporaryDirectory(prefix="teach-") as empty:
        sandbox = Sandbox(engine)
        for _ in range(MAX_CALLS):
            if not waiting:
                break
            path = waiting.pop(0)
            words = [*path.split(), "--help"]
            try:
                done = sandbox.execute(words, cwd=empty, timeout=SECONDS, approved=True)
            except NoSandboxError as error:
                raise ExecPolicyError(f"there is no sandbox to read it in: {error}") from None
            text = (done.stdout or done.stderr).decode(errors="replace")
            tells = done.code == 0 and text not in read  # the same for all: it is the program's own
            new = [f"{path} {word}" for word in subcommands(text)] if tells else []
            read.add(text)
            found += new
            waiting += new if path == name else []
    if len(found) == 1:
        shown = printable(name, 60)
        raise ExecPolicyError(f"`{shown} --help` lists no sub-commands: amend one call of it")
    return found


def _write(name: str, entries: list[str]) -> None:
    path = amend.target("user")
    amending = Amending("user", path, os.getcwd())
    amend.prepare("user", path)

    def verify(content: bytes) -> None:
        amending.verify(content, (), Decision.ALLOW)

    amend.append("user", path, entries, f"teach {name}", verify)
    print(f"{printable(path)}: written")

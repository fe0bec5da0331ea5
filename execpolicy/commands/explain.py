"""`execpolicy explain`: the way to a verdict, step by step."""

import json
import os
import shutil
import sys
from collections.abc import Sequence

from execpolicy.commands.arguments import COMMAND, OptionSyntax, Syntax, Takes, existing, parse
from execpolicy.commands.check import colour
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.options import SHARED, with_stdin
from execpolicy.commands.render.explain_steps import explained, explained_wire
from execpolicy.commands.render.explain_text import render
from execpolicy.engine.engine import Engine
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.operation import Request
from execpolicy.support.record import Value

SYNTAX = Syntax(
    "explain",
    (
        *SHARED,
        OptionSyntax(("--json",), "json"),
        OptionSyntax(("--width",), "width", Takes("number")),
    ),
    COMMAND,
    leads=True,
)


class ExplainOptions(Value):
    """What the command line says."""

    argv: tuple[str, ...] = ()
    text: str | None = None
    rules: tuple[str, ...] | None = None
    cwd: str | None = None
    shell: str | None = None
    builtin: bool = True
    json: bool = False
    width: str | None = None


def main(arguments: Sequence[str]) -> ExitCode:
    """Decide, print how, and give the verdict's exit code."""
    parsed = with_stdin(parse(SYNTAX, arguments))
    options = ExplainOptions(parsed.operands, **parsed.fields)  # type: ignore[arg-type]
    width = _width(options.width)
    request = _request(options)
    engine = Engine.load(options.rules, builtin=options.builtin, cwd=options.cwd)
    verdict = engine.decide(request)
    found = explained(request, engine.snapshot, verdict, engine.resolver)
    if options.json:
        sys.stdout.write(json.dumps(explained_wire(verdict, found), indent=2) + "\n")
    else:
        sys.stdout.write(render(request, verdict, found, engine.snapshot, width, colour()))
    return ExitCode.of(verdict.decision)


def _request(options: ExplainOptions) -> Request:
    if (options.text is not None) == bool(options.argv):
        raise UsageError("give one of: words after `--`, `-c TEXT`, `-`")
    argv = None if options.text is not None else options.argv
    cwd = os.path.abspath(existing(options.cwd)) if options.cwd is not None else None
    return Request(text=options.text, argv=argv, cwd=cwd, shell=options.shell)


def _width(text: str | None) -> int:
    """The columns that are asked for, else those of the terminal."""
    if text is None:
        return min(100, shutil.get_terminal_size((80, 24)).columns)
    if not text.isascii() or not text.isdigit() or not 40 <= int(text) <= 1000:
        raise UsageError(f"`--width` needs a number from 40 to 1000, not `{printable(text)}`")
    return int(text)

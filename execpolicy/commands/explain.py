"""`execpolicy explain`: the way to a verdict, step by step."""

import json
import os
import shutil
import sys

from execpolicy.commands.explain_steps import explained
from execpolicy.commands.explain_text import render
from execpolicy.commands.options import Options, parse
from execpolicy.engine.engine import Engine
from execpolicy.engine.wire import to_wire
from execpolicy.errors import UsageError, printable
from execpolicy.exit import ExitCode
from execpolicy.operation import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
usage: execpolicy explain [OPTION]… [--] WORD…
       execpolicy explain [OPTION]… -c TEXT

Show the way to the verdict: the text with each operation underlined, what is inside wrappers, which
words are known and which are computed, every rule that matched and the nearest that did not, how
the catalogue reads each option, and what posture and floor add.

  -c TEXT           explain a script
  --json            the verdict as JSON, with an `explanation` for each operation
  --width N         columns of the text (the terminal's by default, at most 100)
  -r, --rules FILE, --no-builtin, --cwd DIR, --shell SHELL   as for `execpolicy check`

exit codes: as those of `check`: 0 allow, 2 forbidden, 3 prompt, 1 could not decide, 64 usage
example:    execpolicy explain -c 'timeout 5 git push --force'
"""


def main(arguments: "Sequence[str]") -> ExitCode:
    """Decide, print how, and give the verdict's exit code."""
    as_json, width, rest = _own(arguments)
    options = parse(rest)
    if options.help:
        print(HELP, end="")
        return ExitCode.ALLOW
    request = _request(options)
    engine = Engine.load(options.rules, builtin=options.builtin, cwd=options.cwd)
    verdict = engine.decide(request)
    found = explained(request, engine.snapshot, verdict)
    if as_json:
        wire = to_wire(verdict)
        for operation, one in zip(wire["operations"], found, strict=True):
            operation["explanation"] = one.to_wire()
        sys.stdout.write(json.dumps(wire, indent=2) + "\n")
    else:
        sys.stdout.write(render(request, verdict, found, engine.snapshot, width, _colour()))
    return ExitCode.of(verdict.decision)


def _request(options: Options) -> Request:
    if options.jsonl or options.format != "text":
        raise UsageError("`explain` has no such option (`execpolicy explain --help`)")
    if (options.text is not None) == bool(options.argv):
        raise UsageError("give words behind `--`, or `-c TEXT`, one of them")
    argv = None if options.text is not None else options.argv
    cwd = os.path.abspath(options.cwd) if options.cwd else None
    return Request(text=options.text, argv=argv, cwd=cwd, shell=options.shell)


def _own(arguments: "Sequence[str]") -> tuple[bool, int, list[str]]:
    """The options that only `explain` has, and the other arguments."""
    end = _end(arguments)
    as_json, width = False, min(100, shutil.get_terminal_size((80, 24)).columns)
    rest: list[str] = []
    words = iter(arguments[:end])
    for word in words:
        name, equals, value = word.partition("=")
        if word == "--json":
            as_json = True
        elif name == "--width":
            width = _number(value if equals else next(words, ""))
        else:
            rest.append(word)
            if word in _WITH_VALUE:
                rest += [next(words)] if len(rest) < end else []
    return as_json, width, rest + list(arguments[end:])


_WITH_VALUE = ("-c", "-r", "--rules", "--cwd", "--shell", "--format")


def _end(arguments: "Sequence[str]") -> int:
    """Where the command begins, if its words are given."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "--":
        at += 2 if arguments[at] in (*_WITH_VALUE, "--width") else 1
    return min(at, len(arguments))


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 40 <= int(text) <= 1000:
        raise UsageError(f"`--width` needs a number from 40 to 1000, not `{printable(text)}`")
    return int(text)


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")

"""`execpolicy amend`: write a rule for a prefix, or take the last one back."""

import os
import sys

from execpolicy.commands.arguments import (
    COMMAND,
    DIRECTORY,
    Kind,
    Option,
    Syntax,
    Takes,
    parse,
)
from execpolicy.decision import Decision
from execpolicy.errors import ExecPolicyError, UsageError, printable
from execpolicy.exit import ExitCode
from execpolicy.store import amend
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
usage: execpolicy amend [OPTION]… -- WORD…
       execpolicy amend [OPTION]… --from-verdict < VERDICT
       execpolicy amend [OPTION]… --undo

Append a rule for commands that begin with these words to `default.rules` of a layer. An allow rule
is refused where it would allow too much (`python3 -c`, `git` alone, `rm`, …) and where another rule
covers it already. The new file is verified before it takes the old one's place.

  --layer LAYER         user (the default) or project
  --below               the rule also holds below the project's root: `cd packages/a && npm test`
  --decision DECISION   allow (the default), prompt or forbidden
  --justification TEXT  why, shown with every verdict that the rule makes
  --from-verdict        read a verdict as JSON from stdin, and write the rules that it proposes
  --undo                take back what the last `amend` appended, if the file still ends with it
  --dry-run             show the change as a diff, and write nothing
  --cwd DIR             the directory whose project is meant

exit codes: 0 done, 1 refused, 64 usage
example:    execpolicy amend --layer project -- npm run build
"""


class Options(Value):
    """What the command line says."""

    words: tuple[str, ...] = ()
    layer: str = "user"
    decision: str = "allow"
    justification: str | None = None
    cwd: str | None = None
    verdict: bool = False
    undo: bool = False
    dry: bool = False
    below: bool = False


DECISIONS = tuple(decision.word for decision in Decision)
SYNTAX = Syntax(
    "amend",
    (
        Option(("--layer",), "layer", Takes("layer", Kind.WORD, amend.LAYERS)),
        Option(("--below",), "below"),
        Option(("--decision",), "decision", Takes("decision", Kind.WORD, DECISIONS)),
        Option(("--justification",), "justification", Takes("text")),
        Option(("--from-verdict",), "verdict"),
        Option(("--undo",), "undo"),
        Option(("--dry-run",), "dry"),
        Option(("--cwd",), "cwd", DIRECTORY),
    ),
    COMMAND,
    leads=True,
)


def main(arguments: "Sequence[str]") -> ExitCode:
    """Write, or show what would be written. Raises `ExecPolicyError` with why it is refused."""
    parsed = parse(SYNTAX, arguments)
    if parsed.help:
        print(HELP, end="")
        return ExitCode.ALLOW
    options = _valid(Options(parsed.operands, **parsed.fields))  # type: ignore[arg-type]
    path = amend.target(options.layer, options.cwd)
    change = _undo(options, path) if options.undo else _append(options, path)
    sys.stdout.write(_shown(change, options))
    return ExitCode.ALLOW


def _append(options: Options, path: str) -> amend.Change:
    from execpolicy.engine.amending import Amending

    prefixes, below, command = _asked(options)
    decision = Decision.parse(options.decision)
    amending = Amending(options.layer, path, options.cwd, below)
    rules = amending.rules(prefixes, decision, options.justification)
    if not options.dry:
        amend.prepare(options.layer, path)

    def verify(content: bytes) -> None:
        amending.refuse(prefixes, decision)  # again: now nobody else can write
        amending.verify(content, prefixes, decision)

    return amend.append(options.layer, path, rules, command, verify, dry=options.dry)


def _undo(options: Options, path: str) -> amend.Change:
    from execpolicy.engine.amending import Amending

    amending = Amending(options.layer, path, options.cwd)
    return amend.undo(
        options.layer,
        path,
        lambda content: amending.verify(content, (), Decision.ALLOW),
        dry=options.dry,
    )


def _asked(options: Options) -> "tuple[tuple[tuple[str, ...], ...], bool, str]":
    """The prefixes to write rules for, whether these hold below the root, and the command."""
    from execpolicy.redact import joined, redacted

    if not options.verdict:
        return (options.words,), options.below, redacted(joined(options.words))
    from execpolicy.engine.amending import proposed

    prefixes, below, command = proposed(sys.stdin.read())
    return prefixes, below or options.below, redacted(command)


def _shown(change: amend.Change, options: Options) -> str:
    """What was done; for a dry run the difference."""
    path = printable(change.path)
    if not options.dry:
        added = change.after[len(change.before) :].decode(errors="backslashreplace")
        return f"{path}: taken back\n" if options.undo else f"{path}:\n{_printable(added)}"
    from difflib import unified_diff

    old, new = (
        c.decode(errors="backslashreplace").split("\n") for c in (change.before, change.after)
    )
    return "".join(f"{printable(x)}\n" for x in unified_diff(old, new, path, path, lineterm=""))


def _printable(text: str) -> str:
    return "".join(f"  {printable(line)}\n" for line in text.splitlines() if line)


def _valid(options: Options) -> Options:
    if bool(options.words) + options.verdict + options.undo != 1:
        raise UsageError("give words behind `--`, `--from-verdict` or `--undo`, one of them")
    if options.cwd is not None and not os.path.isdir(options.cwd):
        raise ExecPolicyError(f"`{printable(options.cwd)}` is no directory")
    return options

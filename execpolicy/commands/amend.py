"""`execpolicy amend`: write a rule for a prefix, or take the last one back."""

import os
import sys
from _collections_abc import Sequence

from execpolicy.commands.arguments import (
    COMMAND,
    DIRECTORY,
    Kind,
    Needs,
    OptionSyntax,
    Syntax,
    Takes,
    existing,
    parse,
)
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.engine.amend.asked import Asked, asked, of_rules, proposed
from execpolicy.model.approval import Question, is_code
from execpolicy.model.decision import Decision
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.operation import Request
from execpolicy.places.disk import Disk
from execpolicy.store import amend
from execpolicy.store.line import quoted
from execpolicy.support.record import Value
from execpolicy.support.redact import joined, redacted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.amend.change import Amending


class AmendOptions(Value):
    """What the command line says."""

    words: tuple[str, ...] = ()
    text: str | None = None
    rule: str | None = None
    prefix: bool = False
    layer: str = ""
    decision: str = "allow"
    justification: str | None = None
    cwd: str | None = None
    verdict: bool = False
    undo: bool = False
    dry: bool = False
    below: bool = False


DECISIONS = tuple(decision.word for decision in Decision)
_WRITES = (Needs("undo", (None,)),)
_WORDS = (*_WRITES, Needs("rule", (None,)), Needs("verdict", (None,)))
"""What adds to the rule that is written; what says which rule that is."""
SYNTAX = Syntax(
    "amend",
    (
        OptionSyntax(("-c",), "text", Takes("text")),
        OptionSyntax(("--rule",), "rule", Takes("rule")),
        OptionSyntax(("--prefix",), "prefix", needs=_WORDS),
        OptionSyntax(("--layer",), "layer", Takes("layer", Kind.WORD, amend.LAYERS)),
        OptionSyntax(("--below",), "below", needs=_WRITES),
        OptionSyntax(
            ("--decision",), "decision", Takes("decision", Kind.WORD, DECISIONS), needs=_WORDS
        ),
        OptionSyntax(("--justification",), "justification", Takes("text"), needs=_WRITES),
        OptionSyntax(("--from-verdict",), "verdict"),
        OptionSyntax(("--undo",), "undo"),
        OptionSyntax(("--dry-run",), "dry"),
        OptionSyntax(("--cwd",), "cwd", DIRECTORY),
    ),
    COMMAND,
    leads=True,
)


def main(arguments: Sequence[str]) -> ExitCode:
    """Write, or show what would be written. Raises `ExecPolicyError` with why it is refused."""
    parsed = parse(SYNTAX, arguments)
    options = _valid(AmendOptions(parsed.operands, **parsed.fields))  # type: ignore[arg-type]
    if not parsed.dashes and len(options.words) == 1 and is_code(options.words[0]):
        return _answered(options)
    layer = options.layer or "user"
    if options.undo:
        layer = options.layer or amend.last(options.cwd)
        path = amend.target(layer, options.cwd)
        sys.stdout.write(_shown(_undo(options.replace(layer=layer), path), options))
    elif options.verdict or options.rule is not None or _grants(options):
        _offered(options)
    else:
        path = amend.target(layer, options.cwd)
        _append(options.replace(layer=layer), path)
    return ExitCode.ALLOW


def _answered(options: AmendOptions) -> ExitCode:
    """Allow for good what a question asks, which is an answer to it."""
    from execpolicy.commands import replying

    question = replying.asked(options.words)
    offer(question, options.replace(words=()))
    if not options.dry:
        replying.settle(question)
    return ExitCode.ALLOW


def offer(question: Question, options: AmendOptions) -> None:
    """Write the rules that allow what a question asks, or show them."""
    cwd = options.cwd or question.cwd
    _offered(options.replace(text=question.request, cwd=existing(cwd or ".")))


def _grants(options: AmendOptions) -> bool:
    """Whether what a command does is to be allowed, and not a prefix to be decided."""
    return options.decision == "allow" and not options.prefix


def _wanted(options: AmendOptions, cwd: str) -> tuple[Asked, str]:
    """The rules to write, and the command that they are for."""
    if options.verdict:
        return proposed(sys.stdin.read())
    if options.rule is not None:
        return of_rules(options.rule, "--rule"), "a proposed rule"
    command = options.text if options.text is not None else joined(options.words)
    request = Request(text=options.text, argv=options.words or None, cwd=cwd)
    return asked(request, cwd), command


def _offered(options: AmendOptions) -> None:
    """Write the rules that allow a request, or that a verdict proposes."""
    from execpolicy.engine.amend.change import Amending, canonical

    cwd = os.path.abspath(options.cwd or ".")
    found, command = _wanted(options, cwd)
    lines = tuple(canonical(_with_options(line, options)) for line in found.lines)
    found = found.replace(lines=lines)
    layer = options.layer or ("project" if found.project and _has_project(cwd) else "user")
    path = amend.target(layer, options.cwd)
    amending = Amending(layer, path, options.cwd)
    amending.refuse_lines(lines)
    if not options.dry:
        amend.prepare(layer, path)

    def verify(content: bytes) -> None:
        amending.refuse_lines(lines)  # again: now no other process can write
        amending.verify_lines(content, found)

    change = amend.append(layer, path, lines, redacted(command), verify, dry=options.dry)
    sys.stdout.write(_shown(change, options))
    _show_opening(amending, change)
    if found.project:
        bound = "this project only" if layer == "project" else "the root of any project"
        sys.stdout.write(f"it runs what the project then holds; the rule applies in {bound}\n")


def _show_opening(amending: "Amending", change: amend.Change) -> None:
    """Print what the rules open, as it is proved."""
    from execpolicy.commands.proving import added

    files = (amending.files(content) for content in (change.before, change.after))
    sys.stdout.writelines(f"{line}\n" for line in added(*files))


def _with_options(line: str, options: AmendOptions) -> str:
    """A proposed line with what the command line adds to it."""
    if not line.startswith("prefix_rule(") or not line.endswith(")"):
        return line
    if options.below and "below = True" not in line:
        line = line[:-1] + ", below = True)"
    if options.justification is not None:
        line = line[:-1] + f", justification = {quoted(options.justification)})"
    return line


def _has_project(cwd: str) -> bool:
    """Whether a directory belongs to a project, and is not a home or mount."""
    root = Disk().root(None, cwd)
    return root is not None and root.project


def _append(options: AmendOptions, path: str) -> None:
    """Write a rule about a prefix, or show it."""
    from execpolicy.engine.amend.change import Amending

    prefixes, command = (options.words,), redacted(joined(options.words))
    decision = Decision.parse(options.decision)
    amending = Amending(options.layer, path, options.cwd, options.below)
    rules = amending.rules(prefixes, decision, options.justification)
    if not options.dry:
        amend.prepare(options.layer, path)

    def verify(content: bytes) -> None:
        amending.refuse(prefixes, decision)  # again: now no other process can write
        amending.verify(content, prefixes, decision)

    change = amend.append(options.layer, path, rules, command, verify, dry=options.dry)
    sys.stdout.write(_shown(change, options))
    if decision is Decision.ALLOW:
        _show_opening(amending, change)


def _undo(options: AmendOptions, path: str) -> amend.Change:
    from execpolicy.engine.amend.change import Amending

    amending = Amending(options.layer, path, options.cwd)
    return amend.undo(
        options.layer,
        path,
        lambda content: amending.verify(content, (), Decision.ALLOW),
        dry=options.dry,
    )


def _shown(change: amend.Change, options: AmendOptions) -> str:
    """What was done; for a dry run the difference."""
    path = printable(change.path)
    if not options.dry:
        added = _added(change).decode(errors="backslashreplace")
        return f"{path}: taken back\n" if options.undo else f"{path}:\n{_printable(added)}"
    from execpolicy.commands.fmt import difference

    old, new = (c.decode(errors="backslashreplace") for c in (change.before, change.after))
    return difference(path, old, new)


def _added(change: amend.Change) -> bytes:
    """What is new at the end, and each line that an entry got more names in."""
    before = set(change.before.splitlines())
    if change.after.startswith(change.before):
        return change.after[len(change.before) :]
    return b"\n".join(line for line in change.after.splitlines() if line not in before)


def _printable(text: str) -> str:
    return "".join(f"  {printable(line)}\n" for line in text.splitlines() if line)


def _valid(options: AmendOptions) -> AmendOptions:
    texts = options.text is not None, options.rule is not None
    if sum((bool(options.words), *texts, options.verdict, options.undo)) != 1:
        ways = "words after `--`, `-c`, `--rule`, `--from-verdict` or `--undo`"
        raise UsageError(f"give {ways}, one of them")
    if options.text is not None and not _grants(options):
        raise UsageError("`-c` allows a script: a prefix, and another decision, need words")
    existing(options.cwd or ".")
    return options

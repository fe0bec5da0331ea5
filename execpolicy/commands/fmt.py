"""`execpolicy fmt`: rules files in their one canonical form."""

import os
import sys
from collections.abc import Sequence
from difflib import unified_diff

from execpolicy.commands.arguments import RULES, OptionSyntax, Syntax, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.language.format.format import format_text
from execpolicy.language.limits import MAX_BYTES, check, decode
from execpolicy.language.syntax.tables import driver
from execpolicy.model.errors import ExecPolicyError, UsageError, printable
from execpolicy.store.compiled.tables import KeptTables
from execpolicy.store.sources.files import read_rules, replace, rules_in
from execpolicy.support.record import Value

SYNTAX = Syntax(
    "fmt", (OptionSyntax(("--check",), "check"), OptionSyntax(("--diff",), "diff")), RULES
)


class Text(Value):
    """A file's text as it is, and as it should be."""

    path: str
    before: str
    after: str


def main(arguments: Sequence[str]) -> ExitCode:
    """Format every file; one that does not parse is reported and the others go on."""
    parsed = parse(SYNTAX, arguments)
    if not parsed.operands:
        raise UsageError("no files: name rules files, or `-` for stdin")
    flags = frozenset(parsed.fields)
    code = ExitCode.ALLOW
    driver(KeptTables("syntax"))  # the parser's tables, kept on disk
    for operand in parsed.operands:
        try:
            paths = rules_in(operand)
        except ExecPolicyError as error:
            code = _failed(error)
            continue
        for path in paths:
            try:
                code = max(code, _one(_read(path), flags))
            except ExecPolicyError as error:
                code = _failed(error)
    return code


def _failed(error: ExecPolicyError) -> ExitCode:
    print(error, file=sys.stderr)
    return ExitCode.ERROR


def _read(path: str) -> Text:
    if path == "-":
        data, path = sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"
    else:
        file = read_rules("", path, MAX_BYTES)
        if file.problem:
            raise ExecPolicyError(file.problem.render())
        data = file.data
    text, problem = decode(data, path)
    problem = problem or check(text, path)
    if problem:
        raise ExecPolicyError(problem.render())
    # The line ends of the file itself: a file with carriage returns is not canonical.
    return Text(path, data.decode(), format_text(text, path))


def _one(text: Text, flags: frozenset[str]) -> ExitCode:
    changed = text.before != text.after
    if "diff" in flags:
        sys.stdout.write(difference(text.path, text.before, text.after))
    elif "check" in flags:
        if changed:
            print(f"would reformat {printable(text.path)}")
    elif text.path == "<stdin>":
        sys.stdout.write(text.after)
    elif changed:
        target = os.path.realpath(text.path)
        replace(target, text.after.encode(), os.stat(target).st_mode & 0o7777)
        print(f"reformatted {printable(text.path)}")
    return ExitCode.ERROR if changed and "check" in flags else ExitCode.ALLOW


def difference(path: str, before: str, after: str) -> str:
    """A unified diff, with what misleads a reader escaped; empty where nothing differs."""
    lines = unified_diff(before.split("\n"), after.split("\n"), path, path, lineterm="")
    return "".join(f"{printable(line)}\n" for line in lines)

"""`execpolicy lint`: find mistakes in rules files."""

import os
import sys
from collections.abc import Sequence

from execpolicy.commands.arguments import (
    DIRECTORY,
    RULES,
    Kind,
    OptionSyntax,
    Syntax,
    Takes,
    looked_in,
    meant,
    parse,
)
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.language.evaluate.worker import ahead
from execpolicy.language.limits import MAX_BYTES, decode
from execpolicy.lint.finding import Finding, apply_edits
from execpolicy.lint.registry import CHECKS
from execpolicy.model.errors import UsageError, printable
from execpolicy.store.sources import settings
from execpolicy.store.sources.files import RulesFile, read_rules, replace, rules_in
from execpolicy.store.sources.layers import find
from execpolicy.support.record import Value
from execpolicy.support.resources import lint_page

INDEX = "codes"


def page(code: str) -> str:
    """The text of the page about a code, or the list of all. Raises `UsageError`."""
    if code != INDEX and code not in CHECKS:
        shown = printable(code, 40)
        advice = f"`execpolicy lint --explain {INDEX}` lists them"
        raise UsageError(f"unknown code `{shown}`{meant(code, CHECKS)} ({advice})")
    return lint_page("README" if code == INDEX else code)


FORMATS = ("text", "json", "sarif", "github")
TARGETS = ("codex",)


SYNTAX = Syntax(
    "lint",
    (
        OptionSyntax(
            ("--explain",), "explain", Takes("code", Kind.OPEN, load=lambda: sorted(CHECKS))
        ),
        OptionSyntax(("--format",), "format", Takes("format", Kind.WORD, FORMATS)),
        OptionSyntax(("--portable",), "portable", Takes("engine", Kind.WORD, TARGETS)),
        OptionSyntax(("--fix",), "fix"),
        OptionSyntax(("--no-builtin",), "builtin", value=False),
        OptionSyntax(("--cwd",), "cwd", DIRECTORY),
    ),
    RULES,
)


class LintOptions(Value):
    """What the command line says."""

    paths: tuple[str, ...] = ()
    format: str = "text"
    portable: str | None = None
    fix: bool = False
    builtin: bool = True
    cwd: str | None = None
    explain: str | None = None


def main(arguments: Sequence[str]) -> ExitCode:
    """Print the findings. ERROR if there are others than notes."""
    parsed = parse(SYNTAX, arguments)
    options = LintOptions(parsed.operands, **parsed.fields)  # type: ignore[arg-type]
    looked_in(options.cwd, options.paths)
    if options.explain is not None:
        sys.stdout.write(page(options.explain))
        return ExitCode.ALLOW
    with ahead():
        from execpolicy.commands.render import report_lint

        found = _repair(options) if options.fix else _lint(options, _files(options))
    sys.stdout.write(report_lint.FORMATS[options.format](found))
    failed = any(f.diagnostic.severity != "note" for f in found)
    return ExitCode.ERROR if failed else ExitCode.ALLOW


def _lint(options: LintOptions, files: Sequence[RulesFile]) -> tuple[Finding, ...]:
    from execpolicy.commands.proving import side
    from execpolicy.lint.run import lint

    codex = options.portable == "codex"
    return lint(files, builtin=options.builtin, codex=codex, side=side)


def _files(options: LintOptions) -> list[RulesFile]:
    if not options.paths:
        return list(find(options.cwd, settings.load().codex).files)
    files = []
    for path in options.paths:
        for name in rules_in(path):
            files.append(read_rules(layer_of(name), name, MAX_BYTES))
    return files


def layer_of(path: str) -> str:
    """The layer that a file belongs to by its place: that of a project, or a user's."""
    directory = os.path.dirname(os.path.abspath(path))
    inside = directory.endswith((".execpolicy/rules", ".codex/rules"))
    home = os.path.expanduser("~")
    return "project" if inside and os.path.dirname(os.path.dirname(directory)) != home else "user"


def _repair(options: LintOptions) -> tuple[Finding, ...]:
    """Repair until nothing is left to repair; what is then found."""
    found: tuple[Finding, ...] = ()
    for _ in range(10):
        files = _files(options)
        found = _lint(options, files)
        changed = False
        for file in files:
            mine = [f for f in found if f.span.file == file.path and f.edits]
            text, problem = decode(file.data, file.path)
            after = text if problem else apply_edits(text, mine)
            if mine and after != text:
                target = os.path.realpath(file.path)
                replace(target, after.encode(), os.stat(target).st_mode & 0o7777)
                changed = True
        if not changed:
            break
    return found

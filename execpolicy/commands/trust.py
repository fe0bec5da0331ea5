"""`execpolicy trust`: read a project's rules, and let them loosen too from then on."""

import difflib
import os
import sys
from collections.abc import Iterator, Sequence

from execpolicy.commands.arguments import DIRECTORY, OptionSyntax, Syntax, counted, existing, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.person import agrees
from execpolicy.model.errors import PolicyError, printable
from execpolicy.store.sources import trust
from execpolicy.store.sources.files import RulesFile
from execpolicy.store.sources.layers import Found, find
from execpolicy.store.sources.settings import load as load_settings

SYNTAX = Syntax(
    "trust",
    (OptionSyntax(("--yes",), "yes"), OptionSyntax(("--revoke",), "revoke")),
    DIRECTORY,
    most=1,
)


def main(arguments: Sequence[str]) -> ExitCode:
    """Show, ask, pin. PROMPT if the user did not agree, so that nothing was pinned."""
    parsed = parse(SYNTAX, arguments)
    cwd = os.path.abspath(existing(next(iter(parsed.operands), ".")))
    found = find(cwd, load_settings().codex)
    if "revoke" in parsed.fields:
        paths = tuple(f.path for f in found.files if f.layer == "project")
        roots = {trust.Pin.of(path).root for path in paths}
        count = trust.unpin((*paths, *trust.of_projects(roots)))
        print(f"no longer trusted: {counted(count, 'file')}")
        return ExitCode.ALLOW
    return _trust(found, "yes" in parsed.fields)


def _trust(found: Found, agreed: bool) -> ExitCode:
    known = trust.read()
    if known.problem:
        raise PolicyError((known.problem,))
    files = [f for f in found.files if f.layer == "project"]
    changed = [f for f in files if not f.trusted and not f.problem]
    fit = [f for f in changed if _may_be_trusted(f, found)]
    left = _report_untrusted([f for f in files if f.problem or (f in changed and f not in fit)])
    if not fit:
        known_already = counted(len(files) - left, "file")
        print(f"nothing to trust: {known_already} of the project, trusted as they are")
        return ExitCode.ERROR if left else ExitCode.ALLOW
    for file in fit:
        sys.stdout.write(shown(file, known))
    sys.stdout.writelines(f"{line}\n" for line in _loosened(found.files, fit))
    if not (agreed or agrees("let these rules allow things, too?")):
        print("nothing was trusted")
        return ExitCode.PROMPT
    # What was shown is what is pinned: a file that changed meanwhile stays untrusted.
    trust.pin({file.path: file.data for file in fit})
    print(f"trusted {counted(len(fit), 'file')}")
    return ExitCode.ERROR if left else ExitCode.ALLOW


def _loosened(files: Sequence[RulesFile], fit: list[RulesFile]) -> Iterator[str]:
    """What they let through once they are trusted, with an example for each rule."""
    from execpolicy.commands.proving import opened

    paths = {file.path for file in fit}
    return opened(files, [f.replace(trusted=f.trusted or f.path in paths) for f in files])


def _may_be_trusted(file: RulesFile, found: Found) -> bool:
    """Whether the file is this project's own, at its place."""
    sure = any(d.sure for d in found.directories if d.path == os.path.dirname(file.path))
    return sure and trust.is_in_place(file.path)


def _report_untrusted(files: list[RulesFile]) -> int:
    """Say why these files cannot be trusted; how many they are."""
    for file in files:
        why = file.problem.message if file.problem else file.remedy or ""
        print(f"{printable(file.path)} is not trusted: {printable(why)}", file=sys.stderr)
    return len(files)


def shown(file: RulesFile, known: trust.Record) -> str:
    """The file's text, or what changed since it was trusted; nothing in it can fool a terminal."""
    pinned = trust.digests(file.path, known)
    before = trust.copy(pinned[-1]) if pinned else None
    lines = _lines(file.data)
    if before is not None:
        lines = list(difflib.unified_diff(_lines(before), lines, "trusted", "now", lineterm=""))
    head = "changed since it was trusted" if before is not None else "not trusted"
    if trust.was_trusted(file.path, file.data, known):
        head, lines = "trusted as it is, but not yet in this project", _lines(file.data)
    body = "".join(f"    {line}\n" for line in lines)
    project = printable(trust.Pin.of(file.path).root)
    return f"{printable(file.path)} ({head})\n  project {project}\n{body}\n"


def _lines(data: bytes) -> list[str]:
    return [printable(line) for line in data.decode(errors="backslashreplace").split("\n")]

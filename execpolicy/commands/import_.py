"""`execpolicy import`: a host's own permission list as rules."""

import os
import sys
import tempfile

from execpolicy.catalogue.banned import banned
from execpolicy.commands.arguments import one_of
from execpolicy.commands.install import Options, parse, syntax
from execpolicy.engine.engine import Engine
from execpolicy.errors import ExecPolicyError, UsageError, printable
from execpolicy.exit import ExitCode
from execpolicy.hosts.carry import Carried, Note, Rule, carry, written
from execpolicy.hosts.lists import READERS, entries
from execpolicy.store import dirs
from execpolicy.store.files import private_directory, replace
from execpolicy.store.layers import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
usage: execpolicy import HOST [--scope user|project] [--dry-run]

Write the host's own permission list as rules, to `imported-HOST.rules` of a layer, each with the
place it is from. No rule allows more than the list did; what had to be narrowed or left out is
reported. Importing again replaces the file. Of codex it takes which files may be read and written
(`[permissions]`, or `sandbox_mode`).

  --scope SCOPE  user (the default): the host's list for all you do; project: the list of the
                 directory you are in (`execpolicy trust` lets it allow)
  --dry-run      print the rules, and write nothing

hosts:      {hosts}
exit codes: 0 done, 1 refused, 64 usage
example:    execpolicy import claude --dry-run
"""

LISTED = (*READERS, "codex")
SYNTAX = syntax("import", LISTED, every=False)


def main(arguments: "Sequence[str]") -> ExitCode:
    """Read the list, write the rules, report. Raises `ExecPolicyError` for an unreadable list."""
    options = parse(arguments, SYNTAX)
    if options.help:
        print(HELP.format(hosts=" ".join(LISTED)), end="")
        return ExitCode.ALLOW
    host, scope, dry = _one(options)
    root = os.getcwd()
    if host == "codex":
        return _codex(scope, root, dry)
    natives, remarks = entries(host, scope, root)
    catalogue = Engine.load(rules=[]).snapshot.catalogue
    carried = carry(natives, lambda prefix: banned(prefix, catalogue))
    text = rendered(host, scope, carried)
    verify(text)
    if dry:
        sys.stdout.write(text)
    elif carried.rules:
        print(f"{_write(host, scope, root, text)}: {len(carried.rules)} rules")
    else:
        print("nothing to import")
    _report(carried, remarks)
    return ExitCode.ALLOW


_SAME = "codex has the same rules: `execpolicy` reads them with `codex = true` in config.toml"


def _codex(scope: str, root: str, dry: bool) -> ExitCode:
    """The file policy of Codex; its rules need no import."""
    from execpolicy.hosts import codex_files

    found, unknown = codex_files.entries(scope, root)
    lines, remarks = codex_files.rules(found)
    text = _headed("codex", scope, [(entry.source, line) for entry, line in lines])
    verify(text)
    if dry:
        sys.stdout.write(text)
    elif lines:
        print(f"{_write('codex', scope, root, text)}: {len(lines)} rules")
    for remark in (*unknown, *remarks, _SAME):
        print(f"  {printable(remark)}")
    return ExitCode.ALLOW


def _headed(host: str, scope: str, rules: "Sequence[tuple[str, str]]") -> str:
    """A rules file: who wrote it, and each rule below where it is from."""
    command = f"execpolicy import {host}" + (" --scope project" if scope == "project" else "")
    lines = [f"# Written by `{command}`; importing again replaces it.", ""]
    for source, line in rules:
        lines += [f"# {printable(source)}", line, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def rendered(host: str, scope: str, carried: Carried) -> str:
    """The rules file."""
    noted = [(rule, f"# {printable(rule.note)}\n" if rule.note else "") for rule in carried.rules]
    return _headed(host, scope, [(r.native.source, note + _line(r)) for r, note in noted])


def _line(rule: Rule) -> str:
    why = None
    if rule.decision:
        why = f"`{rule.native.pattern}` stood in the permission list that this was imported from"
    return written(rule, why)


def verify(text: str) -> None:
    """Load the rules as they will be. Raises `PolicyError`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "imported.rules")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        Engine.load([path], builtin=False)


def _write(host: str, scope: str, root: str, text: str) -> str:
    folder = os.path.join(root, PROJECT) if scope == "project" else _user()
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"imported-{host}.rules")
    if os.path.islink(path):
        raise ExecPolicyError(f"{path} is a link: nothing is written through it")
    replace(path, text.encode(), 0o600 if scope == "user" else 0o644)
    return path


def _user() -> str:
    folder = os.path.join(dirs.config(), "rules")
    private_directory(dirs.config())
    private_directory(folder)
    return folder


def _report(carried: Carried, remarks: list[str]) -> None:
    for note in carried.notes:
        print(f"  {_said(note)}")
    for remark in remarks:
        print(f"  {printable(remark)}")


def _said(note: Note) -> str:
    lost = note.native.decision and note.what.startswith("left out")
    warning = " (what it refused is still asked about unless a rule allows it)" if lost else ""
    return printable(f"{note.native.source}: {note.what}{warning}")


def _one(options: Options) -> tuple[str, str, bool]:
    if len(options.hosts) != 1:
        raise UsageError(f"name one host with a permission list: {one_of(LISTED)}")
    return options.hosts[0].name, options.scope, options.dry

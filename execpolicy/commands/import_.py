"""`execpolicy import`: a host's own permission list as rules."""

import os
import sys
import tempfile
from collections.abc import Sequence

from execpolicy.catalogue.banned import banned
from execpolicy.catalogue.completions import completions
from execpolicy.commands.arguments import counted, one_of
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.install import parse, syntax
from execpolicy.engine.engine import Engine
from execpolicy.hosts.convert.convert import Converted, Note, Rule, convert, refusing, written
from execpolicy.hosts.convert.convert_places import NativePlace, Placed, Unplaced, carry_places
from execpolicy.hosts.convert.lists import READERS, entries
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError, UsageError, printable
from execpolicy.store.sources.files import replace, user_rules
from execpolicy.store.sources.layers import PROJECT

LISTED = (*READERS, "codex")
SYNTAX = syntax("import", LISTED, every=False)


def main(arguments: Sequence[str]) -> ExitCode:
    """Read the list, write the rules, report. Raises `ExecPolicyError` for an unreadable list."""
    options = parse(arguments, SYNTAX)
    if len(options.hosts) != 1:
        raise UsageError(f"name one host with a permission list: {one_of(LISTED)}")
    host = options.hosts[0].name
    import_ = _codex if host == "codex" else _permission_list
    import_(host, options.scope, os.getcwd(), options.dry)
    return ExitCode.ALLOW


def _permission_list(host: str, scope: str, root: str, dry: bool) -> None:
    """Import the list of any host but Codex."""
    found = entries(host, scope, root)
    catalogue = Engine.load(rules=[]).snapshot.catalogue
    known = completions(catalogue)
    converted = convert(found.commands, lambda prefix: banned(prefix, catalogue), known)
    whole = [
        NativePlace("commands", "", native.decision, native.source)
        for native in refusing(found.commands)
    ]
    placed, unplaced = carry_places([*found.places, *whole])
    text = rendered(host, scope, converted, placed)
    verify(text)
    if dry:
        where = "not written"
    elif converted.rules or placed:
        where = _write(host, scope, root, text)
    else:
        where = "nothing to import"
    if any((found.commands, found.places, found.remarks)):
        sys.stdout.write(summary(where, converted, placed, unplaced, found.remarks))
    else:
        print(f"nothing to import: no permission list of {host} was found for `--scope {scope}`")
    if dry:
        sys.stdout.write(text)
    _report(converted, placed, unplaced, found.remarks)


def summary(
    where: str,
    converted: Converted,
    placed: Sequence[Placed],
    unplaced: Sequence[Unplaced],
    remarks: Sequence[str],
) -> str:
    """Four lines: where the rules are, how many of each sort, and what is not among them."""
    names = ("allow", "ask", "refuse")
    said = [r.decision for r in converted.rules]
    commands = ", ".join(f"{said.count(d)} {n}" for d, n in zip(Decision, names, strict=True))
    about = [p.decision for p in placed]
    places = ", ".join(f"{about.count(d)} {n}" for d, n in zip(Decision, names, strict=True))
    refused = [n for n in converted.notes if n.native.decision and n.what.startswith("left out")]
    lost = len(refused) + sum(bool(u.native.decision) for u in unplaced)
    out = sum(n.what.startswith("left out") for n in converted.notes) + len(unplaced) + len(remarks)
    floor = f"{lost} of them refuse or ask; what no rule allows, the posture decides"
    return (
        f"{where}: {len(said) + len(about)} rules\n"
        f"  commands: {commands}\n"
        f"  paths and hosts: {places}\n"
        f"  left out: {out}{f'; {floor}' if lost else ''}\n"
    )


def rendered(host: str, scope: str, converted: Converted, placed: Sequence[Placed] = ()) -> str:
    """The rules file."""
    commands = [(rule.native.source, rule.note, _line(rule)) for rule in converted.rules]
    places = [(place.native.source, place.note, place.line) for place in placed]
    return _headed(host, scope, [*commands, *places])


_SAME = "codex has the same rules: `execpolicy` reads them with `codex = true` in config.toml"


def _codex(host: str, scope: str, root: str, dry: bool) -> None:
    """The file policy of Codex; its rules need no import."""
    from execpolicy.hosts.convert import codex_files

    found, unknown = codex_files.entries(scope, root)
    lines, remarks = codex_files.rules(found)
    text = _headed(host, scope, [(entry.source, None, line) for entry, line in lines])
    verify(text)
    if dry:
        sys.stdout.write(text)
    elif lines:
        print(f"{_write(host, scope, root, text)}: {counted(len(lines), 'rule')}")
    for remark in (*unknown, *remarks, _SAME):
        print(f"  {printable(remark)}")


def _headed(host: str, scope: str, rules: Sequence[tuple[str, str | None, str]]) -> str:
    """A rules file: who wrote it, and each rule below where it is from, and a note."""
    command = f"execpolicy import {host}" + (" --scope project" if scope == "project" else "")
    lines = [f"# Written by `{command}`; importing again replaces it.", ""]
    for source, note, line in rules:
        lines += [f"# {printable(text)}" for text in (source, note) if text]
        lines += [line, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


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
    folder = os.path.join(root, PROJECT) if scope == "project" else user_rules()
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"imported-{host}.rules")
    if os.path.islink(path):
        raise ExecPolicyError(f"{path} is a link: nothing is written through it")
    replace(path, text.encode(), 0o600 if scope == "user" else 0o644)
    return path


def _report(
    converted: Converted,
    placed: Sequence[Placed],
    unplaced: Sequence[Unplaced],
    remarks: Sequence[str],
) -> None:
    stricter = (f"{place.native.source}: {place.note}" for place in placed if place.note)
    noted, left = map(_note_line, converted.notes), map(_note_line, unplaced)
    sys.stdout.writelines(f"  {printable(line)}\n" for line in (*noted, *stricter, *left, *remarks))


_FLOOR = "still asked about unless a rule allows it"


def _note_line(note: Note | Unplaced) -> str:
    lost = note.native.decision and note.what.startswith("left out")
    by = "the posture decides about it" if isinstance(note, Unplaced) else _FLOOR
    warning = f" (what it refused: {by})" if lost else ""
    return f"{note.native.source}: {note.what}{warning}"

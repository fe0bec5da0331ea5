"""What changes something on another machine is `remote`, what only gets is not.

`remote.txt` lists every program that does both, `changes.txt` and `gets.txt` are commands of all
kinds, `reviewed.txt` are names that only sound as if they changed something.
"""

import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.catalogue import Catalogue, StandardInput, read
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.language.compile import compile_text
from execpolicy.model.written.program import Program
from tests.catalogue.shipped import RULES, everything, programs

HERE = Path(__file__).parent
REACHING = {"network", "url", "host", "ssh", "repo", "location", "location-tree", "slug"}
CHANGING = {"remote", "remote-sql", "location-out", "location-into"}
NOTHING = frozenset(("rvm", "cpio", "kafka-log-dirs", "kafka-log-dirs.sh"))
"""Programs whose only way to change another machine is an option that they share with others."""


def rows(name: str) -> list[str]:
    lines = (HERE / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


BOTH = [
    (name, *(part.strip().replace("_", name.replace("{version}", "3"), 1) for part in calls))
    for names, *calls in (row.split(" | ") for row in rows("remote.txt"))
    for name in names.split()
]


@cache
def engine() -> Engine:
    return Engine.load(rules=[])


def effects(command: str) -> set[str]:
    """The effects of all that a command does, a command elsewhere that only reads left out."""
    verdict = engine().check(command)
    return {e for judged in verdict.judged for match in judged.matches for e in match.effects}


def test_a_call_that_gets_is_not_remote() -> None:
    gets = [row[1] for row in BOTH]
    assert [command for command in gets if "remote" in effects(command)] == []
    unknown = "is not in the catalogue"
    assert [command for command in gets if unknown in engine().check(command).reason] == []


def test_a_call_that_changes_is_remote() -> None:
    assert [row[2] for row in BOTH if "remote" not in effects(row[2])] == []


def words(program: Program) -> set[str]:
    """The kinds and effects that the notations of an entry name."""
    forms = (f"{f.effect} {f.options} {f.operands or ''}" for f in program.forms)
    text = " ".join((program.effect, program.options, program.operands or "", *forms))
    return {*re.findall(r"(?<![-\w])[a-z-]+(?![-\w])", text)} | {*program.style.split()}


def test_the_table_lists_every_program_that_gets_and_changes() -> None:
    known: dict[str, set[str]] = {}
    for path in RULES:
        for program in programs(path):
            for name in program.names:
                known.setdefault(name.split()[0], set()).update(words(program))
    both = {
        name
        for name, found in known.items()
        if found & REACHING and found & (CHANGING | {"client"})
    }
    assert both - NOTHING - {row[0] for row in BOTH} == set()
    assert {row[0] for row in BOTH} - {*known} == set()


def test_what_changes_something_elsewhere_is_remote() -> None:
    assert [command for command in rows("changes.txt") if "remote" not in effects(command)] == []


def test_what_only_gets_is_not_remote() -> None:
    wrong = {"remote", "unknown"}
    assert [command for command in rows("gets.txt") if effects(command) & wrong] == []


_SENDS = (
    "push publish unpublish deploy upload apply comment release yank deprecate submit dispatch post"
    " send"
)
SENDS = frozenset(_SENDS.split())
"""Subcommands that change something elsewhere, in whatever program that reaches the network."""
_MAKES = (
    "create delete destroy update merge close reopen put patch approve promote rollback scale"
    " restart cancel trigger rerun revoke terminate"
)
MAKES = SENDS | {*_MAKES.split()}
"""The same in programs of services, whose objects are elsewhere."""
_SERVICES = (
    "aws azure ci clouds clusters data forges gcloud hashicorp infrastructure kubernetes platforms"
    " services"
)
SERVICES = frozenset(_SERVICES.split())


def changing(path: Path, program: Program) -> set[str]:
    """The names of an entry whose last word says that it changes something elsewhere."""
    if words(program) & (CHANGING | {"client"}):
        return set()
    verbs = MAKES if path.stem in SERVICES else SENDS
    return {name for name in program.names if " " in name and name.split()[-1] in verbs}


def test_every_subcommand_that_says_so_is_remote_or_reviewed() -> None:
    every = [(path, program) for path in RULES for program in programs(path)]
    reach = {n.split()[0] for _, p in every if words(p) & (REACHING | CHANGING) for n in p.names}
    found = {n for path, p in every for n in changing(path, p) if n.split()[0] in reach}
    reviewed = {name for row in rows("reviewed.txt") for name in row.split(" | ")[1].split(", ")}
    assert found - reviewed == set()
    assert reviewed - found == set()


CLIENT = """
program("p", "-h={localhost}|host -o=out -c=sql", "text? <sql", effect = "",
    forms = [form("", needs = "-c", operands = "text?")], style = "gnu client")
program("p sub", "--drop!destroy", "text*", effect = "")
program("q", "-c=remote-sql", "text? <remote-input", effect = "network")
"""
SERVED = [
    ("p -h h.example -c 'insert into a values (1)'", True),
    ("p -h h.example -c 'select 1'", False),
    ("p -h h.example -o a -c 'select 1'", False),
    ("p -h localhost -c 'insert into a values (1)'", False),
    ("p -c 'drop table a'", False),
    ("p -h h.example sub --drop", True),
    ("p sub --drop", False),
    ("p -h h.example", True),
    ("q -c 'insert into a values (1)'", True),
    ("q -c 'select 1'", False),
]


@pytest.mark.parametrize(("command", "remote"), SERVED)
def test_a_client_changes_what_the_named_host_holds(command: str, remote: bool) -> None:
    table, diagnostics = compile_programs(compile_text(CLIENT).programs)
    assert diagnostics == ()
    reading = read(tuple(shlex.split(command)), Catalogue(table))
    assert ("remote" in {cause.effect for cause in reading.effects}) is remote


@pytest.mark.parametrize("fed", [True, False])
def test_what_is_piped_into_a_connection_is_sent(fed: bool) -> None:
    table, _ = compile_programs(compile_text(CLIENT).programs)
    reading = read(("q",), Catalogue(table), StandardInput(fed=fed))
    assert ("remote" in {cause.effect for cause in reading.effects}) is fed


def test_what_another_machine_loses_is_not_lost_here() -> None:
    lost = [c.why for c in read(("git", "push", "--force-with-lease"), everything()[0]).effects]
    assert "`--force-with-lease` removes or replaces what another machine has" in lost
    here = [c.why for c in read(("git", "reset", "--hard"), everything()[0]).effects]
    assert "`--hard` removes what cannot be brought back" in here

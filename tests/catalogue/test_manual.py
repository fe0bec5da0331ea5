"""The examples of docs/program.md are entries that work."""

import re
import shlex
from pathlib import Path

import pytest

from execpolicy.catalogue import Catalogue, read
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.catalogue.kinds.names import EFFECTS_OF
from execpolicy.language.compile import compile_text
from tests.catalogue.build import strongest, without_settings

MANUAL = (Path(__file__).parents[2] / "docs" / "program.md").read_text()
BLOCKS = re.findall(r"```starlark\n(.*?)```", MANUAL, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_an_entry_of_the_manual_works(block: str) -> None:
    programs = compile_text(block).programs
    table, diagnostics = compile_programs(programs)
    assert diagnostics == ()
    found = [
        (effect, command, read(tuple(shlex.split(command)), Catalogue(table)))
        for program in programs
        for effect, commands in program.examples
        for command in commands
    ]
    assert len(found) > 1
    for effect, command, reading in found:
        assert effect in (strongest(reading), strongest(without_settings(reading))), command


@pytest.mark.parametrize("kind", sorted(EFFECTS_OF))
def test_the_manual_names_every_kind(kind: str) -> None:
    assert f"`{kind}`" in MANUAL

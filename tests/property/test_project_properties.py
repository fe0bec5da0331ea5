"""What a project adds only adds, whatever the program and its words are."""

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.catalogue import Catalogue, Reading, read
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.model.written.program import Program
from tests.catalogue.build import without_settings
from tests.catalogue.model import Grammar
from tests.catalogue.shipped import RULES, everything, programs
from tests.catalogue.strategies import argvs, grammars

LOADS = st.sampled_from(("before", "copy"))
SETTINGS = st.sampled_from(("a!network", "a!write b=x!execute", "a=x|y!network,write"))
NAMES = sorted({name for path in RULES for program in programs(path) for name in program.names})


def reading(program: Program, argv: tuple[str, ...]) -> Reading:
    return read((program.names[0], *argv), Catalogue(compile_programs([program])[0]))


@given(grammars, argvs, SETTINGS)
def test_without_the_files_nothing_is_added(
    grammar: Grammar, argv: tuple[str, ...], settings: str
) -> None:
    program = grammar.program()
    added = reading(program.replace(settings=settings), argv)
    assert without_settings(added) == reading(program, argv)


@given(grammars, argvs, LOADS)
def test_every_call_executes_that_loads_the_project_first(
    grammar: Grammar, argv: tuple[str, ...], loads: str
) -> None:
    program = grammar.program()
    plain, loading = reading(program, argv), reading(program.replace(loads=loads), argv)
    assert loading.effects[: len(plain.effects)] == plain.effects
    assert "execute" in {cause.effect for cause in loading.effects}


@given(st.sampled_from(NAMES), argvs)
def test_a_shipped_program_only_reads_for_certain_or_says_which_file_it_needs(
    name: str, argv: tuple[str, ...]
) -> None:
    found = read((*name.replace("{version}", "3").split(), *argv), everything()[0])
    assert all(cause.where == () or cause.is_inherent for cause in found.effects)
    assert found.effects[: len(without_settings(found).effects)] == without_settings(found).effects

"""The reader and the model agree on every grammar and every argv."""

from hypothesis import given

from execpolicy.catalogue import Catalogue, read
from execpolicy.catalogue.grammar.compile import compile_programs
from tests.catalogue import model
from tests.catalogue.strategies import argvs, grammars


def catalogue(grammar: model.Grammar) -> Catalogue:
    table, diagnostics = compile_programs([grammar.program()])
    assert diagnostics == ()
    return Catalogue(table)


@given(grammars, argvs)
def test_reader_and_model_agree(grammar: model.Grammar, words: tuple[str, ...]) -> None:
    reading = read(("prog", *words), catalogue(grammar))
    assert {c.effect for c in reading.effects} - {"read"} == model.effects(grammar, words)

"""Options are told from operands as getopt_long does it: by the program `getopt` of util-linux."""

import os
import shlex
import shutil
import subprocess

import pytest
from hypothesis import given

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.catalogue.reading.tokens import Tokens
from tests.catalogue import model
from tests.catalogue.strategies import argvs, grammars
from tests.examples import examples

pytestmark = pytest.mark.skipif(shutil.which("getopt") is None, reason="needs util-linux")

_MARKS = {0: "", 1: ":", -1: "::"}


def oracle(
    grammar: model.Grammar, words: tuple[str, ...]
) -> tuple[list[tuple[str, str]], list[str]] | None:
    """Options with their values, and operands; None where getopt finds a mistake."""
    names = [(name, _MARKS[o.count]) for o in grammar.options for name in o.names]
    short = "".join(n[1:] + mark for n, mark in names if n[1] != "-")
    long = ",".join(n[2:] + mark for n, mark in names if n[1] == "-")
    command = ["getopt", "-o", short, "--longoptions", long, "--", *words]
    environment = {**os.environ, **({"POSIXLY_CORRECT": "1"} if grammar.posix else {})}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        return None
    printed = shlex.split(done.stdout)
    options = []
    while printed and (name := printed.pop(0)) != "--":
        option = grammar.find(name)
        assert option is not None
        options.append((option.names[0], printed.pop(0) if option.count else ""))
    return options, printed


@examples(200)
@given(grammars, argvs)
def test_tokens_are_those_of_getopt(grammar: model.Grammar, words: tuple[str, ...]) -> None:
    options = tuple(o.replace(count=1) if o.count == 2 else o for o in grammar.options)
    grammar = model.Grammar(options, grammar.shapes, grammar.posix, abbreviations=True)
    entry = Catalogue(compile_programs([grammar.program()])[0]).entry("prog")
    assert entry is not None
    tokens = Tokens(entry, ("prog", *words), 1)
    expected = oracle(grammar, words)
    if tokens.problems:
        assert expected is None
        return
    found = [
        (grammar.options[each.option.identity].names[0], str(each.values[0]) if each.values else "")
        for each in tokens.options
    ]
    assert (found, tokens.operands) == expected

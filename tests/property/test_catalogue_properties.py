"""Properties of the catalogue, over random grammars and over every shipped example."""

import shlex
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from execpolicy.catalogue import Catalogue, Inner, Reading, read
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.model.operation import Dynamic, Word
from tests.catalogue import model
from tests.catalogue.shipped import RULES, everything, programs
from tests.catalogue.strategies import argvs, grammars
from tests.examples import sampled

EXAMPLES = {
    path: [
        tuple(shlex.split(command))
        for program in programs(path)
        for _, commands in program.examples
        for command in commands
    ]
    for path in RULES
}
FILES = pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)


def catalogue(grammar: model.Grammar) -> Catalogue:
    return Catalogue(compile_programs([grammar.program()])[0])


def strong(reading: Reading) -> set[str]:
    return {cause.effect for cause in reading.effects} - {"read"}


def lowers(dynamic: Reading, literal: Reading) -> bool:
    """Whether the first says less than the second, of its own or of a command inside."""
    effects = strong(dynamic)
    if "unknown" in effects:
        return False
    inner = effects & {"execute"} or all(
        any(covers(more, less) for more in dynamic.inner) for less in literal.inner
    )
    return not (inner and _said_of_code(literal, dynamic) <= effects)


def _said_of_code(literal: Reading, dynamic: Reading) -> set[str]:
    """The effects of a reading; of a text of which all is known no more than that it runs, where
    the other's may be any."""
    any_code = any(c.effect == "execute" and not c.known for c in dynamic.effects)
    known = any(cause.known for cause in literal.effects)
    return {"execute"} if known and any_code else strong(literal)


def covers(more: Inner, less: Inner) -> bool:
    """Whether the one command is the other with words that are not known."""
    if isinstance(more.script, Dynamic) or isinstance((more.argv or ("",))[0], Dynamic):
        return True
    if more.argv is None or less.argv is None:
        return more.script == less.script and more.argv == less.argv
    return more.argv == less.argv or any(isinstance(word, Dynamic) for word in more.argv)


def blurred(argv: tuple[str, ...]) -> list[tuple[Word, ...]]:
    """The argv with words replaced by dynamic ones that can come to be these words."""
    found: list[tuple[Word, ...]] = []
    for at in range(1, len(argv)):
        word = argv[at]
        for end in range(len(word)):
            dynamic = Dynamic(word, word[:end], single=True)
            found.append((*argv[:at], dynamic, *argv[at + 1 :]))
        found.append((*argv[:at], Dynamic("$none"), *argv[at:]))
        for to in range(at + 1, len(argv) + 1):
            found.append((*argv[:at], Dynamic("$some"), *argv[to:]))
    return found


@sampled(10)
@FILES
def test_a_dynamic_word_in_a_shipped_example_never_lowers(path: Path, step: int) -> None:
    entries = everything()[0]
    some = EXAMPLES[path][::step]
    known = [argv for argv in some if "unknown" not in strong(read(argv, entries))]
    found = [
        blur
        for argv in known
        for blur in blurred(argv)
        if lowers(read(blur, entries), read(argv, entries))
    ]
    assert found == []


@given(grammars, argvs)
def test_a_dynamic_word_never_lowers(grammar: model.Grammar, words: tuple[str, ...]) -> None:
    entries, argv = catalogue(grammar), ("prog", *words)
    literal = read(argv, entries)
    assume("unknown" not in strong(literal))
    assert [a for a in blurred(argv) if lowers(read(a, entries), literal)] == []


@given(grammars, argvs, st.data())
def test_an_unknown_option_never_lowers(
    grammar: model.Grammar, words: tuple[str, ...], data: st.DataObject
) -> None:
    entries = catalogue(grammar)
    at = data.draw(st.integers(0, len(words)))
    before, after = words[:at], words[at:]
    assume("--" not in before and not (grammar.posix and _has_operand(before)))
    assume(not (before and grammar.find(before[-1].partition("=")[0])))
    reading = read(("prog", *before, "--zzz", *after), entries)
    taken = before and before[-1].startswith("-")
    assert "unknown" in strong(reading) or taken


def _has_operand(words: tuple[str, ...]) -> bool:
    return any(not word.startswith("-") or word == "-" for word in words)


@given(grammars, argvs)
def test_abbreviating_never_lowers(grammar: model.Grammar, words: tuple[str, ...]) -> None:
    entries = catalogue(grammar)
    full = strong(read(("prog", *words), entries))
    for at, word in enumerate(words):
        if word.startswith("--") and len(word) > 3 and word not in ("--help", "--version"):
            short = strong(read(("prog", *words[:at], word[:-1], *words[at + 1 :]), entries))
            exact = grammar.find(word[:-1].partition("=")[0])
            assert full <= short or "unknown" in short or exact != grammar.find(word)


@given(grammars, st.lists(st.sampled_from("abcd"), min_size=1, max_size=4))
def test_bundling_never_changes(grammar: model.Grammar, letters: list[str]) -> None:
    flags = [c for c in letters if (o := grammar.find("-" + c)) is not None and o.count == 0]
    assume(flags)
    entries = catalogue(grammar)
    apart = read(("prog", *("-" + c for c in flags), "x"), entries)
    together = read(("prog", "-" + "".join(flags), "x"), entries)
    assert strong(apart) == strong(together)


@given(grammars, argvs, argvs)
def test_options_add_up(
    grammar: model.Grammar, some: tuple[str, ...], more: tuple[str, ...]
) -> None:
    """What two calls without operands do, their options together do."""
    plain = model.Shape("", (), (("text", "*"),))
    entries = catalogue(model.Grammar(grammar.options, (plain,)))
    assume("--" not in some)
    parts = [strong(read(("prog", *words), entries)) for words in (some, more, some + more)]
    assume("unknown" not in parts[0] | parts[1])
    assert parts[2] == parts[0] | parts[1]


def _without(path: tuple[str, ...]) -> Catalogue:
    """The catalogue as if the last subcommand of the path had never been described."""
    less = Catalogue(everything()[2])
    found = less.lookup(path[0])
    assert found is not None
    key = " ".join((found.path, *path[1:-1]))
    entry = less.entry(key)
    assert entry is not None
    less._loaded[key] = entry.replace(children=entry.children - {path[-1]})
    return less


@FILES
def test_removing_an_entry_never_lowers(path: Path) -> None:
    """What is allowed without an entry is allowed with it."""
    found = []
    for argv in EXAMPLES[path]:
        reading = read(argv, everything()[0])
        if len(reading.path) > 1 and strong(reading):
            less = read(argv, _without(reading.path))
            found += [argv] * (not strong(less) and not less.inner)  # that is judged by itself
    assert found == []

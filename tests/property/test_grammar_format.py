"""Formatting has one result, and changes neither what a file means nor what its comments say."""

from collections import Counter
from collections.abc import Iterator

from hypothesis import given

from execpolicy.language.format.format import format_text
from execpolicy.language.syntax import strings
from execpolicy.language.syntax.syntax import parse
from execpolicy.language.syntax.tree import Leaf, Module, Node, Tree
from tests.examples import examples
from tests.property.test_grammar_calls import made
from tests.strategies_language import programs, spread_calls

_SPLICED = ("line", "suite")
_COUNTED = ("targets", "type_tuple")


def shape(tree: Tree) -> object:
    """What a part means: without layout, optional commas, brackets, and spellings of literals."""
    if isinstance(tree, Leaf):
        if tree.type == "STRING":
            return ("text", strings.value(tree.text))
        return tree.text.lower() if tree.type in ("INT", "FLOAT") else tree.text
    if tree.kind == "parenthesis":
        return shape(tree.children[1])
    single = tree.kind in _COUNTED and sum(_is(c, ",") for c in tree.children)
    return (tree.kind, bool(single), [shape(child) for child in _children(tree)])


def _children(node: Node) -> Iterator[Tree]:
    for child in node.children:
        if isinstance(child, Node) and child.kind in _SPLICED:
            yield from _children(child)
        elif not (isinstance(child, Leaf) and child.text in ("", ",", ";")):
            yield child


def _is(tree: Tree, text: str) -> bool:
    return isinstance(tree, Leaf) and tree.text == text


def remarks(module: Module) -> Counter[str]:
    return Counter(comment.text.rstrip() for comment in module.comments())


@given(programs())
@examples(200)
def test_formatting_twice_is_formatting_once(text: str) -> None:
    once = format_text(text)
    assert format_text(once) == once


@given(programs())
@examples(200)
def test_formatting_keeps_the_meaning(text: str) -> None:
    assert shape(parse(format_text(text)).root) == shape(parse(text.replace("\r\n", "\n")).root)


@given(programs())
@examples(200)
def test_formatting_loses_no_comment(text: str) -> None:
    assert remarks(parse(format_text(text))) == remarks(parse(text))


@given(programs())
@examples(100)
def test_formatted_text_is_tidy(text: str) -> None:
    formatted = format_text(text)
    module = parse(formatted)
    strings = {
        line
        for leaf in module.leaves
        if "\n" in leaf.text or leaf.type.startswith("FSTRING")
        for line in range(leaf.line, leaf.end_line + 1)
    }
    assert formatted == "" or (formatted.endswith("\n") and not formatted.endswith("\n\n"))
    assert not formatted.startswith("\n")
    for number, line in enumerate(formatted.split("\n"), 1):
        if number not in strings:
            assert line == line.rstrip()
            assert "\t" not in line.split("#")[0].split('"')[0].split("'")[0]


@given(spread_calls(comments=False))
@examples(150)
def test_the_format_does_not_depend_on_blanks_and_line_ends(texts: tuple[str, str]) -> None:
    plain, spread = texts
    assert format_text(spread) == format_text(plain)


@given(spread_calls(comments=True))
@examples(150)
def test_formatting_keeps_the_calls(texts: tuple[str, str]) -> None:
    plain, spread = texts
    formatted = format_text(spread)
    assert made(formatted) == made(spread) == made(plain)
    assert remarks(parse(formatted)) == remarks(parse(spread))
    assert format_text(formatted) == formatted

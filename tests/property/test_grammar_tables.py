"""By its tables a text is read as lark reads it, or not at all where lark does not."""

from hypothesis import given

from execpolicy.language.syntax.layout import LayoutError
from execpolicy.language.syntax.parser import UnexpectedInput, parser
from execpolicy.language.syntax.tables import driver
from execpolicy.language.syntax.tree import Leaf, Node, Tree
from tests.examples import examples
from tests.strategies_language import damaged, programs

Read = list[tuple[object, ...]] | str | None


def by_lark(text: str) -> Read:
    try:
        tree: object = parser().parse(text)
    except UnexpectedInput:
        return None
    except LayoutError as error:
        return repr((error.code, error.message, error.start, error.end, error.hint))
    assert isinstance(tree, Node)
    return flat(tree)


def by_tables(text: str) -> Read:
    try:
        tree = driver().parse(text)
    except LayoutError as error:
        return repr((error.code, error.message, error.start, error.end, error.hint))
    return None if tree is None else flat(tree)


def flat(root: Tree) -> list[tuple[object, ...]]:
    """All that is in a tree, its places too."""
    found: list[tuple[object, ...]] = []
    stack = [root]
    while stack:
        top = stack.pop()
        if isinstance(top, Leaf):
            places = top.start_pos, top.end_pos, top.line, top.column, top.end_line, top.end_column
            found.append((top.type, top.text, *places))
        else:
            found.append((top.kind, len(top.children)))
            stack.extend(reversed(top.children))
    return found


@given(programs())
@examples(300)
def test_what_the_grammar_makes_is_read_alike(text: str) -> None:
    assert by_tables("\n" + text) == by_lark("\n" + text) is not None


@given(damaged())
@examples(500)
def test_what_is_damaged_is_read_alike_or_by_neither(text: str) -> None:
    assert by_tables("\n" + text) == by_lark("\n" + text)

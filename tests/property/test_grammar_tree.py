"""The tree loses nothing: text, comments and places."""

from hypothesis import given

from execpolicy.language.syntax.syntax import parse
from execpolicy.language.syntax.tree import Leaf, leaves, nodes
from tests.examples import examples
from tests.strategies_language import programs


@given(programs())
@examples(150)
def test_the_text_is_rebuilt_from_the_tree(text: str) -> None:
    assert parse(text).rebuild() == text


@given(programs())
@examples(150)
def test_between_tokens_are_only_blanks_comments_and_line_ends(text: str) -> None:
    module = parse(text)
    for gap in (*(leaf.before for leaf in module.leaves), module.tail):
        for line in gap.split("\n"):
            assert line.split("#")[0].strip(" \t\r") in ("", "\\")


@given(programs())
@examples(150)
def test_every_token_and_comment_stands_where_it_says(text: str) -> None:
    module = parse(text)
    lines = text.split("\n")
    for leaf in module.leaves:
        before = text[: leaf.start_pos]
        assert text[leaf.start_pos : leaf.end_pos] == leaf.text
        assert leaf.line == before.count("\n") + 1
        assert leaf.column == leaf.start_pos - before.rfind("\n")
    for comment in module.comments():
        assert lines[comment.line - 1][comment.column - 1 :].rstrip("\r") == comment.text
        assert comment.trailing == bool(lines[comment.line - 1][: comment.column - 1].strip(" \t"))


@given(programs())
@examples(150)
def test_every_comment_is_kept(text: str) -> None:
    # The programs' comments all end in one of these words, and no string has them.
    words = ("# line", "# end", "# in", "# deep")
    written = sum(text.count(word) for word in words)
    assert sum(comment.text in words for comment in parse(text).comments()) == written


@given(programs())
@examples(100)
def test_a_part_spans_all_that_is_in_it(text: str) -> None:
    module = parse(text)
    for node in nodes(module.root):
        inside = [leaf for leaf in leaves(node) if leaf.text]
        if inside:
            source = module.source(node)
            assert source.strip() == text[inside[0].start_pos : inside[-1].end_pos].strip()
            direct = [c for c in node.children if isinstance(c, Leaf) and c.text]
            assert all(leaf in inside for leaf in direct)

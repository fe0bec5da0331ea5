"""Reserved words (bash manual, section 3.2.1), and the list of commands that ends at one."""

from execpolicy.shell.chars import BREAK, RESERVED, RESERVED_START
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import Branch


def keyword(p: Parser) -> str:
    """The reserved word that stands here, or an empty string; nothing is stepped over."""
    text, i = p.text, p.pos
    if text[i] not in RESERVED_START:
        return ""
    j = i + 1
    while text[j] not in BREAK and j - i < 9:
        j += 1
    word = text[i:j]
    if text[j] in "<>" and text[j + 1] == "(":
        return ""
    return word if text[j] in BREAK and word in RESERVED else ""


def reserved(p: Parser, word: str) -> None:
    """Step over a reserved word, which has to stand here."""
    p.blank()
    if keyword(p) != word:
        raise UnreadableError(f"`{word}` expected")
    p.pos += len(word)


def list_until(p: Parser, into: Branch, word: str) -> None:
    """`compound_list word`"""
    list_into(p, into)
    reserved(p, word)


def list_into(p: Parser, into: Branch) -> None:
    """`compound_list`, as the commands of this node."""
    outer, p.inside = p.inside, into.inside
    p.grammar.compound_list(p)
    p.inside = outer

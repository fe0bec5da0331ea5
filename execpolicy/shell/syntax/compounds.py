"""Compound commands and functions (bash manual, sections 3.2.5 and 3.3)."""

from execpolicy.shell.chars import COMPOUND, is_name
from execpolicy.shell.syntax.conditional import conditional
from execpolicy.shell.syntax.keywords import keyword, list_into, list_until, reserved
from execpolicy.shell.syntax.loops import for_loop
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.redirections import newlines, redirection
from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import (
    Case,
    Clause,
    CompoundRedirects,
    Definition,
    Group,
    If,
    IfBranch,
    List,
    Redirect,
    Subshell,
    Test,
    While,
    Word,
)
from execpolicy.shell.syntax.words import expression
from execpolicy.shell.syntax.words.word import argument


def parenthesis(p: Parser) -> None:
    """`(( expression ))` or `( compound_list )`, and redirections."""
    start = p.pos
    mark = _enter(p)
    p.pos += 1
    p.whole_operator()
    if p.text[p.pos] == "(":
        _arithmetic(p, start)
    else:
        _subshell(p)
    _leave(p, mark)


def compound(p: Parser, word: str) -> None:
    """A compound command that begins with the reserved word `word`, and redirections."""
    start = p.pos
    mark = _enter(p)
    p.pos += len(word)
    if word == "[[":
        _test(p)
    elif word == "{":
        group = Group()
        p.inside.append(group)
        list_until(p, group, "}")
    elif word == "if":
        _if(p)
    elif word == "case":
        _case(p)
    elif word in ("while", "until"):
        loop = While(word)
        p.inside.append(loop)
        list_until(p, loop.condition, "do")
        list_until(p, loop.body, "done")
    else:
        for_loop(p, start, word)
    _leave(p, mark)


def _enter(p: Parser) -> int:
    p.disturb()
    p.heredoc_reprint_bug = p.heredoc_reprint_bug or p.heredoc_seen
    p.inner += p.inner >= 0
    p.script.descend()
    p.script.compound = True
    p.script.count_command()
    return len(p.inside)


def _leave(p: Parser, mark: int) -> None:
    """`[descriptor] redirection…` after a compound command."""
    node: CompoundRedirects | None = None
    found: list[Redirect] = []
    outer = p.inside
    while True:
        p.blank()
        descriptor = _descriptor(p)
        if descriptor is None:
            break
        if node is None:
            node = CompoundRedirects(outer[mark:])
            outer[mark:] = [node]
            p.inside = node.inside
        start = p.pos
        p.pos += len(descriptor)
        found.append(redirection(p, start, descriptor))
    p.inner -= p.inner > 0
    if node is not None:
        node.start, node.end = found[0].start, p.at(p.pos)
        node.redirects = found
        p.inside = outer
    p.script.depth -= 1


def _descriptor(p: Parser) -> str | None:
    """What stands before the operator of a redirection, None where no redirection follows."""
    text, i = p.text, p.pos
    while text[i].isdigit():
        i += 1
    if text[p.pos] == "{":
        i = max(i, text.find("}", p.pos) + 1)
    redirected = text[i] in "<>" and text[i + 1] != "("
    if not redirected and not (text.startswith("&>", i) and i == p.pos):
        return None
    descriptor = text[p.pos : i]
    if descriptor[:1] == "{" and not is_name(descriptor[1:-1]):
        return None
    return descriptor


def _arithmetic(p: Parser, start: int) -> None:
    """`( expression ))`, after the first parenthesis."""
    if p.script.posix:
        raise UnreadableError("`((` is not read by every `sh`")
    p.pos += 1
    outer, test = p.inside, Test()
    outer.append(test)
    p.inside = test.inside
    expression.checked(p, "))", start, "arithmetic")
    p.inside = outer


def _test(p: Parser) -> None:
    """`conditional`, as the node of a test."""
    outer, test = p.inside, Test()
    outer.append(test)
    p.inside = test.inside
    conditional(p)
    p.inside = outer


def _subshell(p: Parser) -> None:
    """`compound_list )`"""
    subshell = Subshell()
    p.inside.append(subshell)
    list_into(p, subshell)
    p.blank()
    p.expect(")")


def _if(p: Parser) -> None:
    """`list then list ( elif list then list )… [else list] fi`, after the `if`."""
    node = If()
    p.inside.append(node)
    word = "elif"
    while word == "elif":
        branch = IfBranch()
        node.branches.append(branch)
        list_until(p, branch.condition, "then")
        list_into(p, branch.body)
        p.blank()
        word = keyword(p)
        reserved(p, word if word in ("elif", "else") else "fi")
    if word == "else":
        node.otherwise = List()
        list_until(p, node.otherwise, "fi")


def _case(p: Parser) -> None:
    """`word in clause… esac`, after the `case`."""
    node = Case()
    outer = p.inside
    outer.append(node)
    p.inside = node.inside
    p.blank()
    word = argument(p)
    newlines(p)
    if keyword(p) != "in":
        raise UnreadableError("`in` expected")
    p.pos += 2
    p.inside = node.clauses
    newlines(p)
    while keyword(p) != "esac":
        if not _clause(p, word):
            break
        newlines(p)
    if keyword(p) != "esac":
        raise UnreadableError("`esac` expected")
    p.pos += 4
    p.inside = outer


def _clause(p: Parser, word: Word) -> bool:
    """`[(] word ( | word )… ) [compound_list] [;; | ;& | ;;&]`; False if none can follow it."""
    clause = Clause()
    outer = p.inside
    outer.append(clause)
    p.inside = clause.inside
    if p.text[p.pos] == "(":
        p.pos += 1
        p.blank()
    patterns = [argument(p)]
    p.blank()
    while p.text[p.pos] == "|":
        p.pos += 1
        p.blank()
        patterns.append(argument(p))
        p.blank()
    for pattern in patterns:
        if (word.names or pattern.names) and pattern.text != "" and not _takes_all(pattern):
            p.script.discloses = True
    p.expect(")")
    newlines(p)
    if not p.text.startswith((";;", ";&"), p.pos) and keyword(p) != "esac":
        list_into(p, clause.body)
    p.inside = outer
    return _clause_end(p)


def _takes_all(pattern: Word) -> bool:
    """Whether this is a `*`."""
    return len(pattern.parts) == 1 and pattern.parts[0].is_sign("*")


def _clause_end(p: Parser) -> bool:
    newlines(p)
    for end in (";;&", ";;", ";&"):
        if p.text.startswith(end, p.pos):
            if p.script.posix and end != ";;":
                raise UnreadableError(f"`{end}` is not read by every `sh`")
            p.pos += len(end)
            p.whole_operator()
            return True
    return False


def function(p: Parser) -> None:
    """`function name [( )] body`"""
    if p.script.posix:
        raise UnreadableError("`function` is not read by every `sh`")
    p.pos += len("function")
    p.blank()
    word = argument(p)
    if word.text is None or word.parts:
        raise UnreadableError("a function whose name is not plain")
    p.blank()
    if p.text[p.pos] == "(":
        p.pos += 1
        p.blank()
        p.expect(")")
    definition(p, word.start, word.text)


def definition(p: Parser, start: int, name: str) -> None:
    """The body of a function whose name and parentheses were read: a compound command."""
    node = Definition(start, start, name)
    outer = p.inside
    outer.append(node)
    p.inside = node.inside
    newlines(p)
    p.inside = node.body
    if not compound_here(p):
        raise UnreadableError("the body of a function expected")
    p.inside = outer
    node.end = p.at(p.pos)


def compound_here(p: Parser) -> bool:
    """A compound command, if that is what stands here."""
    word = keyword(p)
    if p.text[p.pos] == "(":
        parenthesis(p)
    elif word in COMPOUND:
        compound(p, word)
    else:
        return False
    return True

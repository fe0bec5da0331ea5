"""Lists and pipelines (bash manual, sections 3.2.3 and 3.2.4)."""

from execpolicy.shell.chars import BREAK, CLOSERS
from execpolicy.shell.syntax.commands import command
from execpolicy.shell.syntax.keywords import keyword
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.redirections import newlines
from execpolicy.shell.syntax.state import MAX_DEPTH, BoundError, UnreadableError
from execpolicy.shell.syntax.tree import (
    AMPERSAND,
    AND,
    NOT,
    OR,
    PIPE,
    PIPE_ALL,
    SEMICOLON,
    AndOr,
    Beside,
    Pipeline,
    Sign,
)


def program(p: Parser) -> None:
    """`line ( newline line )…`: everything up to the end of the text."""
    last = p.last
    newlines(p)
    while p.pos < last:
        if p.script.depth == 0:
            p.script.unit = p.at(p.pos)
        _line(p)
        newlines(p)
    if p.pending:
        raise UnreadableError("a heredoc without its body")


def _line(p: Parser) -> None:
    """`and_or ( separator and_or )…`: what bash reads before it runs any of it."""
    while True:
        _and_or(p)
        c = _separator(p)
        if not c or c == "\n":
            break
        p.blank()
        if p.text[p.pos] == "\n" or p.pos == p.last:
            break
    if not c and p.pos < p.last:
        raise UnreadableError(f"`{p.text[p.pos]}` where a command ends")


def compound_list(p: Parser) -> None:
    """`and_or ( separator and_or )… [separator]`, up to what closes the list."""
    newlines(p)
    while True:
        _and_or(p)
        if not _separator(p):
            return
        newlines(p)
        if _closed(p):
            return


def enclosed_list(p: Parser) -> None:
    """`[compound_list] )`"""
    newlines(p)
    if p.text[p.pos] != ")":
        compound_list(p)
    p.blank()
    p.expect(")")


def _closed(p: Parser) -> bool:
    c = p.text[p.pos]
    if c == ")" or p.pos == p.last or p.text.startswith(";;", p.pos):
        return True
    if p.text.startswith(";&", p.pos):
        return True
    return keyword(p) in CLOSERS


def _separator(p: Parser) -> str:
    """`;` or `&`; a newline stays. Gives what stands there, empty where the list ends."""
    p.blank()
    text, i = p.text, p.pos
    c = text[i]
    if c == ";":
        if text[i + 1] in ";&":
            return ""
        p.pos = i + 1
        p.whole_operator()
        p.disturb()
        p.inside.append(SEMICOLON)
        return ";"
    if c == "&":
        p.pos = i + 1
        p.whole_operator()
        p.disturb()
        p.inside.append(AMPERSAND)
        return "&"
    return c if c == "\n" else ""


def _and_or(p: Parser) -> None:
    """`pipeline ( && pipeline | || pipeline )…`"""
    outer = p.inside
    mark = len(outer)
    _pipeline(p)
    while sign := _and_or_sign(p):
        if p.inside is outer:
            node = AndOr(outer[mark:])
            outer[mark:] = [node]
            p.inside = node.inside
        p.inside.append(AND if sign == "&&" else OR)
        newlines(p)
        _pipeline(p)
    p.inside = outer
    if p.text[p.pos] == "&":
        p.script.detaches = True
        outer[mark:] = [Beside(outer[mark:])]


def _and_or_sign(p: Parser) -> str:
    """Step over `&&` or `||`; gives which, or nothing."""
    p.blank()
    i = p.pos
    c = p.text[i]
    if c != "&" and c != "|":
        return ""
    p.pos = i + 1
    p.whole_operator()
    p.pos = i
    if p.text[i + 1] != c:
        return ""
    p.pos = i + 2
    p.disturb()
    return c + c


def _pipeline(p: Parser) -> None:
    """`prefixes command ( | command )…`"""
    outer = p.inside
    mark = len(outer)
    timed = _prefixes(p)
    p.script.timed += timed
    command(p)
    node: Pipeline | None = None
    while sign := _pipe_sign(p):
        if node is None:
            node = Pipeline(outer[mark:])
            outer[mark:] = [node]
            p.inside = node.inside
        p.inside.append(sign)
        newlines(p)
        command(p)
        node.whole += 1
    p.inside = outer
    if timed:
        p.script.timed -= 1
        outer[mark:] = [Beside(outer[mark:])]


def _pipe_sign(p: Parser) -> Sign | None:
    """Step over `|` or `|&`; None where neither stands."""
    p.blank()
    i = p.pos
    if p.text[i] != "|" or p.text[i + 1] == "|":
        return None
    p.pos = i + 1
    p.whole_operator()
    if p.text[p.pos] == "&":
        if p.script.posix:
            raise UnreadableError("`|&` is not read by every `sh`")
        p.pos += 1
        return PIPE_ALL
    return PIPE if p.text[p.pos] != "|" else None


def _prefixes(p: Parser) -> bool:
    """`( ! | time [-p] [--] )…`; True for `time`, which zsh runs beside the shell."""
    timed = False
    begun = p.script.words
    while p.text[p.pos] in "!t":
        word = keyword(p)
        if word == "!":
            _negation(p, begun)
        elif word == "time":
            _time(p, timed)
            timed = True
        else:
            break
        p.blank()
        if word == "time" and p.inner >= 0 and (p.text[p.pos] == "(" or keyword(p)):
            raise UnreadableError("`time` before a compound command in a substitution")
        if p.text[p.pos] in ";\n" or p.pos == p.last:
            raise UnreadableError(f"`{word}` without a command")
    return timed


def _negation(p: Parser, begun: int) -> None:
    """`!`"""
    p.pos += 1
    p.inside.append(NOT)
    p.script.words += 1
    if p.script.words - begun > MAX_DEPTH:
        raise BoundError(f"more than {MAX_DEPTH} negations")
    if p.text[p.pos] == "(" and p.script.says("extglob"):
        raise UnreadableError("a pattern or a subshell")


def _time(p: Parser, timed: bool) -> None:
    """`time [-p] [--]`; `timed` says that one stands before it."""
    p.pos += 4
    if p.script.zsh and (timed or p.script.timed):
        p.unsupported(p.pos - 4, "zsh takes a second `time` for a command")
    if p.script.posix:
        raise UnreadableError("`time` is a command of some shells")
    for option in ("-p", "--"):
        p.blank()
        if p.text.startswith(option, p.pos) and p.text[p.pos + 2] in BREAK:
            p.pos += 2
            if p.script.zsh:
                p.unsupported(p.pos - 2, "zsh knows no options of `time`")

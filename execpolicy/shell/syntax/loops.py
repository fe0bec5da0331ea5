"""`for` and `select` (bash manual, sections 3.2.5.1 and 3.2.5.2)."""

from execpolicy.shell.chars import BREAK, is_name
from execpolicy.shell.syntax.keywords import keyword, list_until, reserved
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.redirections import newlines
from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import SEMICOLON, For, LoopVariable, Word, WordPart
from execpolicy.shell.syntax.words import expression
from execpolicy.shell.syntax.words.word import argument


def for_loop(p: Parser, start: int, word: str) -> None:
    """`for name [in word…] separator loop_body`, or `select`; the first word was read."""
    loop = For()
    outer = p.inside
    outer.append(loop)
    p.inside = loop.inside
    p.blank()
    if word == "for" and p.text.startswith("((", p.pos):
        _arithmetic(p, start, loop)
    else:
        _named(p, start, word, loop)
    p.inside = outer


def _named(p: Parser, start: int, word: str, loop: For) -> None:
    """`name [in word…] separator loop_body`"""
    if word == "select" and p.script.posix:
        raise UnreadableError("`select` is not read by every `sh`")
    name = argument(p)
    if name.text is None or name.parts or not is_name(name.text):
        raise UnreadableError("the name of a loop's variable is expected")
    loop.words = _words(p)
    variable = LoopVariable(p.at(start), p.at(p.pos), name.text)
    variable.words = loop.words if word == "for" else None
    p.inside.append(variable)
    _body(p, loop)
    variable.until = p.at(p.pos)


def _words(p: Parser) -> list[Word] | None:
    """`in word… separator`, or an optional `;`, which gives None: the positional parameters."""
    newlines(p)
    if keyword(p) != "in":
        p.blank()
        if p.text[p.pos] == ";" and p.text[p.pos + 1] not in ";&":
            p.pos += 1
            p.inside.append(SEMICOLON)
            newlines(p)
        return None
    p.pos += 2
    words: list[Word] = []
    while True:
        p.blank()
        c = p.text[p.pos]
        if c in BREAK and not (c in "<>" and p.text[p.pos + 1] == "("):
            break
        words.append(argument(p))
    p.script.count_words(len(words))
    _separator(p)
    return words


def _separator(p: Parser) -> None:
    """A `;` or a newline, then newlines."""
    p.blank()
    if p.text[p.pos] == ";" and p.text[p.pos + 1] not in ";&":
        p.pos += 1
    elif p.text[p.pos] != "\n":
        raise UnreadableError("`;` or a newline expected")
    newlines(p)


def _body(p: Parser, loop: For) -> None:
    """`do list done`, or the braces that bash takes for them."""
    newlines(p)
    if keyword(p) == "{":
        loop.braces = True
        reserved(p, "{")
        list_until(p, loop.body, "}")
    else:
        reserved(p, "do")
        list_until(p, loop.body, "done")


def _arithmetic(p: Parser, start: int, loop: For) -> None:
    """`(( expression ; expression ; expression )) [separator] loop_body`"""
    if p.script.posix:
        raise UnreadableError("a `for` with arithmetic is not read by every `sh`")
    loop.arithmetic = True
    p.pos += 2
    found = expression.expression(p, "))")
    p.pos += 2
    expressions: list[list[WordPart]] = [[]]
    for part in found:
        if part.is_sign(";"):
            expressions.append([])
        else:
            expressions[-1].append(part)
    if len(expressions) != 3:
        raise UnreadableError("a `for ((` without its three parts")
    for parts in expressions:
        expression.check(p, parts, start, "arithmetic")
    p.blank()
    if p.text[p.pos] in ";\n":
        _separator(p)
    _body(p, loop)

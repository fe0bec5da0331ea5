"""Words and assignments: where a word ends, single quotes, escapes (bash manual, 3.1.2, 3.4)."""

from execpolicy.shell.chars import BREAK, PLAIN, SPECIAL, is_name
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.state import ContinuationError, UnreadableError
from execpolicy.shell.syntax.tree import LITERAL, QUOTED, SPLIT, AssignmentWord, Word, WordPart
from execpolicy.shell.syntax.words import expression, quotes, substitution, zsh


def word(p: Parser, assignable: bool = False) -> Word | AssignmentWord:
    """`part…`, or an assignment if `assignable`."""
    text, start = p.text, p.pos
    i = start
    while text[i] in PLAIN:
        i += 1
    c = text[i]
    if c in BREAK and (i > start) and not (c in "<>" and text[i + 1] == "("):
        p.pos = i
        plain = p.offsets is None
        return Word(start if plain else p.at(start), i if plain else p.at(i), text[start:i], [])
    if assignable and i > start and (c == "=" or c == "["):
        name = text[start:i]
        partly = name[-1] == "+" and c == "="
        if partly and p.script.posix:
            raise UnreadableError("`+=` is not read by every `sh`")
        if is_name(name[:-1] if partly else name):
            return _assignment(p, start, i, name, partly)
    parts = [WordPart(LITERAL, text[start:i])] if i > start else []
    return _rest(p, start, i, parts)


def argument(p: Parser) -> Word:
    """The word here, which is not an assignment and has to exist."""
    c = p.text[p.pos]
    if c in BREAK and not (c in "<>" and p.text[p.pos + 1] == "("):
        raise UnreadableError("word expected")
    found = word(p)
    if isinstance(found, AssignmentWord):
        raise UnreadableError("word expected")
    p.script.beside.append(found)
    return found


def part(p: Parser, parts: list[WordPart]) -> bool:
    """Read the next part of a word; False where the word ends."""
    text, i = p.text, p.pos
    c = text[i]
    if c in PLAIN:
        j = i + 1
        while text[j] in PLAIN:
            j += 1
        parts.append(WordPart(LITERAL, text[i:j]))
        p.pos = j
    elif c in BREAK:
        if c in "<>" and text[i + 1] == "(":
            substitution.process(p, parts, f"{c}(…)")
            return True
        return False
    else:
        _quote(p, parts, c)
    return True


def _rest(p: Parser, start: int, i: int, parts: list[WordPart]) -> Word:
    """The word that begins at `start`, of which these parts reach to `i`."""
    p.pos = i
    names = p.script.names
    mark = len(names) if names else 0
    while part(p, parts):
        pass
    zsh.word(p, start, parts)
    text = None
    for each in parts:
        if each.kind > QUOTED or (each.kind == LITERAL and each.text in SPECIAL):
            break
    else:
        text = "".join([each.text for each in parts])
    if text is None and len(parts) == 1 and parts[0].is_sign("["):
        text = "["
    found = Word(p.at(start), p.at(p.pos), text, parts)
    if text is None:
        found.names = tuple(names[mark:])
        found.raw = p.source(start)
    return found


def _quote(p: Parser, parts: list[WordPart], c: str) -> None:
    """Read what a quote, a `$` or any other character begins."""
    text, i = p.text, p.pos
    if c == "'":
        j = text.find("'", i + 1)
        if j < 0:
            raise UnreadableError("unterminated `'`")
        p.whole(i, j)
        parts.append(WordPart(QUOTED, text[i + 1 : j]))
        p.pos = j + 1
    elif c == '"':
        p.pos = i + 1
        quotes.double_quoted(p, parts)
    elif c == "\\":
        _escape(p, parts)
    elif c == "$":
        quotes.dollar(p, parts, quoted=False)
    elif c == "`":
        substitution.backquote(p, quoted=False)
        parts.append(WordPart(SPLIT))
    else:
        parts.append(WordPart(LITERAL, c))
        p.pos = i + 1
        if "\uff01" <= c <= "\uff65" and not c.isalnum():
            p.unsupported(i, "a full-width sign that looks like one of the shell's own")


def _escape(p: Parser, parts: list[WordPart]) -> None:
    """A backslash and the character that it quotes."""
    following = p.text[p.pos + 1]
    if following == "\n":
        raise ContinuationError(p.pos)
    if p.pos + 1 == p.last:
        _last_backslash(p, parts)
        return
    parts.append(WordPart(QUOTED, following))
    p.pos += 2


def _last_backslash(p: Parser, parts: list[WordPart]) -> None:
    """bash takes a backslash at the very end for itself, mostly."""
    if p.script.shell != "bash" or p.offsets is not None or "\n" in p.text:
        raise UnreadableError("backslash at the end")
    parts.append(WordPart(QUOTED, "\\"))
    p.pos += 1


def _assignment(p: Parser, start: int, i: int, name: str, partly: bool) -> AssignmentWord:
    """`name [ "[" subscript ] [+] = [word | array]`, of which the name reaches to `i`."""
    p.pos = i
    if p.text[i] == "[":
        _subscript(p)
        partly = True
    name = name[:-1] if name[-1] == "+" else name
    p.pos += 1
    p.whole_operator()
    value, elements = None, None
    if p.text[p.pos] == "(":
        elements = _array(p)
        if p.text[p.pos] not in BREAK:
            raise UnreadableError("more after an array")
    else:
        value = _rest(p, p.pos, p.pos, [])
        p.script.beside.append(value)
    found = AssignmentWord(p.at(start), p.at(p.pos), name, value, partly, elements)
    found.raw = p.source(start)
    return found


def _subscript(p: Parser) -> None:
    """`"[" subscript ] [+]`, before the `=` of an assignment."""
    if p.script.posix:
        raise UnreadableError("arrays are not read by every `sh`")
    p.pos += 1
    expression.subscript(p)
    p.continued()
    if p.text[p.pos] == "+":
        p.pos += 1
    if p.text[p.pos] != "=":
        raise UnreadableError("a subscript where a command is expected")


def _array(p: Parser) -> list[Word]:
    """`( element… )`"""
    if p.script.posix:
        raise UnreadableError("arrays are not read by every `sh`")
    p.pos += 1
    elements = []
    while True:
        p.blank()
        c = p.text[p.pos]
        if c == "\n":
            p.inner_newline()
        elif c == ")":
            break
        else:
            elements.append(_keyed(p) if c == "[" else argument(p))
    p.pos += 1
    p.script.count_words(len(elements))
    return elements


def _keyed(p: Parser) -> Word:
    """`"[" subscript [+] = word`; the key is arithmetic unless the array has names."""
    p.pos += 1
    expression.subscript(p)
    if p.text[p.pos] == "+":
        p.pos += 1
    p.expect("=")
    found = _rest(p, p.pos, p.pos, [])
    p.script.beside.append(found)
    return found

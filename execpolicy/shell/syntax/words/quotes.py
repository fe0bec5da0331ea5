"""Double quotes and what a `$` begins (bash manual, sections 3.1.2.3 to 3.1.2.5 and 3.5)."""

from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.chars import IN_DOUBLE, IN_HEREDOC, NAME, NAME_START
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.state import ContinuationError, UnreadableError
from execpolicy.shell.syntax.tree import (
    DIGITS,
    ELEMENTS,
    LAST_PROCESS,
    LITERAL,
    NUMBER,
    QUOTED,
    QUOTED_VARIABLE,
    SPLIT,
    VALUE,
    VARIABLE,
    WordPart,
)
from execpolicy.shell.syntax.words import ansi, expression, parameter, substitution, zsh


def double_quoted(p: Parser, parts: list[WordPart]) -> None:
    """`text… "`, whose first quote was read."""
    text, i, start = p.text, p.pos, len(parts)
    p.script.descend()
    while True:
        j = i
        while text[j] not in IN_DOUBLE:
            j += 1
        if j > i:
            parts.append(WordPart(QUOTED, text[i:j]))
        c = text[j]
        if c == '"':
            break
        p.pos = j
        quoted_part(p, parts, c)
        i = p.pos
    p.pos = j + 1
    p.script.depth -= 1
    if len(parts) == start:
        parts.append(WordPart(QUOTED))


def heredoc_parts(p: Parser) -> list[WordPart]:
    """The whole text, which is the body of a heredoc with expansions."""
    parts: list[WordPart] = []
    text = p.text
    p.heredoc = True
    while True:
        i = j = p.pos
        while text[j] not in IN_HEREDOC:
            j += 1
        if j > i:
            parts.append(WordPart(QUOTED, text[i:j]))
        p.pos = j
        if j == p.last:
            return parts
        quoted_part(p, parts, text[j])


def quoted_part(p: Parser, parts: list[WordPart], c: str) -> None:
    """A `$`, a backquote or a backslash between double quotes or in a heredoc."""
    if c == "$":
        dollar(p, parts, quoted=True)
    elif c == "`":
        substitution.backquote(p, quoted=True)
        parts.append(WordPart(VALUE))
    elif c == "\\":
        _escape(p, parts)
    else:
        raise UnreadableError('unterminated `"`')


def _escape(p: Parser, parts: list[WordPart]) -> None:
    """A backslash between double quotes: it quotes only what else would be special there."""
    following = p.text[p.pos + 1]
    if following == "\n":
        if parts and parts[-1].kind > QUOTED:
            raise ContinuationError(p.pos)
        p.rewrite(p.pos, p.pos + 2, "")
    elif p.pos + 1 == p.last and not p.heredoc:
        raise UnreadableError("backslash at the end")
    elif following in "\\$`" or (following == '"' and not p.heredoc):
        parts.append(WordPart(QUOTED, following))
    else:
        parts.append(WordPart(QUOTED, "\\"))
        p.pos -= 1
    p.pos += 2


def dollar(p: Parser, parts: list[WordPart], quoted: bool) -> None:
    """`$name`, `$(…)`, `$((…))`, `${…}`, `$'…'`, `$"…"`, `$[…]` or `$` and one character."""
    text, i = p.text, p.pos
    c = text[i + 1]
    if c in NAME_START:
        _variable(p, parts, quoted)
    elif c == "(":
        _parenthesis(p, parts, quoted)
    elif c == "{":
        p.pos = i + 2
        parameter.parameter(p, parts, quoted)
    elif c == "'" and not quoted:
        _ansi(p, parts)
    elif c == '"' and not quoted:
        _translated(p, parts)
    elif c == "[":
        _old_arithmetic(p, parts, quoted)
    elif c == "\\" and text[i + 2] == "\n":
        if p.script.zsh:
            raise UnreadableError("a `$` at the end of a line, which zsh does not join")
        raise ContinuationError(i + 1)
    else:
        _special(p, parts, quoted, c)


def _variable(p: Parser, parts: list[WordPart], quoted: bool) -> None:
    """`$name`"""
    text, start = p.text, p.pos + 1
    end = start + 1
    while text[end] in NAME:
        end += 1
    name = text[start:end]
    p.script.names.append(name)
    parts.append(WordPart(QUOTED_VARIABLE if quoted else VARIABLE, name))
    p.pos = end
    zsh.subscript(p, end, name)
    zsh.modifier(p, name, quoted)


def _special(p: Parser, parts: list[WordPart], quoted: bool, c: str) -> None:
    """A special parameter, a positional one, or a `$` that means itself."""
    p.pos += 2
    if c in "@*" or c in DECIMAL:
        p.script.names.append(c)
    if c in "@*" and not (c == "*" and quoted):
        parts.append(WordPart(ELEMENTS if c == "@" else SPLIT))
    elif c in "#?$":
        parts.append(WordPart(DIGITS if quoted else NUMBER))
    elif c == LAST_PROCESS:
        parts.append(WordPart(VALUE if quoted else SPLIT, LAST_PROCESS))
    elif c in "*-" or c in DECIMAL:
        parts.append(WordPart(VALUE if quoted else SPLIT))
    else:
        p.pos -= 1
        parts.append(WordPart(QUOTED if quoted else LITERAL, "$"))
        if p.script.zsh and (c in "=~^+:" or not c.isascii()):
            p.unsupported(p.pos - 1, f"zsh expands `${c}`")
    zsh.modifier(p, "", quoted)
    if c == "#" and p.script.zsh and p.text[p.pos] in NAME_START:
        p.unsupported(p.pos - 2, "zsh reads a length here")


def _parenthesis(p: Parser, parts: list[WordPart], quoted: bool) -> None:
    """`$(( expression ))` or `$( enclosed_list`."""
    p.pos += 2
    p.whole_operator()
    if p.text[p.pos] == "(":
        p.pos += 1
        _number(p, parts, "))", p.pos - 3, quoted)
    else:
        found = substitution.substitution(p, "$(…)")
        parts.append(WordPart(VALUE if quoted else SPLIT, "", found))


def _old_arithmetic(p: Parser, parts: list[WordPart], quoted: bool) -> None:
    """`$[ expression ]`"""
    if p.script.posix:
        raise UnreadableError("`$[…]` is not read by every `sh`")
    p.pos += 2
    _number(p, parts, "]", p.pos - 2, quoted)


def _number(p: Parser, parts: list[WordPart], closer: str, start: int, quoted: bool) -> None:
    certain = expression.checked(p, closer, start, "arithmetic")
    if quoted:
        parts.append(WordPart(DIGITS if certain else VALUE))
    else:
        parts.append(WordPart(NUMBER if certain else SPLIT))


def _ansi(p: Parser, parts: list[WordPart]) -> None:
    """`$'…'`"""
    start = p.pos
    end = ansi.closing(p.text, start + 2)
    p.whole(start, end)
    p.pos = end + 1
    if p.script.posix:
        p.unsupported(start, "`$'…'` is not read by every `sh`")
    inside = p.text[start + 2 : end]
    found = ansi.decode(inside, p.script.zsh)
    if "\\" in inside:
        p.rewrite(start, p.pos, f"'{found.text}'")
    # beyond ASCII the locale counts, and some escapes differ between shells
    parts.append(WordPart(QUOTED, found.text) if found.certain else WordPart(VALUE))


def _translated(p: Parser, parts: list[WordPart]) -> None:
    """`$"…"`"""
    start = p.pos
    p.rewrite(start, start + 1, "")
    p.pos += 2
    double_quoted(p, parts)
    if p.script.shell != "bash":
        p.unsupported(start, '`$"…"` is read by bash only')

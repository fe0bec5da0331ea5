"""`${…}` (bash manual, section 3.5.3)."""

from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.chars import NAME, NAME_START
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import (
    DIGITS,
    ELEMENTS,
    NUMBER,
    QUOTED,
    QUOTED_VARIABLE,
    SPLIT,
    VALUE,
    VARIABLE,
    Word,
    WordPart,
)
from execpolicy.shell.syntax.words import expression

_SPECIAL = frozenset("@*#?$!-")


def parameter(p: Parser, parts: list[WordPart], quoted: bool) -> None:
    """`[#|!] name [ "[" subscript ] [operator] }`, of which `${` is read."""
    p.script.descend()
    start, text = p.pos - 2, p.text
    p.continued()
    sign = _sign(p)
    length, indirect = sign == "#", sign == "!"
    name = _name(p)
    which = _element(p) if text[p.pos] == "[" else ""
    elements = "@" in (name, which)
    plain = text[p.pos] == "}" and text[p.pos - 1] != "]"
    prefix = indirect and _names_of_a_prefix(p)
    if not (prefix or length or _replaces(p)):
        p.script.names.append(name)
    if not (prefix or length):
        elements = _operator(p, name, quoted) or elements
    p.expect("}")
    if indirect and not (prefix or which):
        p.unsupported(start, "indirect expansion")
    if name == "IFS" and not (quoted or plain):
        p.unsupported(start, "a separator made of `IFS`")
    if length or (plain and not indirect and name in ("#", "?", "$")):
        parts.append(WordPart(DIGITS if quoted else NUMBER))
    elif elements or prefix:
        parts.append(WordPart(ELEMENTS))
    else:
        parts.append(_value(name if plain and not indirect else "", quoted))
    p.script.depth -= 1


def _replaces(p: Parser) -> bool:
    """Whether the `+` of `${x+set}` or `${x:+set}` stands here, which gives no value of `x`."""
    return p.text[p.pos + (p.text[p.pos] == ":")] == "+"


def _names_of_a_prefix(p: Parser) -> bool:
    """Step over the sign of `${!name@}` or `${!name*}`, if one stands here."""
    found = p.text[p.pos] in "@*" and p.text[p.pos + 1] == "}"
    p.pos += found
    return found


def _sign(p: Parser) -> str:
    """Step over the `#` of a length or the `!` of an indirection; gives which, or nothing."""
    sign, following = p.text[p.pos], p.text[p.pos + 1]
    length = sign == "#" and (following in NAME or following in "@*")
    if not (length or (sign == "!" and following in NAME)):
        return ""
    p.pos += 1
    return sign


def _value(name: str, quoted: bool) -> WordPart:
    """The value of a plain variable; without a name, that of what an operator makes."""
    if name[:1] and name[0] in NAME_START:
        return WordPart(QUOTED_VARIABLE if quoted else VARIABLE, name)
    return WordPart(VALUE if quoted else SPLIT)


def _name(p: Parser) -> str:
    """A name, a number or one special character."""
    text, i = p.text, p.pos
    c = text[i]
    j = i + 1
    if c in NAME_START:
        while text[j] in NAME:
            j += 1
    elif c in DECIMAL:
        while text[j] in DECIMAL:
            j += 1
    elif c not in _SPECIAL or (c in "#!?-$" and text[j] != "}"):
        raise UnreadableError("a `${…}` that is not understood")
    p.pos = j
    p.continued()
    return text[i:j]


def _element(p: Parser) -> str:
    """`[ subscript` after a name; gives `@` or `*` for all elements at once."""
    if p.script.posix:
        raise UnreadableError("arrays are not read by every `sh`")
    p.pos += 1
    which = p.text[p.pos]
    if which in "@*" and p.text[p.pos + 1] == "]":
        p.pos += 2
        return which
    expression.subscript(p)
    return ""


def _operator(p: Parser, name: str, quoted: bool) -> bool:
    """What follows the name, up to the closing brace; True if it may give many words."""
    c = p.text[p.pos]
    if c == "}":
        return False
    p.pos += 1
    p.continued()
    if c == ":" and p.text[p.pos] not in "-=?+":
        p.script.discloses = True
        _bash_only(p, c)
        expression.checked(p, "}", p.pos - 1, "`${…:…}`")
        return False
    if c not in ":-=?+":
        p.script.discloses = True  # what is left tells what was cut off
    if c == "@":
        _transform(p)
        return False
    if c == ":":
        c = p.text[p.pos]
        p.pos += 1
    if c not in "-=?+#%/^,":
        raise UnreadableError("a `${…}` that is not understood")
    if c in "/^,":
        _bash_only(p, c)
    if c == "=":
        expression.bind(p, name)
    return _operand(p, quoted)


def _bash_only(p: Parser, operator: str) -> None:
    if p.script.posix:
        raise UnreadableError(f"`${{x{operator}…}}` is not read by every `sh`")


def _transform(p: Parser) -> None:
    """A letter after `@`."""
    c = p.text[p.pos]
    if p.text[p.pos + 1] != "}" or c not in "QUELuaAKkP":
        raise UnreadableError("a `${…@…}` that is not understood")
    p.pos += 1
    if c == "P":
        start = p.text.rfind("${", 0, p.pos)
        p.pos += 1  # what is shown ends with its brace
        p.unsupported(start, "`@P` runs what the value says")
        p.pos -= 1


def _operand(p: Parser, quoted: bool) -> bool:
    """The word or pattern after the operator; True if it holds a `"$@"`."""
    inner: list[WordPart] = []
    text, start = p.text, p.pos
    while True:
        c, at = text[p.pos], p.pos
        if c == "}":
            p.script.beside.append(Word(p.at(start), p.at(at), None, inner))
            return any(part.kind == ELEMENTS for part in inner)
        if (c == "'" and quoted) or (c == '"' and p.heredoc):
            expression.bare_quote(p, c)
            inner.append(WordPart(QUOTED, text[at + 1 : p.pos - 1]))
        elif c == "{" and p.script.zsh:
            raise UnreadableError("zsh counts a brace inside `${…}`")
        elif (quoted and c not in '$`"\\') or c in " \t\n;&|()" or c in "<>":
            _operand_text(p, quoted)
            inner.append(WordPart(QUOTED, text[at : p.pos]))
        elif quoted and c in "$`\\":
            p.grammar.quoted_part(p, inner, c)  # `$'…'` and what is nested are quoted too
        elif not p.grammar.part(p, inner):
            raise UnreadableError("unterminated `${`")


def _operand_text(p: Parser, quoted: bool) -> None:
    """A character that would end a word anywhere else."""
    if p.pos == p.last:
        raise UnreadableError("unterminated `${`")
    if p.text[p.pos] in "<>" and p.text[p.pos + 1] == "(":
        if quoted:  # bash runs it in a pattern: `"${v%<(B)}"`
            raise UnreadableError("a process substitution inside a quoted `${…}`")
        p.grammar.part(p, [])
    else:
        p.pos += 1

"""Redirections and the bodies of heredocs (bash manual, section 3.6)."""

from execpolicy.shell.chars import BREAK
from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.syntax.heredocs import Body, Heredoc
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import NEWLINE, QUOTED, Redirect, Word
from execpolicy.shell.syntax.words.quotes import heredoc_parts
from execpolicy.shell.syntax.words.word import argument

_OPERATORS = ("<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">")
_BASH_ONLY = frozenset(("<<<", "&>", "&>>"))


def redirection(p: Parser, start: int, descriptor: str) -> Redirect:
    """`operator word`, which stands here; what stands before it was read."""
    text = p.text
    operator = next(o for o in _OPERATORS if text.startswith(o, p.pos))
    p.pos += len(operator)
    p.whole_operator()
    p.script.count_words(1)
    _portable(p, start, operator, descriptor)
    p.blank()
    if operator == "<<" or operator == "<<-":
        return _heredoc(p, start, operator, descriptor)
    target = _closing(p) if operator in ("<&", ">&") else None
    if target is None:
        target = argument(p)
    return Redirect(p.at(start), p.at(p.pos), operator, descriptor, target)


def _closing(p: Parser) -> Word | None:
    """A `-` after `>&` is a token of its own, whatever follows it."""
    if p.text[p.pos] != "-":
        return None
    if p.script.shell != "bash" and p.text[p.pos + 1] not in BREAK:
        raise UnreadableError("a word after `>&-`")
    p.pos += 1
    return Word(p.at(p.pos - 1), p.at(p.pos), "-", [])


def _portable(p: Parser, start: int, operator: str, descriptor: str) -> None:
    """Refuse what the shell that may read the text reads in another way."""
    script = p.script
    if script.posix and (operator in _BASH_ONLY or descriptor[:1] == "{"):
        raise UnreadableError("a redirection that is not read by every `sh`")
    if script.shell != "bash" and len(descriptor) > 1 and descriptor[0] in DECIMAL:
        raise UnreadableError("a file descriptor of two digits, a word in other shells")
    if script.zsh and p.text[p.pos] in "!|" and operator[-1] in ">&":
        p.unsupported(start, f"zsh reads `{operator}!` as one operator")
    if script.zsh and operator == "<" and _numeric_glob(p):
        p.unsupported(start, "zsh reads a glob of numbers here")


def _numeric_glob(p: Parser) -> bool:
    i = p.pos
    while p.text[i] in DECIMAL or p.text[i] == "-":
        i += 1
    return p.text[i] == ">" and "-" in p.text[p.pos : i]


def _heredoc(p: Parser, start: int, operator: str, descriptor: str) -> Redirect:
    """The delimiter of a heredoc, whose body is read once the line ends."""
    at = p.pos
    target = argument(p)
    raw = p.text[at : p.pos]
    if "$" in raw or "`" in raw or any(part.kind > QUOTED for part in target.parts):
        raise UnreadableError("a heredoc delimiter with a `$` or a backquote")
    delimiter = target.text
    if delimiter is None:
        delimiter = "".join(part.text for part in target.parts)
    quoted = any(c in raw for c in "'\"\\")
    if "\n" in delimiter:
        raise UnreadableError("a heredoc delimiter of several lines")
    redirect = Redirect(p.at(start), p.at(p.pos), operator, descriptor, target)
    if p.inner > 0:
        p.heredoc_reprint_bug = True
    nested, shell = p.inner >= 0, p.script.shell
    p.pending.append(Heredoc(redirect, delimiter, quoted, nested, shell))
    return redirect


def newlines(p: Parser) -> None:
    """`( newline heredoc_body… )…`, as many as there are."""
    p.blank()
    if p.text[p.pos] == "\n":
        p.inside.append(NEWLINE)
        while p.text[p.pos] == "\n":
            _newline(p)
            p.blank()


def _newline(p: Parser) -> None:
    """A newline and the bodies of the heredocs that begin after it."""
    p.pos += 1
    if not p.pending:
        return
    if p.outer_heredocs:
        raise UnreadableError("a heredoc around a substitution of several lines")
    pending, p.pending = p.pending, []
    p.heredoc_seen = p.inner >= 0
    for heredoc in pending:
        start = p.pos
        body = heredoc.body(p.text, start, p.last)
        p.pos = body.after
        p.whole(start, p.pos)
        _body(p, heredoc, body)
        heredoc.redirect.end = p.at(min(p.pos, p.last))


def _body(p: Parser, heredoc: Heredoc, body: Body) -> None:
    """The parts of a body, unless its delimiter is quoted."""
    text = "".join([p.text[begin:end] for begin, end in body.spans])
    word = Word(p.at(body.start), p.at(body.end), text, [])
    heredoc.redirect.body = word
    p.script.beside.append(word)
    if heredoc.quoted or not ("$" in text or "\\" in text or "`" in text):
        return
    seams = None if p.script.shell in ("bash", "zsh") else body.seams(p.text)
    places = [p.at(i) for i in body.places()]
    mark = len(p.script.names)
    word.parts = p.nested(text, places, "heredoc", heredoc_parts, seams)
    word.names = tuple(p.script.names[mark:])
    if any(part.kind != QUOTED for part in word.parts):
        word.text, word.raw = None, text
    else:
        word.text = "".join(part.text for part in word.parts)

"""`$(…)`, `<(…)`, `>(…)` and backquotes (bash manual, sections 3.5.4 and 3.5.6)."""

from execpolicy.model.operation import COMMANDS
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import QUOTED, SPLIT, VALUE, Sign, Substitution, WordPart


def substitution(p: Parser, via: str) -> Substitution:
    """`enclosed_list`, whose opening of two characters was read."""
    start, inside = p.pos - 2, p.inside
    p.script.names.append(COMMANDS)
    outer = (p.pending, p.outer_heredocs)
    state = (p.inner, p.heredoc_seen, p.heredoc_reprint_bug, p.heredoc)
    p.script.descend()
    found = Substitution(via)
    inside.append(found)
    p.inside = found.inside
    p.outer_heredocs = p.outer_heredocs + len(p.pending)
    p.pending = []
    p.inner, p.heredoc_seen, p.heredoc_reprint_bug, p.heredoc = 0, False, False, False
    p.grammar.enclosed_list(p)
    p.unbroken(start)
    if p.pending:
        raise UnreadableError("a heredoc without its body")
    p.inside = inside
    if p.heredoc_reprint_bug:
        p.unsupported(start, "bash mixes up a heredoc in a substitution of this shape")
    p.pending, p.outer_heredocs = outer
    p.inner, p.heredoc_seen, p.heredoc_reprint_bug, p.heredoc = state
    p.script.depth -= 1
    return found


def process(p: Parser, parts: list[WordPart], via: str) -> None:
    """`<( enclosed_list` or `>( enclosed_list`."""
    if p.script.posix:
        raise UnreadableError("process substitution is not read by every `sh`")
    p.pos += 2
    found = substitution(p, via)
    if all(type(node) is Sign for node in found.inside):  # bash makes no word without a command
        parts.append(WordPart(SPLIT))
    else:  # `/dev/fd/63`, a named pipe, or zsh's `/proc/self/fd/11`
        parts += [WordPart(QUOTED, "/"), WordPart(VALUE)]


def backquote(p: Parser, quoted: bool) -> None:
    """`` ` program ` ``: its text loses one level of backslashes, then is read.

    Every shell removes line continuations with them, also those in single quotes.
    """
    text, i = p.text, p.pos + 1
    p.script.names.append(COMMANDS)
    found: list[str] = []
    offsets: list[int] = []
    escaped = '$`\\"' if quoted and not p.heredoc else "$`\\"
    while text[i] != "`":
        if i == p.last:
            raise UnreadableError("unterminated backquote")
        if text[i] == "\\" and text[i + 1] == "\n":
            i += 2
            continue
        offsets.append(p.at(i))
        if text[i] == "\\" and text[i + 1] in escaped:
            i += 1
        elif text[i : i + 2] == '\\"' and p.heredoc and p.script.shell != "bash":
            raise UnreadableError("a quote in backquotes in a heredoc, as only some read it")
        found.append(text[i])
        i += 1
    offsets.append(p.at(i))
    start, p.pos = p.pos, i + 1
    p.unbroken(start)
    inner = "".join(found)
    if "$\\\\" in inner and p.script.shell != "bash" and not p.script.posix:
        raise UnreadableError("backslashes after a `$` in backquotes, of which zsh drops one more")
    p.nested(inner, offsets, "`…`", p.grammar.program)

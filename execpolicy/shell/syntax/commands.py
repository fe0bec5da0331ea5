"""Simple commands and coprocesses (bash manual, sections 3.2.2 and 3.2.6)."""

from execpolicy.shell.chars import BREAK, COMPOUND, RESERVED_START, is_name, is_number
from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.syntax.compounds import (
    compound,
    compound_here,
    definition,
    function,
    parenthesis,
)
from execpolicy.shell.syntax.keywords import keyword
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.redirections import redirection
from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import (
    AssignmentWord,
    Coprocess,
    LoopVariable,
    SimpleCommand,
    Word,
    has_sign,
)
from execpolicy.shell.syntax.words.word import word

DECLARING = frozenset(("declare", "typeset", "local", "export", "readonly"))


def command(p: Parser) -> None:
    """`simple_command | compound_command | function | coprocess`"""
    p.blank()
    c = p.text[p.pos]
    if c == "(":
        parenthesis(p)
    elif c in RESERVED_START and (found := keyword(p)) and found != "time":
        _reserved(p, found)
    else:
        start = p.pos
        simple = simple_command(p)
        if simple is not None and simple.words and p.script.zsh:
            _zsh_head(p, start, simple)


def _reserved(p: Parser, found: str) -> None:
    """A command that begins with a reserved word."""
    if found == "function":
        function(p)
    elif found == "coproc":
        _coprocess(p)
    elif found in COMPOUND:
        compound(p, found)
    else:
        raise UnreadableError(f"`{found}` where a command is expected")


def _zsh_head(p: Parser, start: int, simple: SimpleCommand) -> None:
    """In zsh a group may begin without a blank, and `time` stand anywhere."""
    first = simple.words[0]
    if not isinstance(first, Word):
        return
    if first.parts and first.parts[0].is_sign("{"):
        p.unsupported(start, "zsh may begin a group at this `{`")
    elif first.text == "time" and not first.parts:
        p.unsupported(start, "zsh takes `time` for a reserved word")
    elif "=" in (text := first.text or "") and not text.isascii():
        p.unsupported(start, "zsh has names of other letters")


def simple_command(p: Parser) -> SimpleCommand | None:
    """`( assignment | redirection )… ( word | redirection )…`; None for a function's definition."""
    p.heredoc_reprint_bug = p.heredoc_reprint_bug or p.heredoc_seen
    found = SimpleCommand(p.pos)
    outer = p.inside
    outer.append(found)
    p.inside = found.inside
    end = _parts(p, found)
    p.inside = outer
    words = found.words
    if p.text[p.pos] == "(" and len(words) == 1 and not found.assignments:
        outer.remove(found)
        outer += found.inside
        _function(p, found, p.pos)
        return None
    if not (words or found.assignments or found.redirects):
        raise UnreadableError("a command expected")
    found.start, found.end = p.at(found.start), p.at(end)
    p.script.count_command()
    p.script.count_words(len(words) + len(found.assignments))
    return found


def _parts(p: Parser, found: SimpleCommand) -> int:
    """All words and redirections of a command; gives where the last of them ends."""
    text, words, end = p.text, found.words, p.pos
    assignable = True
    while True:
        p.blank()
        i = p.pos
        c = text[i]
        if c not in BREAK or (c in "<>" and text[i + 1] == "("):
            assignable = _take(p, found, i, word(p, assignable), assignable)
        elif c in "<>" or (c == "&" and text[i + 1] == ">"):
            if words and p.script.zsh:
                _zsh_descriptor(p, words[-1], p.at(end))
            found.redirects.append(redirection(p, i, ""))
        else:
            return end
        end = p.pos


def _take(
    p: Parser, found: SimpleCommand, start: int, given: Word | AssignmentWord, assignable: bool
) -> bool:
    """Put a word where it belongs; True if the next may be an assignment."""
    words = found.words
    if isinstance(given, AssignmentWord):
        if words:
            words.append(given)
        else:
            found.assignments.append(given)
        return True
    if p.text[p.pos] in "<>" and _descriptor(p, found, start):
        return assignable
    words.append(given)
    if len(words) == 1:
        return given.text in DECLARING
    return assignable


def _descriptor(p: Parser, found: SimpleCommand, start: int) -> bool:
    """A redirection, if what stands before it names its file descriptor."""
    raw = p.text[start : p.pos]
    if p.script.zsh and p.source(start) is not None:
        raise UnreadableError("a file descriptor of two lines, which zsh does not join")
    if not (DECIMAL.issuperset(raw) or (raw[0] == "{" and raw[-1] == "}")):
        return False
    if raw[0] == "{" and not is_name(raw[1:-1]):
        if "[" in raw:
            raise UnreadableError("a subscript in a redirection")
        return False
    if not raw[0] == "{" and not is_number(raw):
        raise UnreadableError("a file descriptor that is too large")
    if raw[0] == "{" and not found.words and p.script.zsh:
        p.unsupported(start, "zsh may begin a group at this `{`")
    found.redirects.append(redirection(p, start, raw))
    return True


def _zsh_descriptor(p: Parser, last: Word | AssignmentWord, end: int) -> None:
    """In zsh blanks may stand between `{name}` and the redirection that it is for."""
    parts = last.parts if isinstance(last, Word) and last.end == end else []
    if parts and parts[0].is_sign("{") and parts[-1].is_sign("}"):
        p.unsupported(p.text.rindex("{", 0, p.pos), "zsh opens a file for this `{name}`")


def _function(p: Parser, found: SimpleCommand, start: int) -> None:
    """`( ) body`, after the name."""
    p.pos = start + 1
    p.blank()
    if p.script.zsh and p.text[start + 1] != ")":
        raise UnreadableError("zsh reads a pattern here")
    p.expect(")")
    name = found.words[0]
    if found.redirects or not isinstance(name, Word) or name.text is None or name.parts:
        raise UnreadableError("a function whose name is not plain")
    definition(p, name.start, name.text)


def _coprocess(p: Parser) -> None:
    """`coproc [name] compound_command` or `coproc simple_command`"""
    if p.script.posix:
        raise UnreadableError("`coproc` is not read by every `sh`")
    p.pos += len("coproc")
    p.blank()
    p.script.detaches = True
    node = Coprocess()
    outer = p.inside
    outer.append(node)
    p.inside = node.inside
    if not compound_here(p) and not _named_coprocess(p):
        _simple_coprocess(p)
    p.inside = outer
    node.whole = True


def _named_coprocess(p: Parser) -> bool:
    """`name compound_command`, if that is what stands here."""
    start = p.pos
    while p.text[p.pos] not in BREAK:
        p.pos += 1
    name = p.text[start : p.pos]
    p.blank()
    if is_name(name) and (p.text[p.pos] == "(" or keyword(p) in COMPOUND):
        if p.script.zsh:
            p.unsupported(start, "zsh knows no names for coprocesses")
        at = p.at(start)
        p.inside.append(LoopVariable(at, at, name))
        return compound_here(p)
    p.pos = start
    return False


def _simple_coprocess(p: Parser) -> None:
    """bash lets the second word be an assignment too, in case the first is a name."""
    found = simple_command(p)
    if found is None or any(isinstance(given, AssignmentWord) for given in found.words):
        raise UnreadableError("a coprocess that is not understood")
    second = found.words[1] if len(found.words) > 1 else None
    parts = second.parts if isinstance(second, Word) else []
    if has_sign(parts, "[") or has_sign(parts, "="):
        raise UnreadableError("a coprocess that is not understood")

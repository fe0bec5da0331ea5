"""The pieces of a script: words, their parts, blanks, operators, bodies of heredocs.

Not exact, and not meant to be: what is made of the pieces is run by a shell, which judges. It is no
part of the reader that is tested, and shares nothing with it.
"""

import re

from execpolicy.support.record import Value

_RAW = r"\$?\(\((?:[^()]|\([^()]*\))*\)\)|`(?:\\.|[^`\\])*`|\$\[[^]]*\]"
_VARIABLE = r"\$\w+|\$[@*#?$!-]|\$\{(?:[^{}'\"$`]|\$\w+)*\}"
_OUTSIDE = re.compile(
    r"(?P<blank>(?:[ \t]|\\\n)+)|(?P<newline>\n)|(?P<single>'[^']*')"
    r"|(?P<ansi>\$'(?:\\.|[^'\\])*')"
    rf"|(?P<raw>{_RAW})|(?P<variable>{_VARIABLE})|(?P<escaped>\\.)"
    r"|(?P<operator>\$\(|[<>]\(|\d*<<<|<<-?|&>>?|>>|>&|<&|>\||<>|;;&|;&|;;|&&|\|\||\|&|[;&|<>()])"
    r"|(?P<literal>[^\s\\'\"$`;&|<>()]+|.)",
    re.DOTALL,
)
_INSIDE = re.compile(
    rf"(?P<raw>{_RAW})|(?P<operator>\$\()|(?P<variable>{_VARIABLE})|(?P<quote>\")"
    r"|(?P<text>(?:\\.|[^\"$`\\])+|.)",
    re.DOTALL,
)
_HEREDOC = re.compile(r"[ \t]*(\\?'?\"?)([\w-]+)['\"]?")
_EXPANDED = re.compile(r"(\$\w+|\$\{\w+\})")
_PARTS = frozenset(("single", "ansi", "raw", "variable", "escaped", "literal", "quote", "text"))


class Piece(Value):
    """A part of a script: its plain text, its other one, and the change that this belongs to."""

    plain: str
    spelled: str
    kind: str
    change: int = 0

    @property
    def ends_command(self) -> bool:
        """Whether it separates commands."""
        return self.kind == "newline" or (self.kind == "operator" and self.plain in (";", "&"))

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a part of one."""
        return self.kind in _PARTS

    @property
    def is_changed(self) -> bool:
        """Whether it is spelled otherwise already."""
        return self.plain != self.spelled

    def respelled(self, text: str, change: int) -> "Piece":
        """The same piece with another text."""
        return Piece(self.plain, text, self.kind, change)


Spelling = list[Piece]


def plain(spelling: Spelling) -> str:
    """The script as it was."""
    return "".join(piece.plain for piece in spelling)


def spelled(spelling: Spelling) -> str:
    """The script as it is written now."""
    return "".join(piece.spelled for piece in spelling)


def pieces(text: str) -> Spelling:
    """The pieces of a script, spelled as they are."""
    return _Cutter(text).all()


class _Cutter:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.made: Spelling = []
        self.quotes: list[bool] = []
        """Of each `"` and `(` that is open, whether it is a quote."""
        self.heredocs: list[tuple[str, bool, bool]] = []

    def all(self) -> Spelling:
        while self.at < len(self.text):
            if not self._comment():
                self._token()
        return self.made

    def _add(self, text: str, kind: str) -> None:
        self.made.append(Piece(text, text, kind))
        self.at += len(text)

    def _comment(self) -> bool:
        begins = not self.made or not self.made[-1].is_word
        if self.text[self.at] != "#" or not begins or (self.quotes and self.quotes[-1]):
            return False
        end = self.text.find("\n", self.at)
        self._add(self.text[self.at : end if end >= 0 else None], "comment")
        return True

    def _token(self) -> None:
        is_quoted = bool(self.quotes) and self.quotes[-1]
        found = (_INSIDE if is_quoted else _OUTSIDE).match(self.text, self.at)
        if found is None or (not is_quoted and self.text[self.at] == '"'):
            self.quotes.append(True)
            return self._add(self.text[self.at], "quote")
        kind, word = found.lastgroup or "", found[0]
        if kind == "quote" or (word == ")" and self.quotes):
            self.quotes.pop()
        elif kind == "operator" and word.endswith("("):
            self.quotes.append(False)
        elif word in ("<<", "<<-"):
            self._heredoc(word)
        self._add(word, kind)
        if word == "\n" and not is_quoted:
            self._bodies()
        return None

    def _heredoc(self, operator: str) -> None:
        found = _HEREDOC.match(self.text, self.at + len(operator))
        if found:
            self.heredocs.append((found[2], operator == "<<-", bool(found[1])))

    def _bodies(self) -> None:
        waiting, self.heredocs = self.heredocs, []
        for end, dash, is_literal in waiting:
            while self.at < len(self.text):
                stop = self.text.find("\n", self.at)
                line = self.text[self.at : stop + 1 if stop >= 0 else None]
                is_end = (line.lstrip("\t") if dash else line).rstrip("\n") == end
                for part in [line] if is_literal or is_end else _EXPANDED.split(line):
                    if part:
                        self._add(part, "variable" if _EXPANDED.fullmatch(part) else "body")
                if is_end:
                    break


LOOPS = frozenset(("for", "select", "while", "until"))
_OPENS = LOOPS | {"if", "case", "{"}
_CLOSES = frozenset(("fi", "done", "esac", "}"))
_ENDS = _CLOSES | {"do", "then", "else", "elif", "in", ")"}
_BEGINS = frozenset(("then", "else", "do", "{"))
KEYWORDS = (
    _OPENS | _ENDS | {"function", "time", "coproc", "!", "[[", "]]", "repeat", "foreach", "end"}
)


def lists(spelling: Spelling) -> list[tuple[int, int]]:
    """From where to where lists of whole commands go, each before what ends it."""
    depths = _depths(spelling)
    found = [(0, len(spelling))] if spelling else []
    for start, depth in enumerate(depths[:-1]):
        first = spelling[start]
        if depth is None or first.kind == "blank" or first.plain in _ENDS:
            continue
        for n in range(start + 1, len(spelling) + 1):
            here = depths[n]
            if here is None:
                continue
            if here == depth and spelling[n - 1].ends_command:
                found.append((start, n - 1))
            if here < depth or (here == depth and n < len(spelling) and spelling[n].plain in _ENDS):
                break
        if depth == 0:
            found.append((start, len(spelling)))
    return found


def _depths(spelling: Spelling) -> list[int | None]:
    """Before each piece: how deep a command is that may begin there; None where none may."""
    found: list[int | None] = [0]
    depth, begins = 0, True
    for piece in spelling:
        word = piece.plain
        if word in ("{", "}") or (piece.kind == "literal" and begins):
            depth += (word in _OPENS) - (word in _CLOSES)
        if piece.kind == "operator":
            depth += word.endswith("(") - (word == ")")
        joins = word in ("&&", "||", "|", "!")
        is_blank = piece.kind == "blank"
        begins = (begins and is_blank) or piece.ends_command or word in _BEGINS or joins
        found.append(depth if begins and not is_blank and not joins else None)
    return found


def loops(spelling: Spelling) -> list[tuple[str, int, int]]:
    """Each loop: its first word, and where its `do` and its `done` are."""
    found, heads, open_ = [], [""], []
    for n, piece in enumerate(spelling):
        if piece.kind != "literal":
            continue
        if piece.plain in LOOPS:
            heads.append(piece.plain)
        elif piece.plain == "do":
            open_.append((heads.pop() if len(heads) > 1 else "", n))
        elif piece.plain == "done" and open_:
            found.append((*open_.pop(), n))
    return found


def is_name(spelling: Spelling, n: int) -> bool:
    """Whether a word is what a loop or a function is called, or what ends a heredoc."""
    before = [piece.plain for piece in spelling[max(0, n - 2) : n] if piece.kind != "blank"]
    after = spelling[n + 1].plain if n + 1 < len(spelling) else ""
    words = ("<<", "<<-", "for", "select", "function", "foreach")
    return after == "(" or bool(before and before[-1] in words)

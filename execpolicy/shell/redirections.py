"""Redirections and the bodies of heredocs (bash manual, section 3.6)."""

from execpolicy.shell.chars import BREAK
from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.events import LITERAL, QUOTED, Redirect, Word
from execpolicy.shell.expansions import Expansions
from execpolicy.shell.state import UnreadableError

_OPERATORS = ("<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">")
_BASH_ONLY = frozenset(("<<<", "&>", "&>>"))


class Redirections(Expansions):
    """Reads redirections; the bodies of heredocs when the line ends."""

    __slots__ = ()

    def redirection(self, start: int, descriptor: str) -> Redirect:
        """The redirection whose operator stands here."""
        text = self.text
        operator = next(o for o in _OPERATORS if text.startswith(o, self.pos))
        self.pos += len(operator)
        self.continued()
        self.script.count_words(1)
        self._portable(start, operator, descriptor)
        self.blank()
        if operator == "<<" or operator == "<<-":
            return self._heredoc(start, operator, descriptor)
        target = self._closing() if operator in ("<&", ">&") else None
        if target is None:
            target = self.argument()
        return Redirect(self.at(start), self.at(self.pos), operator, descriptor, target)

    def _closing(self) -> Word | None:
        """A `-` behind `>&` is a token of its own, whatever follows it."""
        if self.text[self.pos] != "-":
            return None
        if self.script.shell != "bash" and self.text[self.pos + 1] not in BREAK:
            raise UnreadableError("a word behind `>&-`")
        self.pos += 1
        return Word(self.at(self.pos - 1), self.at(self.pos), "-", [])

    def _portable(self, start: int, operator: str, descriptor: str) -> None:
        """Refuse what the shell that may read the text reads in another way."""
        script = self.script
        if script.posix and (operator in _BASH_ONLY or descriptor[:1] == "{"):
            raise UnreadableError("a redirection that is not read by every `sh`")
        if script.shell != "bash" and len(descriptor) > 1 and descriptor[0] in DECIMAL:
            raise UnreadableError("a file descriptor of two digits, a word in other shells")
        if script.zsh and self.text[self.pos] in "!|" and operator[-1] in ">&":
            self.unclear(start, f"zsh reads `{operator}!` as one operator")
        if script.zsh and operator == "<" and self._numeric_glob():
            self.unclear(start, "zsh reads a glob of numbers here")

    def _numeric_glob(self) -> bool:
        i = self.pos
        while self.text[i] in DECIMAL or self.text[i] == "-":
            i += 1
        return self.text[i] == ">" and "-" in self.text[self.pos : i]

    def _heredoc(self, start: int, operator: str, descriptor: str) -> Redirect:
        at = self.pos
        target = self.argument()
        raw = self.text[at : self.pos]
        if "$" in raw or "`" in raw or any(k not in (QUOTED, LITERAL) for k, _ in target.pieces):
            raise UnreadableError("a heredoc delimiter with a `$` or a backquote")
        delimiter = target.text
        if delimiter is None:
            delimiter = "".join(text for _, text in target.pieces)
        quoted = any(c in raw for c in "'\"\\")
        if "\n" in delimiter:
            raise UnreadableError("a heredoc delimiter of several lines")
        redirect = Redirect(self.at(start), self.at(self.pos), operator, descriptor, target)
        if self.inner > 0:
            self.garbled = True
        self.pending.append((redirect, delimiter, quoted, operator == "<<-"))
        return redirect

    def newline(self) -> None:
        """Step over a newline and the bodies of the heredocs that begin behind it."""
        self.pos += 1
        if not self.pending:
            return
        if self.held:
            raise UnreadableError("a heredoc around a substitution of several lines")
        pending, self.pending = self.pending, []
        self.bodied = self.inner >= 0
        for redirect, delimiter, quoted, tabs in pending:
            start = self.pos
            end = self._body_end(delimiter, quoted, tabs)
            self._body(redirect, start, end, quoted, tabs)
            redirect.end = self.at(min(self.pos, self.last))

    def _body_end(self, delimiter: str, quoted: bool, tabs: bool) -> int:
        """Find the line that is the delimiter and step over it."""
        text, pos, last = self.text, self.pos, self.last
        line, line_start = "", pos
        while pos < last:
            end = text.find("\n", pos)
            end = last if end < 0 else end
            line += text[pos:end]
            pos = min(end + 1, last)
            if not quoted and end < last and _continues(line):
                line = line[:-1]
                continue
            if line == delimiter or (tabs and line.lstrip("\t") == delimiter):
                self.pos = pos
                return line_start
            if self.inner >= 0 and line.lstrip("\t").startswith(delimiter) and ")" in line:
                raise UnreadableError("bash may end a heredoc in a substitution here")
            line, line_start = "", pos
        raise UnreadableError(f"a heredoc without its end `{delimiter}`")

    def _body(self, redirect: Redirect, start: int, end: int, quoted: bool, tabs: bool) -> None:
        body = self.text[start:end]
        offsets = [self.at(i) for i in range(start, end + 1)] if tabs or not quoted else []
        if tabs:
            body, offsets = _without_tabs(body, offsets, not quoted)
        first, last = self.at(start), self.at(end)
        if quoted or not ("$" in body or "\\" in body or "`" in body):
            redirect.body = Word(first, last, body, [])
            return
        pieces = self.nested_heredoc(body, offsets)
        text = None
        if all(kind == QUOTED for kind, _ in pieces):
            text = "".join(part for _, part in pieces)
        redirect.body = Word(first, last, text, pieces)

    def nested_heredoc(self, text: str, offsets: list[int]) -> list[tuple[int, str]]:
        raise NotImplementedError


def _continues(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _without_tabs(body: str, offsets: list[int], joined: bool) -> tuple[str, list[int]]:
    """The body of a `<<-` without the tabs that begin its lines; a continued line is one line."""
    kept: list[str] = []
    places: list[int] = []
    i, fresh = 0, True
    for line in body.splitlines(keepends=True) if "\r" not in body else [body]:
        text = line.lstrip("\t") if fresh else line
        skip = len(line) - len(text)
        kept.append(text)
        places += offsets[i + skip : i + len(line)]
        i += len(line)
        fresh = not (joined and _continues(line.removesuffix("\n")))
    return "".join(kept), [*places, offsets[len(body)]]

"""Redirections and the bodies of heredocs (bash manual, section 3.6)."""

from execpolicy.shell.chars import BREAK
from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.syntax.expansions import Expansions
from execpolicy.shell.syntax.heredocs import Body, Heredoc, Seams
from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import LITERAL, QUOTED, Redirect, Word

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
        self.whole_operator()
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
        nested, shell = self.inner >= 0, self.script.shell
        self.pending.append(Heredoc(redirect, delimiter, quoted, nested, shell))
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
        for heredoc in pending:
            start = self.pos
            body = heredoc.body(self.text, start, self.last)
            self.pos = body.after
            self.whole(start, self.pos)
            self._body(heredoc, body)
            heredoc.redirect.end = self.at(min(self.pos, self.last))

    def _body(self, heredoc: Heredoc, body: Body) -> None:
        text = "".join([self.text[begin:end] for begin, end in body.spans])
        word = Word(self.at(body.start), self.at(body.end), text, [])
        heredoc.redirect.body = word
        if heredoc.quoted or not ("$" in text or "\\" in text or "`" in text):
            return
        seams = None if self.script.shell in ("bash", "zsh") else body.seams(self.text)
        word.pieces = self.nested_heredoc(text, [self.at(i) for i in body.places()], seams)
        if any(kind != QUOTED for kind, _ in word.pieces):
            word.text, word.raw = None, text
        else:
            word.text = "".join(part for _, part in word.pieces)

    def nested_heredoc(
        self, text: str, offsets: list[int], seams: Seams | None
    ) -> list[tuple[int, str]]:
        raise NotImplementedError

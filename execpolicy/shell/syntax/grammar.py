"""Commands: lists, pipelines and simple commands (bash manual, section 3.2)."""

from execpolicy.shell.chars import BREAK, CLOSERS, RESERVED, RESERVED_START, is_name, is_number
from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.syntax.compounds import Compounds
from execpolicy.shell.syntax.heredocs import Seams
from execpolicy.shell.syntax.state import (
    MAX_DEPTH,
    MAX_REREAD,
    BoundError,
    Context,
    ContinuationError,
    Script,
    UnreadableError,
)
from execpolicy.shell.syntax.tree import LITERAL, Command, Setting, Word

DECLARING = frozenset(("declare", "typeset", "local", "export", "readonly"))
MOST_FED = 31


class Grammar(Compounds):
    """Reads a script text into events."""

    __slots__ = ()

    def program(self) -> None:
        """Everything up to the end of the text."""
        last = self.last
        self.newlines()
        while self.pos < last:
            if self.script.depth == 0:
                self.script.unit = self.at(self.pos)
            self.line()
            self.newlines()
        if self.pending:
            raise UnreadableError("a heredoc without its body")
        self.script.levels.append((self.out, self.shapes))

    def line(self) -> None:
        """Commands up to a newline or the end of the text: what bash reads before it runs it."""
        while True:
            self.and_or()
            c = self.separator()
            if not c or c == "\n":
                break
            self.blank()
            if self.text[self.pos] == "\n" or self.pos == self.last:
                break
        if not c and self.pos < self.last:
            raise UnreadableError(f"`{self.text[self.pos]}` where a command ends")

    def compound_list(self) -> None:
        """One command or more, up to what closes the list."""
        self.newlines()
        while True:
            self.and_or()
            if not self.separator():
                return
            self.newlines()
            if self.closed():
                return

    def closed(self) -> bool:
        c = self.text[self.pos]
        if c == ")" or self.pos == self.last or self.text.startswith(";;", self.pos):
            return True
        if self.text.startswith(";&", self.pos):
            return True
        return self.keyword() in CLOSERS

    def newlines(self) -> None:
        self.blank()
        if self.text[self.pos] == "\n":
            if self.out and self.out[-1] != "\n":
                self.out.append("\n")
            while self.text[self.pos] == "\n":
                self.newline()
                self.blank()

    def separator(self) -> str:
        """Step over `;` or `&`; a newline stays. Empty where the list ends."""
        self.blank()
        text, i = self.text, self.pos
        c = text[i]
        if c == ";":
            if text[i + 1] in ";&":
                return ""
            self.pos = i + 1
            self.whole_operator()
            self.disturb()
            self.out.append(";")
            return ";"
        if c == "&":
            self.pos = i + 1
            self.whole_operator()
            self.disturb()
            self.out.append("&")
            return "&"
        return c if c == "\n" else ""

    def and_or(self) -> None:
        mark = len(self.script.events)
        outer = self.context
        self.pipeline()
        text = self.text
        while True:
            self.blank()
            i = self.pos
            c = text[i]
            if c == "&" or c == "|":
                self.pos = i + 1
                self.whole_operator()
                self.pos = i
                if text[i + 1] == c:
                    self.pos = i + 2
                    self.disturb()
                    self.out.append(c + c)
                    self.newlines()
                    self.context = outer.perhaps()
                    self.pipeline()
                    continue
            break
        self.context = outer
        if c == "&":
            self.demote(mark)

    def demote(self, mark: int) -> None:
        """What was found since `mark` runs beside the shell, not in it."""
        for event in self.script.events[mark:]:
            event.certain = False
            if isinstance(event, Command):
                event.piped = True

    def pipeline(self) -> None:
        mark = len(self.script.events)
        timed = self._prefixes()
        self.script.timed += timed
        outer, fed = self.context, self.context.fed
        head = self.command()
        while True:
            self.blank()
            i = self.pos
            if self.text[i] != "|" or self.text[i + 1] == "|":
                break
            self.pos = i + 1
            self.whole_operator()
            if self.text[self.pos] == "|":
                break
            if self.text[self.pos] == "&":
                if self.script.posix:
                    raise UnreadableError("`|&` is not read by every `sh`")
                self.pos += 1
            self.out.append("|")
            self.newlines()
            fed = (*fed[-MOST_FED:], head)
            self.context = outer.after(fed)
            head = self.command()
            self.demote(mark)
        self.context = outer
        if timed:
            self.script.timed -= 1
            self.demote(mark)

    def _prefixes(self) -> bool:
        """`!` and `time` before a pipeline; True for `time`, which zsh runs beside the shell."""
        timed = False
        begun = self.script.words
        while self.text[self.pos] in "!t":
            word = self.keyword()
            if word == "!":
                self.pos += 1
                self.script.words += 1
                if self.script.words - begun > MAX_DEPTH:
                    raise BoundError(f"more than {MAX_DEPTH} negations")
                if self.text[self.pos] == "(" and self.script.says("extglob"):
                    raise UnreadableError("a pattern or a subshell")
            elif word == "time":
                self.pos += 4
                if self.script.zsh and (timed or self.script.timed):
                    self.unclear(self.pos - 4, "zsh takes a second `time` for a command")
                self._time_options()
                timed = True
            else:
                break
            self.blank()
            if word == "time" and self.inner >= 0 and self._beyond_simple():
                raise UnreadableError("`time` before a compound command in a substitution")
            if self.text[self.pos] in ";\n" or self.pos == self.last:
                self.out.append("w")
                self.shapes.append(1)
                raise UnreadableError(f"`{word}` without a command")
        return timed

    def _beyond_simple(self) -> bool:
        return self.text[self.pos] == "(" or self.keyword() != ""

    def _time_options(self) -> None:
        if self.script.posix:
            raise UnreadableError("`time` is a command of some shells")
        for option in ("-p", "--"):
            self.blank()
            if self.text.startswith(option, self.pos) and self.text[self.pos + 2] in BREAK:
                self.pos += 2
                if self.script.zsh:
                    self.unclear(self.pos - 2, "zsh knows no options of `time`")

    def keyword(self) -> str:
        """The reserved word that stands here, or an empty string."""
        text, i = self.text, self.pos
        if text[i] not in RESERVED_START:
            return ""
        j = i + 1
        while text[j] not in BREAK and j - i < 9:
            j += 1
        word = text[i:j]
        if text[j] in "<>" and text[j + 1] == "(":
            return ""
        return word if text[j] in BREAK and word in RESERVED else ""

    def command(self) -> Command | None:
        """One command; a simple one is given back."""
        self.blank()
        c = self.text[self.pos]
        if c == "(":
            self.parenthesis()
        elif c in RESERVED_START and (word := self.keyword()) and word != "time":
            self.compound(word)
        else:
            start = self.pos
            found = self.simple()
            if found and found.words and self.script.zsh:
                self._zsh_head(start, found)
            return found
        return None

    def _zsh_head(self, start: int, command: Command) -> None:
        """In zsh a group may begin without a blank, and `time` stand anywhere."""
        first = command.words[0]
        if isinstance(first, Word) and (first.pieces[:1] == [(LITERAL, "{")]):
            self.unclear(start, "zsh may begin a group at this `{`")
        elif isinstance(first, Word) and first.text == "time" and not first.pieces:
            self.unclear(start, "zsh takes `time` for a reserved word")
        elif isinstance(first, Word) and "=" in (text := first.text or "") and not text.isascii():
            self.unclear(start, "zsh has names of other letters")

    def simple(self) -> Command | None:
        """A simple command, or the definition of a function."""
        self.garbled = self.garbled or self.bodied
        command = Command(self.pos, self.context)
        self.script.events.append(command)
        text, words, end = self.text, command.words, self.pos
        assignable = True
        while True:
            self.blank()
            i = self.pos
            c = text[i]
            if c in BREAK and not (c in "<>" and text[i + 1] == "("):
                if c in "<>" or (c == "&" and text[i + 1] == ">"):
                    if words and self.script.zsh:
                        self._zsh_descriptor(words[-1], self.at(end))
                    command.redirects.append(self.redirection(i, ""))
                elif c == "(" and len(words) == 1 and not command.settings:
                    self._function(command, i)
                    return None
                else:
                    break
            else:
                word = self.word(assignable)
                assignable = self._take(command, i, word, assignable)
            end = self.pos
        if not (words or command.settings or command.redirects):
            raise UnreadableError("a command expected")
        command.start, command.end = self.at(command.start), self.at(end)
        self._finish(command)
        return command

    def _take(self, command: Command, start: int, word: Word | Setting, assignable: bool) -> bool:
        """Put a word where it belongs; True if the next may be an assignment."""
        words = command.words
        if isinstance(word, Setting):
            if words:
                words.append(word)
            else:
                command.settings.append(word)
            return True
        if self.text[self.pos] in "<>" and self._descriptor(command, start):
            return assignable
        words.append(word)
        if len(words) == 1:
            return word.text in DECLARING
        return assignable

    def _descriptor(self, command: Command, start: int) -> bool:
        """Whether what stands before a redirection names its file descriptor."""
        raw = self.text[start : self.pos]
        if self.script.zsh and self.source(start) is not None:
            raise UnreadableError("a file descriptor of two lines, which zsh does not join")
        if not (DECIMAL.issuperset(raw) or (raw[0] == "{" and raw[-1] == "}")):
            return False
        if raw[0] == "{" and not is_name(raw[1:-1]):
            if "[" in raw:
                raise UnreadableError("a subscript in a redirection")
            return False
        if not raw[0] == "{" and not is_number(raw):
            raise UnreadableError("a file descriptor that is too large")
        if raw[0] == "{" and not command.words and self.script.zsh:
            self.unclear(start, "zsh may begin a group at this `{`")
        command.redirects.append(self.redirection(start, raw))
        return True

    def _zsh_descriptor(self, word: Word | Setting, end: int) -> None:
        """In zsh blanks may stand between `{name}` and the redirection that it is for."""
        pieces = word.pieces if isinstance(word, Word) and word.end == end else []
        if pieces[:1] == [(LITERAL, "{")] and pieces[-1] == (LITERAL, "}"):
            self.unclear(self.text.rindex("{", 0, self.pos), "zsh opens a file for this `{name}`")

    def _finish(self, command: Command) -> None:
        script, words = self.script, command.words
        script.count_command()
        script.count_words(len(words) + len(command.settings))
        shown = ["w" for _ in command.settings[:3]]
        for word in words[: 3 - len(shown)]:
            # as it stands, so that the second reader sees a reserved word where there is one
            plain = isinstance(word, Word) and not word.pieces and word.text in RESERVED
            shown.append(word.text or "w" if shown and isinstance(word, Word) and plain else "w")
        shown = shown or ["w"]
        self.out.append(" ".join(shown))
        self.shapes.append(len(shown))

    def _function(self, command: Command, start: int) -> None:
        """`name ()`, whose parenthesis stands here."""
        events = self.script.events
        events.remove(command)
        self.pos = start + 1
        self.blank()
        if self.script.zsh and self.text[start + 1] != ")":
            raise UnreadableError("zsh reads a pattern here")
        self.expect(")")
        word = command.words[0]
        if command.redirects or not isinstance(word, Word) or word.text is None or word.pieces:
            raise UnreadableError("a function whose name is not plain")
        self.definition(word.start, word.text)

    def nested(self, text: str, offsets: list[int], via: str) -> None:
        """Read the text of a substitution that had to be unquoted first."""
        self.script.descend()
        reread(self.script, text, self.context.inside(via), offsets)
        self.script.depth -= 1

    def nested_heredoc(
        self, text: str, offsets: list[int], seams: Seams | None
    ) -> list[tuple[int, str]]:
        self.script.descend()
        found = reread(self.script, text, self.context.inside("heredoc"), offsets, True, seams)
        self.script.depth -= 1
        return found

    def substitution(self, via: str) -> None:
        """The commands of a substitution, whose opening is behind, and its `)`."""
        script, context, start = self.script, self.context, self.pos - 2
        outer = (self.pending, self.held, self.out, self.shapes)
        state = (self.inner, self.bodied, self.garbled, self.heredoc)
        script.descend()
        self.context = context.inside(via)
        self.held = self.held + len(self.pending)
        self.pending, self.out, self.shapes = [], [], []
        self.inner, self.bodied, self.garbled, self.heredoc = 0, False, False, False
        self.newlines()
        if self.text[self.pos] != ")":
            self.compound_list()
        self.blank()
        self.expect(")")
        self.unbroken(start)
        if self.pending:
            raise UnreadableError("a heredoc without its body")
        script.levels.append((self.out, self.shapes))
        self.context = context
        if self.garbled:
            self.unclear(start, "bash mixes up a heredoc in a substitution of this shape")
        self.pending, self.held, self.out, self.shapes = outer
        self.inner, self.bodied, self.garbled, self.heredoc = state
        script.depth -= 1


def reread(
    script: Script,
    text: str,
    context: Context,
    offsets: list[int] | None,
    heredoc: bool = False,
    seams: Seams | None = None,
) -> list[tuple[int, str]]:
    """Read `text`, over again without each line continuation that splits a token."""
    mark = (len(script.events), len(script.levels))
    counts = (script.depth, script.commands, script.words, script.timed)
    while True:
        grammar = Grammar(script, text, context, offsets)
        grammar.seams = seams
        try:
            if heredoc:
                return grammar.heredoc_pieces()
            grammar.program()
        except ContinuationError as restart:
            i = restart.position
            offsets = list(range(len(text) + 1)) if offsets is None else list(offsets)
            text = text[:i] + text[i + 2 :]
            del offsets[i : i + 2]
            seams = seams.without(i) if seams is not None else None
            script.reread += len(text)
            if script.reread > MAX_REREAD:
                raise BoundError("too many line continuations inside of words") from None
            del script.events[mark[0] :], script.levels[mark[1] :]
            script.depth, script.commands, script.words, script.timed = counts
        else:
            return []

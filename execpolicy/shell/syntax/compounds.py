"""Compound commands and functions (bash manual, sections 3.2.5 and 3.3)."""

from execpolicy.shell.chars import BREAK, COMPOUND, is_name
from execpolicy.shell.syntax.conditional import Conditional
from execpolicy.shell.syntax.descriptors import is_input
from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import (
    LITERAL,
    Bind,
    Command,
    Definition,
    Event,
    Files,
    Piece,
    Redirect,
    Setting,
    Word,
)

_HEREDOCS = frozenset(("<<", "<<-", "<<<"))


class Compounds(Conditional):
    """Reads what reserved words and parentheses begin."""

    __slots__ = ()

    def compound_list(self) -> None:
        raise NotImplementedError

    def newlines(self) -> None:
        raise NotImplementedError

    def keyword(self) -> str:
        raise NotImplementedError

    def simple(self) -> Command | None:
        raise NotImplementedError

    def demote(self, mark: int) -> None:
        raise NotImplementedError

    def compound(self, word: str) -> None:
        """The compound command that begins with `word`, which stands here."""
        if word == "function":
            self._keyword_function()
        elif word == "coproc":
            self._coproc()
        elif word in COMPOUND:
            self._compound(word)
        else:
            raise UnreadableError(f"`{word}` where a command is expected")

    def parenthesis(self) -> None:
        """`((…))` or a subshell."""
        start, outer = self.pos, self.context
        mark = self._enter()
        self.pos += 1
        self.whole_operator()
        if self.text[self.pos] == "(":
            self._double_parenthesis(start)
        else:
            self.out.append("(")
            self.context = outer.inside("(…)")
            self.compound_list()
            self.blank()
            self.expect(")")
            self.out.append(")")
            self.context = outer
        self._leave(mark)

    def _double_parenthesis(self, start: int) -> None:
        if self.script.posix:
            raise UnreadableError("`((` is not read by every `sh`")
        self.pos += 1
        self.arithmetic("))", start)
        self._stand_in()

    def _stand_in(self) -> None:
        """For the second reader a command of one word stands here."""
        self.out.append("w")
        self.shapes.append(1)

    def _enter(self) -> int:
        self.disturb()
        self.garbled = self.garbled or self.bodied
        self.inner += self.inner >= 0
        self.script.descend()
        self.script.compound = True
        self.script.count_command()
        return len(self.script.events)

    def _leave(self, mark: int) -> None:
        """Read the redirections behind a compound command and tell its commands of them."""
        found: list[Redirect] = []
        start = self.pos
        while True:
            self.blank()
            i = self.pos
            while self.text[i].isdigit():
                i += 1
            if self.text[self.pos] == "{":
                i = max(i, self.text.find("}", self.pos) + 1)
            if not (self.text[i] in "<>" and self.text[i + 1] != "(") and not (
                self.text.startswith("&>", i) and i == self.pos
            ):
                break
            descriptor = self.text[self.pos : i]
            if descriptor[:1] == "{" and not is_name(descriptor[1:-1]):
                break
            at, self.pos = self.pos, i
            found.append(self.redirection(at, descriptor))
        self.inner -= self.inner > 0
        if found:
            self._redirected(found, start, mark)
        self.script.depth -= 1

    def _redirected(self, found: list[Redirect], start: int, mark: int) -> None:
        events = self.script.events
        fed = [redirect for redirect in found if is_input(redirect)]
        if len(fed) == 1 and fed[0].operator in _HEREDOCS:
            only = self._only_reader(events[mark:])
            if only is not None:
                only.outer = fed[0]
        events.append(Files(found[0].start, self.at(self.pos), self.context, found))

    def _only_reader(self, inside: list[Event]) -> Command | None:
        """The command that certainly reads all the compound is fed: one beside it may take some."""
        commands = [event for event in inside if isinstance(event, Command)]
        if len(commands) != 1 or any(isinstance(event, Files) for event in inside):
            return None
        (command,) = commands
        return None if command.context.loop or command.piped else command

    def _compound(self, word: str) -> None:
        start, outer = self.pos, self.context
        mark = self._enter()
        self.pos += len(word)
        if word == "[[":
            self.conditional()
            self._stand_in()
        elif word == "{":
            self.out.append("{")
            self._until("}")
        elif word == "if":
            self._if(word)
        elif word == "case":
            self._case()
        elif word in ("while", "until"):
            self.out.append(word)
            self.context = outer.perhaps(loop=True)
            self._until("do")
            self._until("done")
        else:
            self._for(start, word)
        self.context = outer
        self._leave(mark)

    def _until(self, word: str) -> None:
        """A list, and the word that closes it."""
        self.compound_list()
        self._reserved(word)

    def _reserved(self, word: str) -> None:
        self.blank()
        if self.keyword() != word:
            raise UnreadableError(f"`{word}` expected")
        self.pos += len(word)
        self.out.append(word)

    def _if(self, word: str) -> None:
        outer = self.context
        self.out.append("if")
        self._until("then")
        self.context = outer.perhaps()
        while True:
            self.compound_list()
            self.blank()
            word = self.keyword()
            self._reserved(word if word in ("elif", "else") else "fi")
            if word == "elif":
                self._until("then")
            elif word == "else":
                self._until("fi")
                return
            else:
                return

    def _for(self, start: int, word: str) -> None:
        """`for` and `select`."""
        self.blank()
        self.out.append("for")
        if word == "for" and self.text.startswith("((", self.pos):
            self._arithmetic_for(start)
            return
        if word == "select" and self.script.posix:
            raise UnreadableError("`select` is not read by every `sh`")
        name = self.argument()
        if name.text is None or name.pieces or not is_name(name.text):
            raise UnreadableError("the name of a loop's variable is expected")
        self.out.append("w")
        items = self._items()
        bind = Bind(self.at(start), self.at(self.pos), self.context, name.text)
        bind.words = items if word == "for" else None
        self.script.events.append(bind)
        self.context = self.context.perhaps(loop=True)
        self._loop_body()
        bind.until = self.at(self.pos)

    def _items(self) -> list[Word] | None:
        """The list after `in`, None for the positional parameters."""
        self.newlines()
        if self.out[-1] == "\n":
            self.out.pop()
        if self.keyword() != "in":
            self.blank()
            if self.text[self.pos] == ";" and self.text[self.pos + 1] not in ";&":
                self.pos += 1
                self.out.append(";")
                self.newlines()
            return None
        self.pos += 2
        items: list[Word] = []
        while True:
            self.blank()
            c = self.text[self.pos]
            if c in BREAK and not (c in "<>" and self.text[self.pos + 1] == "("):
                break
            items.append(self.argument())
        self.script.count_words(len(items))
        self.out.append("in " + " ".join(["w"] * min(3, len(items))))
        self._list_end()
        return items

    def _list_end(self) -> None:
        """A `;` or a newline, then newlines."""
        self.blank()
        if self.text[self.pos] == ";" and self.text[self.pos + 1] not in ";&":
            self.pos += 1
        elif self.text[self.pos] != "\n":
            raise UnreadableError("`;` or a newline expected")
        self.out.append(";")
        self.newlines()
        if self.out[-1] == "\n":
            self.out.pop()

    def _loop_body(self) -> None:
        """`do … done`, or the braces that bash takes for them."""
        self.newlines()
        if self.keyword() == "{":
            self._reserved("{")
            self._until("}")
        else:
            self._reserved("do")
            self._until("done")

    def _arithmetic_for(self, start: int) -> None:
        if self.script.posix:
            raise UnreadableError("a `for` with arithmetic is not read by every `sh`")
        self.pos += 2
        pieces = self.expression("))")
        self.pos += 2
        parts: list[list[Piece]] = [[]]
        for piece in pieces:
            if piece == (LITERAL, ";"):
                parts.append([])
            else:
                parts[-1].append(piece)
        if len(parts) != 3:
            raise UnreadableError("a `for ((` without its three parts")
        for part in parts:
            self.judge(part, start, "arithmetic")
        self.out.append("w")
        self.blank()
        if self.text[self.pos] in ";\n":
            self._list_end()
            self.out.pop()
        self.out.append("in w ;")
        self.context = self.context.perhaps(loop=True)
        self._loop_body()

    def _case(self) -> None:
        """`case word in pattern) list ;; … esac`; the second reader sees groups in a group."""
        self.blank()
        self.argument()
        self._drop_newlines()
        if self.keyword() != "in":
            raise UnreadableError("`in` expected")
        self.pos += 2
        self.context = self.context.perhaps()
        self.out.append("{ w ;")
        self.shapes.append(1)
        self._drop_newlines()
        while self.keyword() != "esac":
            if not self._clause():
                break
            self._drop_newlines()
        if self.keyword() != "esac":
            raise UnreadableError("`esac` expected")
        self.pos += 4
        self.out.append("}")

    def _drop_newlines(self) -> None:
        kept = len(self.out)
        self.newlines()
        del self.out[kept:]

    def _clause(self) -> bool:
        """One clause; False if none can follow it."""
        if self.text[self.pos] == "(":
            self.pos += 1
            self.blank()
        self.argument()
        self.blank()
        while self.text[self.pos] == "|":
            self.pos += 1
            self.blank()
            self.argument()
            self.blank()
        self.expect(")")
        self._drop_newlines()
        self.out.append("{ w ;")
        self.shapes.append(1)
        if not self.text.startswith((";;", ";&"), self.pos) and self.keyword() != "esac":
            self.compound_list()
        if self.out[-1][-1] not in ";&\n":
            self.out.append(";")
        self.out.append("} ;")
        return self._clause_end()

    def _clause_end(self) -> bool:
        self.blank()
        self.newlines()
        for end in (";;&", ";;", ";&"):
            if self.text.startswith(end, self.pos):
                if self.script.posix and end != ";;":
                    raise UnreadableError(f"`{end}` is not read by every `sh`")
                self.pos += len(end)
                self.whole_operator()
                return True
        return False

    def _keyword_function(self) -> None:
        """`function name [()] body`."""
        if self.script.posix:
            raise UnreadableError("`function` is not read by every `sh`")
        self.pos += len("function")
        self.blank()
        word = self.argument()
        if word.text is None or word.pieces:
            raise UnreadableError("a function whose name is not plain")
        self.blank()
        if self.text[self.pos] == "(":
            self.pos += 1
            self.blank()
            self.expect(")")
        self.definition(word.start, word.text)

    def definition(self, start: int, name: str) -> None:
        """The body of a function whose name and parentheses are behind."""
        event = Definition(start, start, self.context, name)
        self.script.events.append(event)
        self.out.append("w ( )")
        outer = self.context
        self._drop_newlines()
        self.context = outer.body(name)
        word = self.keyword()
        if self.text[self.pos] == "(":
            self.parenthesis()
        elif word in COMPOUND:
            self._compound(word)
        else:
            raise UnreadableError("the body of a function expected")
        self.context = outer
        event.end = self.at(self.pos)

    def _coproc(self) -> None:
        """`coproc [name] command`."""
        if self.script.posix:
            raise UnreadableError("`coproc` is not read by every `sh`")
        self.pos += len("coproc")
        self.blank()
        mark, outer = len(self.script.events), self.context
        self.context = outer.inside("coproc")
        if not self._compound_here() and not self._named_coproc():
            self._simple_coproc()
        self.demote(mark)
        self.context = outer

    def _simple_coproc(self) -> None:
        """bash lets the second word be an assignment too, in case the first is a name."""
        command = self.simple()
        if command is None or any(isinstance(word, Setting) for word in command.words):
            raise UnreadableError("a coprocess that is not understood")
        second = command.words[1] if len(command.words) > 1 else None
        pieces = second.pieces if isinstance(second, Word) else []
        if (LITERAL, "[") in pieces or (LITERAL, "=") in pieces:
            raise UnreadableError("a coprocess that is not understood")

    def _compound_here(self) -> bool:
        word = self.keyword()
        if self.text[self.pos] == "(":
            self.parenthesis()
        elif word in COMPOUND:
            self._compound(word)
        else:
            return False
        return True

    def _named_coproc(self) -> bool:
        """A name and a compound command, if that is what stands here."""
        start = self.pos
        while self.text[self.pos] not in BREAK:
            self.pos += 1
        name = self.text[start : self.pos]
        self.blank()
        if is_name(name) and (self.text[self.pos] == "(" or self.keyword() in COMPOUND):
            if self.script.zsh:
                self.unclear(start, "zsh knows no names for coprocesses")
            at = self.at(start)
            self.script.events.append(Bind(at, at, self.context, name))
            return self._compound_here()
        self.pos = start
        return False

"""awk programs: those that write files, run commands or load other code.

Read after the grammar of POSIX awk and the manual of gawk. What an implementation could read in two
ways (a `/` that may divide or begin a regular expression) is not understood. What writes, runs or
loads is all named here, by the grammar: `system`, `|`, `>` after `print`, `getline`, `@`, and the
names of files in ARGV. A function without an `@` is one of the program's own or only computes.
"""

from execpolicy.catalogue.scripts.cursor import Cursor, ScriptError
from execpolicy.catalogue.scripts.effect import Effect, ShellText
from execpolicy.model.operation import OUTPUT_DEVICES, Access, Variable

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_WORD = _LETTERS + "0123456789"
_BEFORE_REGEX = frozenset("({,;!~&|=?:<>+-*%^\n") | {"", "}"}
_KEYWORDS = frozenset(("print", "printf", "return", "in", "else", "do", "exit", "delete"))
_UNSURE = frozenset(("case", "getline", "length", "next", "nextfile", "break", "continue"))
"""Words after which a `/` may be either."""
_BEFORE_DIVISION = frozenset(("0", ")", "]", "++"))
_ACTIVE = ("system", "getline", "print", "ARGV", "ARGC", "SYMTAB", "ENVIRON")
_BEHIND_INPUT = frozenset(");}\n>=!&|,#") | {""}
_BEGINS = frozenset(("", "{", ";", "(", "\n"))
_AHEAD = 120


def effects(text: str) -> list[Effect | ShellText]:
    """What the program does beyond printing what it makes of its input."""
    program = _Awk(text)
    try:
        program.run()
    except ScriptError as error:
        program.found.append(Effect("unknown", f"an awk program that is not understood: {error}"))
    return program.found


class _Awk(Cursor):
    """`last` is the token before, `printing` the depth of parentheses at a `print` that is not
    over, or None; `opened` holds the word before each open parenthesis, `literal` the last text
    and the token before it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.found: list[Effect | ShellText] = []
        self.last = ""
        self.literal = ("", "")
        self.opened: list[str] = []
        self.printing: int | None = None

    def run(self) -> None:
        while self.char:
            char = self.char
            if char in " \t\r":
                self.at += 1
            elif self.text.startswith(("\\\n", "\\\r\n"), self.at):
                self.at += 2 if self.text[self.at + 1] == "\n" else 3
            elif char == "#":
                self.upto("\n")
                self.at -= 1
            else:
                self.last = self._token(char)

    def _token(self, char: str) -> str:
        if char in _LETTERS:
            return self._word()
        self.at += 1
        if char == '"':
            text = self.delimited('"')
            if "\n" in text.replace("\\\n", ""):
                raise ScriptError("a text goes over a line")
            self.literal = (text, self.last)
            return '""'
        if char == "/":
            return self._slash()
        if char.isdigit() or char == ".":
            self._number(self.take(_WORD + "."))
            return "0"
        if char in "()":
            return self._parenthesis(char)
        return self._operator(char)

    def _number(self, rest: str) -> None:
        """A number may end where a word begins: `1system("id")` runs `id`."""
        if any(word in rest for word in _ACTIVE):
            raise ScriptError("a word begins right after a number")

    def _word(self) -> str:
        word = self.take(_WORD)
        if word == "system":
            self.found.append(Effect("execute", "`system` runs a command"))
            self._runs()
        elif word in ("ARGV", "ARGC", "SYMTAB"):
            raise ScriptError(f"`{word}` may name other files")
        elif word == "ENVIRON":
            self._environment()
        elif word in ("print", "printf"):
            self.printing = len(self.opened)
        elif word == "getline":
            self._getline()
        return word

    def _runs(self) -> None:
        """`system("command")`, where one text begins what is run."""
        rest = self._ahead()
        rest.take(" \t")
        if rest.take("(") != "(":
            return
        rest.take(" \t")
        if rest.char == '"' and rest.text.find('"', rest.at + 1) > 0:
            rest.at += 1
            if "\\" not in (command := rest.delimited('"')):
                self.found.append(ShellText(command))

    def _environment(self) -> None:
        """`ENVIRON["NAME"]`, or any of them."""
        rest = self._ahead()
        rest.take(" \t")
        name = ""
        if rest.text.startswith('["', rest.at) and rest.text.find('"]', rest.at) > 0:
            name = rest.text[rest.at + 2 : rest.text.find('"]', rest.at)]
        shown = Variable(name if name.isidentifier() else None)
        self.found.append(Effect("read", "`ENVIRON` holds the environment", shown))

    def _getline(self) -> None:
        """`getline x < "name"` reads a file, unless the name may be one of gawk's networks."""
        rest = self._ahead()
        rest.take(" \t" + _WORD + "$")
        if rest.char != "<":
            if rest.char not in _BEHIND_INPUT or _cut(rest):
                raise ScriptError("what `getline` reads cannot be known")
            return
        rest.at += 1
        rest.take(" \t")
        if rest.char != '"':
            raise ScriptError("what `getline` reads cannot be known")
        rest.at += 1
        name = rest.delimited('"')
        rest.take(" \t")
        ends = _cut(rest) or (rest.char and rest.char not in ");}\n>")
        if name.startswith("/inet") or "\\" in name or ends:
            raise ScriptError("what `getline` reads cannot be known")
        self.found.append(Effect("read", f"`getline` reads `{name}`", Access(name, "read")))

    def _ahead(self) -> Cursor:
        """The next words, as many as a target of a redirection can have."""
        return Cursor(self.text[self.at : self.at + _AHEAD])

    def _slash(self) -> str:
        last = self.last
        if last in _BEFORE_REGEX or last in _KEYWORDS:
            if "\n" in self.delimited("/", brackets=True):
                raise ScriptError("a regular expression goes over a line")
            return "//"
        if last in _BEFORE_DIVISION or (last[0] in _LETTERS and last not in _UNSURE):
            return "/"
        raise ScriptError("a `/` may divide or begin a regular expression")

    def _parenthesis(self, char: str) -> str:
        if char == "(":
            self.opened.append(self.last)
            return char
        before = self.opened.pop() if self.opened else ""
        # after `if (…)` a `/` may begin an expression
        return ")?" if before in ("if", "while", "for", "switch") else ")"

    def _operator(self, char: str) -> str:
        if char == "\\":
            raise ScriptError("a backslash stands alone")
        if char == "@":
            self.found.append(Effect("execute", "`@` loads code or calls a function by its name"))
        elif char == "|":
            if self.char == "|":
                self.at += 1
            else:
                self._pipe()
        elif char == ">" and self.printing is not None and len(self.opened) <= self.printing:
            self._redirect()
            self.take(">")
        elif char in ";}":
            self.printing = None
        elif char in "+-" and self.char == char:
            self.at += 1
            return "++"
        return char

    def _pipe(self) -> None:
        """`print … | "command"` and `"command" | getline`, where one text is the whole command.

        What gawk's ENVIRON holds is the environment of that command.
        """
        command = self._sends() or self._gets()
        if command and "\\" not in command and "ENVIRON" not in self.text:
            self.found.append(ShellText(command))
        else:
            self.found.append(Effect("execute", "`|` runs a command"))

    def _sends(self) -> str:
        """The text after a `|`, if the statement ends there."""
        rest = self._ahead()
        rest.take(" \t")
        if rest.char != '"' or rest.text.find('"', rest.at + 1) < 0:
            return ""
        rest.at += 1
        command = rest.delimited('"')
        rest.take(" \t")
        return "" if _cut(rest) or (rest.char and rest.char not in ";}\n") else command

    def _gets(self) -> str:
        """The text before a `|`, if it is all that stands there and goes to `getline`."""
        rest = self._ahead()
        rest.take(" \t")
        text, before = self.literal
        alone = self.last == '""' and before in _BEGINS
        return text if alone and rest.take(_WORD) == "getline" else ""

    def _redirect(self) -> None:
        """`print … > "name"`."""
        rest = self._ahead()
        replaces = ">" not in rest.take("> \t")
        name = ""
        if rest.char == '"':
            rest.at += 1
            name = rest.delimited('"')
            rest.take(" \t")
        ends = not _cut(rest) and (not rest.char or rest.char in ";}\n")
        if not name or "\\" in name or not ends:
            self.found.append(Effect("write", "`print` writes a file"))
        elif name not in OUTPUT_DEVICES:
            written = Access(name, "write", replaces=replaces)
            self.found.append(Effect("write", f"`print` writes `{name}`", written))


def _cut(rest: Cursor) -> bool:
    """Whether the program may go on after what was looked at."""
    return not rest.char and len(rest.text) == _AHEAD

"""sed scripts: the commands that write files (`w`), read them (`r`) or run programs (`e`).

The grammar is that of GNU sed's manual, "sed scripts". What BSD sed reads otherwise is either
harmless in its reading or not understood here.
"""

from execpolicy.catalogue.scripts.cursor import Cursor, ScriptError
from execpolicy.catalogue.scripts.effect import Effect, ShellText
from execpolicy.model.operation import OUTPUT_DEVICES, Access

_PLAIN = "=dDgGhHnNpPxFz"
_BLANK = " \t"
_LABEL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_DIGITS = "0123456789"


def effects(text: str) -> list[Effect | ShellText]:
    """What the script does beyond printing."""
    script = _Sed(text)
    try:
        script.run()
    except ScriptError as error:
        script.found.append(Effect("unknown", f"a sed script that is not understood: {error}"))
    return script.found


class _Sed(Cursor):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.found: list[Effect | ShellText] = []

    def run(self) -> None:
        while True:
            self.take(_BLANK + ";\n")
            if not self.char:
                return
            self._addresses()
            self._command()

    def _addresses(self) -> None:
        if self._address():
            self.take(_BLANK)
            if self.char == ",":
                self.at += 1
                self.take(_BLANK)
                if self.char and self.char in "+~":
                    self.at += 1
                if not self._address():
                    raise ScriptError("an address is missing after `,`")
        self.take(_BLANK + "!")

    def _address(self) -> bool:
        char = self.char
        if char.isdigit():
            self.take(_DIGITS + "~")
        elif char == "$":
            self.at += 1
        elif char and char in "/\\":
            self.at += 1
            self._regex("/" if char == "/" else self._one())
            self.take("IM")
        else:
            return False
        return True

    def _one(self) -> str:
        char = self.char
        self.at += 1
        if not char or char in "\n\\":
            raise ScriptError("a delimiter is missing")
        return char

    def _regex(self, end: str) -> None:
        if "\n" in self.delimited(end, brackets=True):
            raise ScriptError("a regular expression goes over a line")

    def _command(self) -> None:
        command = self.char
        self.at += 1
        if command in ("{", "}"):
            return
        if command == "#":
            self.upto("\n")
        elif command and command in _PLAIN:
            self._end()
        elif command and command in "aic":
            self._text()
        elif command and command in "lLqQ":
            self.take(_BLANK)
            self.take(_DIGITS)
            self._end()
        elif command and command in ":btTv":
            self.take(_BLANK)
            self.take(_LABEL)
            self._end()
        else:
            self._active(command)

    def _active(self, command: str) -> None:
        if command == "s":
            self._substitute()
        elif command == "y":
            end = self._one()
            if "\n" in self.delimited(end) + self.delimited(end):
                raise ScriptError("`y` goes over a line")  # after `-e 'i\\'` they are two
            self._end()
        elif command in ("r", "R"):
            name = self._name()
            self.found.append(Effect("read", f"`{command}` reads `{name}`", Access(name, "read")))
        elif command in ("w", "W"):
            self._writes(command)
        elif command == "e":
            command = self._name()
            self.found.append(Effect("execute", f"`e` runs `{command or 'its input'}`"))
            if command:
                self.found.append(ShellText(command))
        else:
            raise ScriptError(f"`{command}` is not a command")

    def _substitute(self) -> None:
        end = self._one()
        self._regex(end)
        self._replacement(end)
        while self.char and self.char in "gpiImMe" + _DIGITS:
            if self.char == "e":
                self.found.append(Effect("execute", "`s///e` runs what it has made"))
            self.at += 1
        if self.char == "w":
            self.at += 1
            self._writes("s///w")
        else:
            self._end()

    def _replacement(self, end: str) -> None:
        """The new text. A line break in it has a backslash."""
        text = self.delimited(end)
        plain = text.replace("\\\\", "").replace("\\\n", "")
        if "\n" in plain:
            raise ScriptError("a replacement goes over a line")

    def _writes(self, command: str) -> None:
        name = self._name()
        if name not in OUTPUT_DEVICES:
            written = Access(name, "write", replaces=True)
            self.found.append(Effect("write", f"`{command}` writes `{name}`", written))

    def _name(self) -> str:
        """A file name or a shell command: all up to the end of the line."""
        self.take(_BLANK)
        return self.upto("\n")

    def _text(self) -> None:
        """The text of `a`, `i` and `c`: up to a line break without a backslash."""
        while self.char and self.char != "\n":
            self.at += 2 if self.char == "\\" else 1

    def _end(self) -> None:
        """Nothing may follow a command but the next one."""
        self.take(_BLANK)
        if self.char and self.char not in ";\n}#":
            raise ScriptError(f"`{self.char}` stands where a command should end")

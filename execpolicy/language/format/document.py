"""A document that can be laid out flat or over several lines, and the printer that decides.

A group is printed flat where what it holds fits on the line, else every line of its own breaks. A
hard line or a comment inside breaks all groups around it.
"""

from collections.abc import Sequence

from execpolicy.support.record import Value

INDENT = 4


class Line:
    """A place for a line break. Flat it is `flat`; broken it is a line end, or two if `blank`."""

    __slots__ = ("blank", "flat", "forced")

    broken = ""

    def __init__(self, flat: str, forced: bool = False, blank: bool = False) -> None:
        self.flat = flat
        self.forced = forced
        self.blank = blank


LINE = Line(" ")
SOFT = Line("")
HARD = Line("", forced=True)
BLANK = Line(" ", blank=True)


class Suffix:
    """A comment at the end of whatever line it comes to stand on."""

    __slots__ = ("text",)
    forced = True

    def __init__(self, text: str) -> None:
        self.text = text


class IfBroken:
    """One text where the group around it is broken, another where it is flat."""

    __slots__ = ("broken", "flat")
    forced = False

    def __init__(self, broken: str, flat: str = "") -> None:
        self.broken = broken
        self.flat = flat


class Group:
    """Parts that stay on one line together if they fit."""

    __slots__ = ("forced", "parts")

    def __init__(self, parts: "Sequence[Document]", forced: bool = False) -> None:
        self.parts = parts
        self.forced = forced or breaks(parts)


class Indent:
    """Parts whose lines stand one level deeper."""

    __slots__ = ("forced", "parts")

    def __init__(self, parts: "Sequence[Document]") -> None:
        self.parts = parts
        self.forced = breaks(parts)


class Concat:
    """Parts one after the other."""

    __slots__ = ("forced", "parts")

    def __init__(self, parts: "Sequence[Document]") -> None:
        self.parts = parts
        self.forced = breaks(parts)


class Word(Value):
    """A word of a filled text. Flat, `flat` stands before it; broken, `broken` or a line end.

    `begins` says that it begins a line wherever lines break; `inside`, that it goes on with the
    word before it, and so stands a level deeper where it begins a line.
    """

    text: str
    flat: str = " "
    broken: str = " "
    begins: bool = False
    inside: bool = False


class Fill:
    """Words of which as many as fit stand on each line, `tail` more characters on the last one.

    `flat` is the whole text on one line, `broken` what certainly stands on the first of several.
    """

    __slots__ = ("broken", "flat", "forced", "tail", "words")

    def __init__(self, words: Sequence[Word], tail: int = 0) -> None:
        self.words = words
        self.tail = tail
        self.broken = words[0].text
        self.flat = self.broken + "".join(word.flat + word.text for word in words[1:])
        self.forced = any(word.begins for word in words)


Document = str | Line | Suffix | IfBroken | Group | Indent | Concat | Fill


def breaks(parts: Sequence[Document]) -> bool:
    """Whether something in the parts cannot be printed flat."""
    return any(not isinstance(part, str) and part.forced for part in parts)


Command = tuple[int, bool, Document]
"""Indentation, whether lines break, and what to print."""


def print_document(document: Document, indent: int, width: int) -> str:
    """The text of a document that begins at a column of `indent`, which is not printed."""
    printer = _Printer(indent, width)
    printer.run(document, indent)
    return "".join(printer.out)


class _Printer:
    def __init__(self, column: int, width: int) -> None:
        self.out: list[str] = []
        self.column = column
        self.width = width
        self.suffixes: list[str] = []

    def run(self, document: Document, indent: int) -> None:
        stack: list[Command] = [(indent, True, document)]
        while stack:
            indent, broken, part = stack.pop()
            if isinstance(part, str):
                self.write(part)
            elif isinstance(part, Line):
                self.line(part, indent, broken)
            elif isinstance(part, IfBroken):
                self.write(part.broken if broken else part.flat)
            elif isinstance(part, Suffix):
                self.suffixes.append(part.text)
            elif isinstance(part, Fill):
                self.fill(part, indent, broken)
            else:
                if isinstance(part, Group) and broken:
                    broken = part.forced or not self.fits(part, stack)
                deeper = indent + INDENT if isinstance(part, Indent) else indent
                stack.extend((deeper, broken, inner) for inner in reversed(part.parts))
        self.flush()

    def write(self, text: str) -> None:
        self.out.append(text)
        if "\n" in text:
            self.column = len(text) - text.rindex("\n") - 1
        else:
            self.column += len(text)

    def line(self, line: Line, indent: int, broken: bool) -> None:
        if not broken:
            self.write(line.flat)
            return
        self.flush()
        self.out.append("\n" * (1 + line.blank) + " " * indent)
        self.column = indent

    def fill(self, fill: Fill, indent: int, broken: bool) -> None:
        for number, word in enumerate(fill.words):
            before = (word.broken if broken else word.flat) if number else ""
            room = self.width - self.column - len(before) - len(word.text)
            room -= fill.tail if word is fill.words[-1] else 0
            if broken and number and (word.begins or room < 0):
                deeper = indent + INDENT * word.inside
                self.line(SOFT, deeper, broken=True)
                self.write(word.text)
            else:
                self.write(before + word.text)

    def flush(self) -> None:
        for text in self.suffixes:
            self.out.append("  " + text)
        self.suffixes.clear()

    def fits(self, group: Group, rest: list[Command]) -> bool:
        """Whether a group fits flat, with what follows it up to the next possible line break."""
        room = self.width - self.column
        stack: list[Command] = [(0, False, group)]
        below = len(rest)
        while room >= 0:
            if not stack:
                if not below:
                    return True
                below -= 1
                stack.append(rest[below])
            _, broken, part = stack.pop()
            if isinstance(part, str):
                if "\n" in part:
                    return room >= part.index("\n")
                room -= len(part)
            elif isinstance(part, (Line, Fill)):
                if broken:
                    return room >= len(part.broken)
                room -= len(part.flat)
            elif isinstance(part, IfBroken):
                room -= len(part.broken if broken else part.flat)
            elif not isinstance(part, Suffix):
                # A group after this one may break itself: what stands before its first line counts.
                stack.extend((0, broken, inner) for inner in reversed(part.parts))
        return False

"""The body of a heredoc, as a shell takes it from the text (bash manual, section 3.6.6).

Unless the delimiter is quoted, bash and zsh remove each line continuation of the body before they
look into it, also one between single quotes of a `$(…)` in it. dash removes a continuation where
it reads one, and keeps what is quoted.
"""

from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.shell.syntax.tree import Redirect


class Heredoc:
    """A heredoc whose body has not begun. `nested`: it stands in a `$(…)`."""

    __slots__ = ("delimiter", "nested", "quoted", "redirect", "shell", "tabs")

    def __init__(
        self, redirect: "Redirect", delimiter: str, quoted: bool, nested: bool, shell: str | None
    ) -> None:
        self.redirect = redirect
        self.delimiter = delimiter
        self.quoted = quoted
        self.tabs = redirect.operator == "<<-"
        self.nested = nested
        self.shell = shell

    def body(self, text: str, start: int, last: int) -> "Body":
        """The body that begins at `start` of a text which ends at `last`."""
        found = Body(start)
        at = start
        while at < last:
            parts, after = _line(text, at, last, self.quoted)
            parts = self._without_tabs(text, parts)
            line = "".join([text[begin:end] for begin, end in parts])
            if line == self.delimiter:
                self._certain(len(parts) == 1)
                found.end, found.after = at, after
                return found
            if self.nested and ")" in line and line.lstrip("\t").startswith(self.delimiter):
                raise UnreadableError("bash may end a heredoc in a substitution here")
            begin, _ = parts.pop()
            found.add([*parts, (begin, after)])
            at = after
        raise UnreadableError(f"a heredoc without its end `{self.delimiter}`")

    def _without_tabs(self, text: str, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The parts of a line without the tabs that begin it, if they do not count."""
        if not self.tabs:
            return parts
        kept = list(parts)
        for i, part in enumerate(parts):
            kept[i] = _untabbed(text, part)
            empty = kept[i][0] == kept[i][1]
            if self.shell == "zsh" or not empty:
                break
        self._certain(kept[1:] == parts[1:])
        return kept

    def _certain(self, same: bool) -> None:
        """Refuse what is not the same for all shells, unless it is one that is known."""
        if not same and self.shell not in ("bash", "zsh"):
            raise UnreadableError("a line continuation in a heredoc, as only some read it")


class Body:
    """The text between `start` and `end`, of which `spans` are the body. `after`: its delimiter."""

    __slots__ = ("after", "end", "spans", "start")

    def __init__(self, start: int) -> None:
        self.start = self.end = self.after = start
        self.spans: list[tuple[int, int]] = []

    def add(self, spans: list[tuple[int, int]]) -> None:
        """More that belongs to the body."""
        for begin, end in spans:
            if self.spans and self.spans[-1][1] == begin:
                self.spans[-1] = (self.spans[-1][0], end)
            elif begin < end:
                self.spans.append((begin, end))

    def places(self) -> list[int]:
        """Where each character of the body stands in the text, and where the body ends."""
        return [*(i for begin, end in self.spans for i in range(begin, end)), self.end]

    def seams(self, text: str) -> "Seams":
        """Where something was removed."""
        found = Seams()
        size, before = 0, self.start
        for begin, end in self.spans:
            removed = text[before:begin]
            if "\n" in removed:
                found.continued.append(size)
            if "\t" in removed:
                found.untabbed.append(size)
            size += end - begin
            before = end
        return found


class Seams:
    """Before which characters of a body a line continuation was removed, and before which tabs."""

    __slots__ = ("continued", "untabbed")

    def __init__(self) -> None:
        self.continued: list[int] = []
        self.untabbed: list[int] = []

    def without(self, position: int) -> "Seams":
        """The same in a body that lost two characters at `position`."""
        found = Seams()
        found.continued = [i if i <= position else i - 2 for i in self.continued]
        found.untabbed = [i if i <= position else i - 2 for i in self.untabbed]
        return found


def any_within(places: list[int], start: int, end: int) -> bool:
    """Whether one of these places, in their order, is from `start` to `end`."""
    from bisect import bisect_left

    first = bisect_left(places, start)
    return first < len(places) and places[first] <= end


def _line(text: str, at: int, last: int, quoted: bool) -> tuple[list[tuple[int, int]], int]:
    """The parts of the line that begins there, continued ones joined, and where the next begins."""
    parts: list[tuple[int, int]] = []
    while True:
        end = text.find("\n", at, last)
        end = last if end < 0 else end
        if quoted or end == last or not _continues(text, at, end):
            return [*parts, (at, end)], min(end + 1, last)
        parts.append((at, end - 1))
        at = end + 1


def _continues(text: str, start: int, end: int) -> bool:
    """Whether the newline at `end` is escaped."""
    i = end
    while i > start and text[i - 1] == "\\":
        i -= 1
    return (end - i) % 2 == 1


def _untabbed(text: str, part: tuple[int, int]) -> tuple[int, int]:
    begin, end = part
    while begin < end and text[begin] == "\t":
        begin += 1
    return begin, end

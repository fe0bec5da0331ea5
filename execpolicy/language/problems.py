"""Collects the problems of one rules file, each with its place and source line."""

from execpolicy.language.limits import MAX_PROBLEMS, MAX_SHOWN_LINE
from execpolicy.model.errors import Diagnostic, Span


class Problems:
    """The diagnostics of one file so far."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines: list[str] | None = None
        self._text = text
        self.found: list[Diagnostic] = []
        self.count = 0
        """How many there are, whether they are told or not."""

    def at(self, line: int) -> "Reporter":
        """A reporter for the call that stands on `line`."""
        return Reporter(self, line)

    @property
    def is_full(self) -> bool:
        """Whether no more are told."""
        return len(self.found) > MAX_PROBLEMS

    def source(self, line: int) -> str | None:
        """The text of a line, counted from 1, or None. A line of a megabyte is not shown."""
        if self._lines is None:
            self._lines = self._text.split("\n")
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else None
        return None if text is None or len(text) > MAX_SHOWN_LINE else text


class Reporter:
    """Reports problems of one call. `at` narrows the place to a text on or after its line."""

    def __init__(self, problems: Problems, line: int) -> None:
        self.problems = problems
        self.line = line

    def __call__(
        self, code: str, message: str, hint: str | None = None, at: str | None = None
    ) -> None:
        self.problems.count += 1
        if self.problems.is_full:
            return
        if len(self.problems.found) == MAX_PROBLEMS:
            code, hint, at = "limit", None, None
            message = f"there are more problems: only the first {MAX_PROBLEMS} are told"
        line, column, end = self._place(at)
        span = Span(self.problems.file, line, column, end)
        source = self.problems.source(line)
        self.problems.found.append(Diagnostic(code, message, span, hint, source=source))

    def _place(self, at: str | None) -> tuple[int, int, int]:
        """The first occurrence of `at` in the call's first lines, else its first column."""
        for line in range(self.line, self.line + 40) if at else ():
            source = self.problems.source(line)
            if source is None or (
                line > self.line and source[:1].strip() and source[:1] not in ")]"
            ):
                break
            column = source.find(at or "") + 1
            if column:
                return line, column, column + len(at or "")
        source = self.problems.source(self.line) or ""
        indent = len(source) - len(source.lstrip())
        return self.line, indent + 1, max(indent + 2, len(source.rstrip()) + 1)

"""Reading a script from left to right."""


class ScriptError(Exception):
    """A text that is not understood; the message says what."""


class Cursor:
    """A position in a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def char(self) -> str:
        """The next character, nothing at the end."""
        return self.text[self.at : self.at + 1]

    def take(self, chars: str) -> str:
        """The longest run of these characters."""
        start = self.at
        while self.char and self.char in chars:
            self.at += 1
        return self.text[start : self.at]

    def upto(self, char: str) -> str:
        """Everything before the character, which is passed; all the rest where it is missing."""
        end = self.text.find(char, self.at)
        end = len(self.text) if end < 0 else end
        found = self.text[self.at : end]
        self.at = end + 1
        return found

    def delimited(self, end: str, brackets: bool = False) -> str:
        """Everything before an `end` without a backslash, which is passed.

        With `brackets` the text is a regular expression, in whose `[…]` an `end` may stand. An
        implementation that ends it there finds it broken and runs nothing. Whether a backslash
        counts within `[…]` differs too, and whether `[:`, `[.` and `[=` begin a class: where that
        moves the end, the text is not understood.
        """
        ends = {
            _end(self.text, self.at, end, brackets, escapes, classes)
            for escapes in (False, True)
            for classes in (False, True)
        }
        if len(ends) > 1:
            raise ScriptError(f"where the text before `{end}` ends, depends on who reads it")
        found = self.text[self.at : (stop := ends.pop())]
        if stop >= len(self.text):
            raise ScriptError(f"there is no `{end}` at its end")
        self.at = stop + 1
        return found


def _end(text: str, at: int, end: str, brackets: bool, escapes: bool, classes: bool) -> int:
    """Where `end` stands. With `escapes`, a backslash counts within `[…]` too.

    With `classes`, `[:`, `[.` and `[=` begin a class there.
    """
    while at < len(text) and text[at] != end:
        if text[at] == "\\":
            at += 2
        elif text[at] == "[" and brackets:
            at = _bracket(text, at + 1, escapes, classes)
        else:
            at += 1
    return at


def _bracket(text: str, at: int, escapes: bool, classes: bool) -> int:
    """Behind the `]` of a bracket expression, whose inside begins at `at`."""
    at += text[at : at + 1] == "^"
    at += text[at : at + 1] == "]"
    while at < len(text) and text[at] != "]":
        if text[at] == "\\" and escapes:
            at += 2
        elif classes and text[at] == "[" and text[at + 1 : at + 2] in (":", ".", "="):
            close = text.find(text[at + 1] + "]", at + 2)
            at = close + 2 if close >= 0 else len(text)
        else:
            at += 1
    return at + 1

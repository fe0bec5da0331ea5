"""How Codex takes a shell call apart: into plain commands of literal words, or not at all.

A script of nothing but words, quotes, `&&`, `||`, `;` and `|` gives its commands. A single command
with a heredoc gives that command, marked, because only a prefix of it was understood. Everything
else stays one command: the shell call itself. (`shell-command/src/bash.rs`; CODEX.md section 6.1)
"""

from collections.abc import Sequence

from execpolicy.support.record import Value

_FOLDERS = {
    "sh": ("", "/bin/", "/usr/bin/"),
    "bash": ("", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"),
    "zsh": ("", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"),
}
SHELLS = frozenset(f + name for name, folders in _FOLDERS.items() for f in folders)
FLAGS = ("-lc", "-c")

_RESERVED_WORDS = (
    "! if then elif else fi for while until do done case esac select function in { } [[ ]]"
    " declare typeset export readonly local unset unsetenv"
)
_RESERVED = frozenset(_RESERVED_WORDS.split())
_REFUSED = frozenset("{}*?[]\\~^#$`()<>&")
_ESCAPED = frozenset('$`"\\\n')


class Split(Value):
    """The commands of a call. `whole`: it could not be taken apart and is one command; `partly`:
    only the heredoc reader understood it."""

    commands: tuple[tuple[str, ...], ...]
    whole: bool = False
    partly: bool = False


class _NotPlainError(ValueError):
    """A spot that is more than words and operators."""


def script(argv: Sequence[str]) -> str | None:
    """The script of a call such as `bash -lc TEXT`; None for any other."""
    if len(argv) == 3 and argv[0] in SHELLS and argv[1] in FLAGS:
        return argv[2]
    return None


def split(argv: Sequence[str]) -> Split:
    """The commands that Codex judges one by one.

    >>> split(["bash", "-lc", "cat x && cargo build"]).commands
    (('cat', 'x'), ('cargo', 'build'))
    """
    text = script(argv)
    if text is None:
        return Split((tuple(argv),), whole=True)
    plain = commands(text)
    if plain:
        return Split(plain)
    single = heredoc_command(text)
    if single:
        return Split((single,), partly=True)
    return Split((tuple(argv),), whole=True)


def commands(text: str) -> tuple[tuple[str, ...], ...]:
    """The commands of a script of plain words; none where there is anything else in it."""
    try:
        return _WordSplitter(text).script()
    except _NotPlainError:
        return ()


def heredoc_command(text: str) -> tuple[str, ...]:
    """The one command of a script that feeds it a heredoc; empty for any other script."""
    head, gap, rest = text.partition("<<")
    if not gap or rest[:1] == "<":
        return ()
    line, _, body = rest.partition("\n")
    word = line.removeprefix("-").strip(" \t")
    quoted = word[:1] in ("'", '"') and word[-1:] == word[:1] and len(word) > 2
    name = word[1:-1] if quoted else word
    if not name.replace("_", "").isalnum() or not _ends(body, name, line[:1] == "-"):
        return ()
    if not quoted and ("$(" in body or "`" in body):
        return ()  # what is substituted is a second command
    found = commands(head)
    return found[0] if len(found) == 1 and not head.rstrip(" \t").endswith((";", "\n")) else ()


def _ends(body: str, name: str, stripped: bool) -> bool:
    """Whether the heredoc ends, and nothing comes after it."""
    lines = body.split("\n")
    ends = [n for n, line in enumerate(lines) if (line.lstrip("\t") if stripped else line) == name]
    return bool(ends) and not any(line.strip() for line in lines[ends[0] + 1 :])


class _WordSplitter:
    """One pass over the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def script(self) -> tuple[tuple[str, ...], ...]:
        found: list[tuple[str, ...]] = []
        joined = False  # whether the last operator needs a command after it
        while True:
            words = self._command()
            operator = self._operator()
            if words:
                found.append(words)
            elif (joined and not operator) or operator not in ("", "\n"):
                raise _NotPlainError
            if not operator:
                return tuple(found)
            joined = (joined and not words) or operator in ("&&", "||", "|")

    def _command(self) -> tuple[str, ...]:
        words: list[str] = []
        while True:
            while self.text[self.at : self.at + 1] in (" ", "\t"):
                self.at += 1
            if self.at >= len(self.text) or self.text[self.at] in "&|;\n":
                return tuple(words)
            words.append(self._word(first=not words))

    def _operator(self) -> str:
        for operator in ("&&", "||", "|", ";", "\n"):
            if self.text.startswith(operator, self.at):
                self.at += len(operator)
                if operator in ("|", ";") and self.text[self.at : self.at + 1] in ("&", ";", "|"):
                    raise _NotPlainError
                return operator
        if self.at < len(self.text):
            raise _NotPlainError
        return ""

    def _word(self, first: bool) -> str:
        start, parts = self.at, list[str]()
        while self.at < len(self.text) and self.text[self.at] not in " \t\n;|&":
            char = self.text[self.at]
            if char in "'\"":
                if first:
                    raise _NotPlainError
                parts.append(self._single() if char == "'" else self._double())
            elif char in _REFUSED or (self.at == start and char == "="):
                raise _NotPlainError
            else:
                self.at += 1
                parts.append(char)
        word = "".join(parts)
        if (not word and self.at - start > 2) or (first and not _may_begin(word)):
            raise _NotPlainError
        return word

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise _NotPlainError
        text, self.at = self.text[self.at + 1 : end], end + 1
        return text

    def _double(self) -> str:
        end = self.at + 1
        while self.text[end : end + 1] != '"':
            char, after = self.text[end : end + 1], self.text[end + 1 : end + 2]
            if char in ("", "$", "`") or (char == "\\" and after in _ESCAPED):
                raise _NotPlainError
            end += 1
        text, self.at = self.text[self.at + 1 : end], end + 1
        return text


def _may_begin(word: str) -> bool:
    """Whether a word names a command: it is not a keyword, a number or an assignment."""
    name, gap, _ = word.partition("=")
    assigns = bool(gap) and name.removesuffix("+").isidentifier()
    return not (word in _RESERVED or word.isdigit() or assigns)

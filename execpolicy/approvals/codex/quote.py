"""Words as one line of shell, as Codex writes them (the Rust crate `shlex` 1.3, `try_join`)."""

from collections.abc import Iterator, Sequence

_BARE = frozenset("+-./:@]_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_NOT_SINGLE = frozenset("'^\\")
_NOT_DOUBLE = frozenset("`$!^")
_ESCAPED = frozenset('$`"\\')


def join(words: Sequence[str]) -> str:
    """The words with quotes where they need them.

    >>> join(["bash", "-lc", "git status && ls", "it's"])
    'bash -lc \\'git status && ls\\' "it\\'s"'
    """
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return "".join(_chunks(word)) if word else "''"


def _chunks(word: str) -> Iterator[str]:
    """Runs of characters that one kind of quotes can hold, the plainest kind for each."""
    at = 0
    while at < len(word):
        fits = {"bare": True, "single": True, "double": True}
        end = at
        if word[at] == "^":  # in double quotes or bare, interactive shells would expand it
            fits, end = {"bare": False, "single": True, "double": False}, at + 1
        while end < len(word):
            now = {kind: ok and _holds(kind, word[end]) for kind, ok in fits.items()}
            if not any(now.values()):
                break
            fits, end = now, end + 1
        yield _in_quotes(next(kind for kind, ok in fits.items() if ok), word[at:end])
        at = end


def _holds(kind: str, char: str) -> bool:
    if kind == "bare":
        return char in _BARE
    return char not in (_NOT_SINGLE if kind == "single" else _NOT_DOUBLE)


def _in_quotes(kind: str, text: str) -> str:
    if kind == "bare":
        return text
    if kind == "single":
        return f"'{text}'"
    return '"' + "".join(f"\\{c}" if c in _ESCAPED else c for c in text) + '"'

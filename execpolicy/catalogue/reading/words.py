"""Words as they were written, together, and as paths below a directory."""

from execpolicy.model.operation import Dynamic, Word


def show(word: Word) -> str:
    """The word as it was written."""
    return word if isinstance(word, str) else word.source


def joined(words: tuple[Word, ...]) -> Word:
    """The words with spaces between them, as ssh and `eval` put them together."""
    if all(isinstance(word, str) for word in words):
        return " ".join(words)  # type: ignore[arg-type]
    return Dynamic(" ".join(map(show, words)))


def under(directory: Word, path: Word) -> Word:
    """The path as it looks from outside the directory."""
    text = path if isinstance(path, str) else path.prefix
    if text.startswith(("/", "~")):
        return path
    if isinstance(directory, str) and isinstance(path, str):
        return f"{directory}/{path}"
    if isinstance(directory, str):
        return Dynamic(f"{directory}/{show(path)}", f"{directory}/{text}", is_single(path))
    return Dynamic(f"{directory.source}/{show(path)}", directory.prefix, True)


def is_single(path: Word) -> bool:
    """Whether this is exactly one word."""
    return isinstance(path, str) or path.single

"""Words as they were written, together, as paths below a directory, and names made of others."""

from execpolicy.model.operation import Dynamic, Word, show


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
    return Dynamic(f"{directory.source}/{show(path)}", directory.prefix, single=True)


def is_single(path: Word) -> bool:
    """Whether this is exactly one word."""
    return isinstance(path, str) or path.single


def is_name(text: str) -> bool:
    """Whether the shell takes this end of a word as it stands for the name of a file."""
    return text not in ("", ".", "..") and all(c.isalnum() or c in "._-+,@%" for c in text)


def path_hole(word: Word, start: str, single: bool) -> Word:
    """The word of find or fd with what is found in the place of `{}`, which begins like `start`."""
    if not isinstance(word, str):
        return word
    at = min((p for p in map(word.find, _HOLES) if p >= 0), default=-1)
    if at < 0:
        return word
    return Dynamic(word, word[:at] or start, single)


_HOLES = ("{}", "{.}", "{/}", "{//}", "{/.}")


def hole(word: Word, mark: str) -> Dynamic:
    """The word with something unknown where `mark` stands."""
    text = show(word)
    known = text if isinstance(word, str) else word.prefix
    source = text if mark == "{}" else text.replace(mark, "…")
    return Dynamic(source, known.partition(mark)[0], isinstance(word, str) or word.single)


def as_lines(lines: list[Word]) -> Word:
    """A text of several lines, of which nothing is known if one is computed."""
    if len(lines) == 1:
        return lines[0]
    known = [line for line in lines if isinstance(line, str)]
    if len(known) == len(lines):
        return "\n".join(known)
    return Dynamic(next(line.source for line in lines if isinstance(line, Dynamic)))


def unpacked(path: Word) -> Word | None:
    """The name without its last suffix: what `gunzip a.gz` leaves there. None where it has none."""
    text = show(path)
    directory, slash, name = text.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    if not dot or not stem.strip("."):
        return None
    found = f"{directory}{slash}{stem}"
    if isinstance(path, str):
        return found
    return Dynamic(found, path.prefix[: len(found)], path.single)


def humanish(address: str) -> str:
    """The last part of an address, as git-clone(1) names the directory by it.

    >>> [humanish(a) for a in ("https://h.example/o/r.git/", "me@h:r", "../r/.git", "a.bundle")]
    ['r', 'r', 'r', 'a']
    """
    path = address.rstrip("/").removesuffix("/.git").rstrip("/")
    name = path.rpartition("/")[2].rpartition(":")[2]
    return name.removesuffix(".git").removesuffix(".bundle")


def backups(path: Word, suffix: Word) -> tuple[Word, ...]:
    """The names under which the file is kept before it is changed.

    A star in the suffix of sed stands for the name, and a slash for another directory (GNU sed
    manual, 2.2).
    """
    if not isinstance(path, str) or not isinstance(suffix, str):
        text = path if isinstance(path, str) else path.prefix
        return (Dynamic(f"{text}$x", text, is_single(path)),)
    if "*" not in suffix:
        return (path + suffix,)
    directory, slash, name = path.rpartition("/")
    made = suffix.replace("*", name)
    return (made, under(directory, made)) if slash else (made,)

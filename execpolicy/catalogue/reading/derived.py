"""Names of files that a program makes from the names it is given."""

from execpolicy.catalogue.reading.words import is_single, under
from execpolicy.model.operation import Dynamic, Word


def unpacked(path: Word) -> Word | None:
    """The name without its last suffix: what `gunzip a.gz` leaves there. None where it has none."""
    text = path if isinstance(path, str) else path.source
    directory, slash, name = text.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    if not dot or not stem.strip("."):
        return None
    found = f"{directory}{slash}{stem}"
    if isinstance(path, str):
        return found
    return Dynamic(found, path.prefix[: len(found)], path.single)


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

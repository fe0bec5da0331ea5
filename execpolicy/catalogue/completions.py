"""What the beginning of a word may become, by the entries of the catalogue."""

from _collections_abc import Callable

from execpolicy.catalogue.catalogue import Catalogue

Completed = Callable[[tuple[str, ...]], tuple[str, ...] | None]


def completions(catalogue: "Catalogue") -> "Completed":
    """What the last of some words may be the beginning of, by the catalogue.

    A program, a subcommand or an option that is not known asks, whatever allows the rest. None
    where the word is an operand, of which anything may come.
    """

    def completed(words: tuple[str, ...]) -> tuple[str, ...] | None:
        *head, last = words
        if not head:
            return tuple(name for name in catalogue.programs() if name.startswith(last))
        if last.startswith("-"):
            entry = next(
                (e for n in range(len(head), 0, -1) if (e := catalogue.entry(" ".join(head[:n])))),
                None,
            )
            # Where options end at the first operand, the same word is none after it.
            names = entry.options.names if entry and not entry.stop_at_operand else ()
            return tuple(sorted(n for n in names if n.startswith(last))) or None
        paths = (path.split(" ") for path in catalogue.paths_of(head[0]))
        after = {p[len(head)] for p in paths if p[: len(head)] == head and len(p) > len(head)}
        return tuple(sorted(word for word in after if word.startswith(last))) or None

    return completed

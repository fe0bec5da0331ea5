"""The subcommand that the words of a command lead to."""

from execpolicy.catalogue.catalogue import Catalogue
from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.support.record import Value


class Subcommand(Value):
    """The last subcommand of a command that is known, as a user calls it (`git remote`).

    `path` is that of its entry (`python{version} -m`), `at` where its own words begin in the
    command. `entry` is None where the program is not known, or where a word is a subcommand that
    has no entry.
    """

    at: int
    name: str
    path: str
    entry: CatalogueEntry | None


def descend(argv: tuple[str, ...], catalogue: Catalogue) -> Subcommand:
    """The subcommand that the words of a command lead to."""
    name = argv[0].rpartition("/")[2]
    found = catalogue.lookup(name)
    if found is None:
        return Subcommand(1, name, name, None)
    key, entry, at, shown = found.path, found.entry, 1, name
    argv = (name, *argv[1:])
    while True:
        tokens = Tokens(entry, argv, at)
        below = None if tokens.child is None else catalogue.entry(f"{key} {tokens.child}")
        if below is None:
            return Subcommand(at, shown, key, entry if tokens.child is None else None)
        key, at, entry = f"{key} {tokens.child}", tokens.at, below
        shown = f"{shown} {tokens.child}"

"""The programs of which two catalogues do not say the same."""

from execpolicy.catalogue import Catalogue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def differing_programs(old: Catalogue, new: Catalogue) -> tuple[str, ...]:
    """The names of these programs, sorted. The places of entries in files make no difference."""
    names = old.candidates(new)
    return tuple(name for name in names if [*_signature(name, old)] != [*_signature(name, new)])


def _signature(name: str, catalogue: Catalogue) -> "Iterator[object]":
    for path, entry in catalogue.packed(name):
        yield path, entry[:2], entry[3:]

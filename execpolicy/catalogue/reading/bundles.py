"""Subcommands that are options, where they stand in a bundle: `python3 -Im json.tool`.

The words are taken apart as getopt(3) does it, so that an entry for `python -m json.tool`, and
every rule for it, holds for all spellings.
"""

from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.option import OPTIONAL
from execpolicy.model.operation import Word

_MAIN = ".__main__"
"""`python -m NAME` runs this module of a package of that name (Python manual, 1.1.1)."""


def taken_apart(argv: tuple[Word, ...], entry: CatalogueEntry) -> tuple[Word, ...]:
    """The words with such an option, and its value, as words of their own."""
    at = 1
    while at < len(argv):
        word = argv[at]
        if not isinstance(word, str) or word[:1] != "-" or word[:2] == "--" or word == "-":
            return argv
        if word in entry.children:
            return (*argv[: at + 1], *_module(word, argv[at + 1 :]))
        for place, letter in enumerate(word[1:], 1):
            option = f"-{letter}"
            if option in entry.children:
                rest = (*([word[place + 1 :]] if word[place + 1 :] else ()), *argv[at + 1 :])
                before = (word[:place],) if place > 1 else ()
                return (*argv[:at], *before, option, *_module(option, rest))
            if option in entry.options.prefixes:
                return argv  # its value is all that follows
            known = entry.options.get(option)
            if known is not None and known.count:  # it takes the rest of the word, or the next
                at += place == len(word) - 1 and known.count != OPTIONAL
                break
        at += 1
    return argv


def _module(option: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    name = words[0] if words else None
    if option == "-m" and isinstance(name, str) and name.endswith(_MAIN):
        return (name.removesuffix(_MAIN), *words[1:])
    return words

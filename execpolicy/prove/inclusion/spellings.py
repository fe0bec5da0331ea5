"""The words that a caseless token stands for: every text that folds to it."""

from collections.abc import Callable, Container, Iterator
from functools import cache
from itertools import permutations
from unicodedata import combining

from execpolicy.model.rule import fold


def unnamed(folded: str, named: Container[str]) -> str | None:
    """A spelling of the token that is not among those named; None if all of them are."""
    return next((s for s in spellings(folded) if s not in named), None)


def spellings(folded: str) -> Iterator[str]:
    """Every text that `fold` makes equal to `folded`, each once, the common ones first.

    Of ASCII, only letters, `;` and the backtick have other characters that fold to them.

    There are exponentially many; a caller who asks for one that is not named stops soon.
    """
    seen: set[str] = set()
    single = folded.isascii() and not any(char.isalpha() or char in ";`" for char in folded)
    for pieces in (_plain,) if single else (_plain, _every):
        for order in _orders(folded):
            for text in _spelled(order, pieces):
                if text not in seen and fold(text) == folded:
                    seen.add(text)
                    yield text


def with_name(folded: str, name: str, named: Container[str]) -> str | None:
    """A spelling of a path that ends in exactly this name and is not among those named."""
    directory = folded.rpartition("/")[0] + "/"
    return next((s + name for s in spellings(directory) if s + name not in named), None)


def _spelled(text: str, pieces: Callable[[str], list[tuple[str, str]]]) -> Iterator[str]:
    """The text with each piece of it replaced by whatever folds to it."""
    stack = [("", text)]
    while stack:
        done, rest = stack.pop()
        if not rest:
            yield done
            continue
        stack.extend((done + char, rest[len(piece) :]) for piece, char in pieces(rest))


def _plain(rest: str) -> list[tuple[str, str]]:
    """The first character, small and large. The last is tried first."""
    return [(rest[0], char) for char in dict.fromkeys((rest[0].upper(), rest[0]))]


def _every(rest: str) -> list[tuple[str, str]]:
    """All characters whose folded form is where the text begins: K and the kelvin sign are k."""
    table = _folding()
    found = [(rest[0], rest[0])]
    for length in range(1, 1 + max(map(len, table))):
        if len(rest) >= length:
            found += [(rest[:length], char) for char in table.get(rest[:length], ())]
    return found


@cache
def _folding() -> dict[str, list[str]]:
    """Folded texts, each with the single characters that fold to it."""
    found: dict[str, list[str]] = {}
    for code in range(0x110000):
        char = chr(code)
        if 0xD800 <= code < 0xE000:
            continue  # halves of pairs, no characters
        folded = fold(char)
        if folded != char:
            found.setdefault(folded, []).append(char)
    return found


def _orders(folded: str) -> Iterator[str]:
    """The text with its marks in every order: folding sorts those of different classes."""
    start = next((at for at, char in enumerate(folded) if combining(char)), None)
    if start is None:
        yield folded
        return
    end = start
    while end < len(folded) and combining(folded[end]):
        end += 1
    for marks in permutations(folded[start:end]):
        for rest in _orders(folded[end:]):
            yield folded[:start] + "".join(marks) + rest

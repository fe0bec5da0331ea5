"""Other words that a command line can come to be where the end of an option is computed.

`-u"$x"` is `-u` where the variable is empty, and takes the word after it for its value. A pattern
such as `--contains=v*` is not a word at all where nothing matches it under `nullglob`, and `-u*` is
`-u` where a file is called so.
"""

from _collections_abc import Iterator
from itertools import product

from execpolicy.model.operation import Dynamic, Word, show

MAX_COMPUTED = 3
"""So many words at most are looked at in all combinations; of more, nothing is known."""


def empty_variants(argv: tuple[Word, ...]) -> "Iterator[tuple[Word, ...]]":
    """Each other argv; one of which nothing is known where there would be too many."""
    ways = [_ways(word, at + 1 == len(argv)) for at, word in enumerate(argv)]
    if sum(len(each) > 1 for each in ways) > MAX_COMPUTED:
        yield (Dynamic(" ".join(map(show, argv))),)
        return
    for number, chosen in enumerate(product(*ways)):
        if number:  # the first is the argv itself
            yield tuple(word for words in chosen for word in words)


def _ways(word: Word, last: bool) -> tuple[tuple[Word, ...], ...]:
    """The word, and what one with the beginning of an option can be besides: bare, or nothing.

    At the very end a bare option has no value, of which the program says so and stops.
    """
    if not isinstance(word, Dynamic) or word.prefix[:1] != "-":
        return ((word,),)
    ways: list[tuple[Word, ...]] = [(word,)]
    if len(word.prefix) == len("-u") and word.prefix != "--" and not last:
        ways.append((word.prefix,))
    if not word.single:
        ways.append(())
    return tuple(ways)

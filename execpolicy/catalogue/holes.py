"""Words with a part taken away, or with something unknown in the place of a part."""

from execpolicy.operation import Dynamic, Word


def behind(heads: tuple[str, ...], word: Word) -> Word:
    """What is left of the word when the head it begins with is gone."""
    known = word if isinstance(word, str) else word.prefix
    size = max((len(head) for head in heads if known.startswith(head)), default=0)
    if isinstance(word, str):
        return word[size:]
    source = word.source[size:] if word.source.startswith(known) else word.source
    return Dynamic(source, known[size:], word.single)


def path_hole(word: Word, start: str, single: bool) -> Word:
    """The word with a found path in the place of `{}` and its relatives."""
    if not isinstance(word, str):
        return word
    at = min((p for p in map(word.find, _HOLES) if p >= 0), default=-1)
    if at < 0:
        return word
    return Dynamic(word, word[:at] or start, single)


_HOLES = ("{}", "{.}", "{/}", "{//}", "{/.}")

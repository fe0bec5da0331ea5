"""Words of commands inside another into which that one puts what it finds or reads."""

from execpolicy.model.operation import Dynamic, Word


def path_hole(word: Word, start: str, single: bool) -> Word:
    if not isinstance(word, str):
        return word
    at = min((p for p in map(word.find, _HOLES) if p >= 0), default=-1)
    if at < 0:
        return word
    return Dynamic(word, word[:at] or start, single)


_HOLES = ("{}", "{.}", "{/}", "{//}", "{/.}")


def hole(word: Word, mark: str) -> Dynamic:
    """The word with something unknown where `mark` stands."""
    text = word if isinstance(word, str) else word.source
    known = text if isinstance(word, str) else word.prefix
    source = text if mark == "{}" else text.replace(mark, "…")
    return Dynamic(source, known.partition(mark)[0], isinstance(word, str) or word.single)

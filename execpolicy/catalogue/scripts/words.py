"""The word lists of the languages that scripts are in: data beside the shipped rules."""

from execpolicy.support.resources import words_text


def words_of(language: str) -> dict[str, frozenset[str]]:
    """The lists of a language by their names, read when a script in it is first met.

    A line that ends in `:` names a list, the indented lines after it hold its words, and `#` begins
    a comment. Raises `OSError` where the file is missing.

    >>> sorted(words_of("ffmpeg")["bare"])
    ['psnr', 'ssim']
    """
    lists: dict[str, list[str]] = {}
    words: list[str] = []
    for line in words_text(language).split("\n"):
        if line.startswith(" "):
            words += line.split()
        elif line and line[0] != "#":
            words = lists[line.rstrip(":")] = []
    return {name: frozenset(listed) for name, listed in lists.items()}

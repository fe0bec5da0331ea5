"""What `git push -u` with a key writes down after it, by the user's own git: what a branch follows.

The run itself reads the repository's configuration as it was judged, and writes nothing there.
"""

from _collections_abc import Iterator

from execpolicy.support.record import Value

_LONG = "--set-upstream"
_SHORT = frozenset("dfnquv46")
"""Options of one letter that take no value, which may stand together with `-u` (git-push(1))."""
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/")


class Upstream(Value):
    """The words of a push without `-u`, and the settings that are to be written after it."""

    argv: tuple[str, ...]
    settings: tuple[tuple[str, str], ...] = ()


def upstream(argv: tuple[str, ...], operands: tuple[str, ...], branch: str) -> Upstream:
    """What `-u` of a push asks for. `operands` are its remote and what is pushed, `branch` is the
    one that is checked out.

    >>> upstream(("git", "push", "-fu", "o", "HEAD"), ("o", "HEAD"), "a").argv
    ('git', 'push', '-f', 'o', 'HEAD')
    """
    if not any(_asks(word) for word in argv):
        return Upstream(argv)
    words = tuple(_without(argv))
    source, _, target = (operands[1] if len(operands) == 2 else branch).lstrip("+").partition(":")
    source = branch if source == "HEAD" else source.removeprefix("refs/heads/")
    target = (target or source).removeprefix("refs/heads/")
    plain = all(name and _NAME.issuperset(name) for name in (source, target))
    if len(operands) > 2 or not operands or not plain:
        return Upstream(words)
    key = f"branch.{source}"
    settings = (f"{key}.remote", operands[0]), (f"{key}.merge", f"refs/heads/{target}")
    return Upstream(words, settings)


def _asks(word: str) -> bool:
    bundle = word[:1] == "-" and word[1:2] != "-" and "u" in word
    return word == _LONG or (bundle and _SHORT.issuperset(word[1:]))


def _without(argv: tuple[str, ...]) -> Iterator[str]:
    for word in argv:
        left = word if word == _LONG or not _asks(word) else word.replace("u", "")
        if left not in (_LONG, "-"):
            yield left

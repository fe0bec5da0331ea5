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
    """The words of a push without `-u`, and the settings that are to be written after it.

    `told` are words by which git writes them, too, and says so, if it knows the branch of the
    remote by then.
    """

    argv: tuple[str, ...]
    settings: tuple[tuple[str, str], ...] = ()
    told: tuple[str, ...] = ()


def upstream(argv: tuple[str, ...], operands: tuple[str, ...], branch: str) -> Upstream:
    """What `-u` of a push asks for. `operands` are its remote and what is pushed, `branch` is the
    one that is checked out.

    >>> upstream(("git", "push", "-fu", "o", "HEAD"), ("o", "HEAD"), "a").argv
    ('git', 'push', '-f', 'o', 'HEAD')
    """
    if not _says(argv, "u", _LONG):
        return Upstream(argv)
    words = tuple(_without(argv))
    source, _, target = (operands[1] if len(operands) == 2 else branch).lstrip("+").partition(":")
    source = branch if source == "HEAD" else source.removeprefix("refs/heads/")
    target = (target or source).removeprefix("refs/heads/")
    plain = all(name and _NAME.issuperset(name) for name in (source, target))
    if len(operands) > 2 or not operands or not plain or _says(argv, "n", "--dry-run"):
        return Upstream(words)
    key = f"branch.{source}"
    settings = (f"{key}.remote", operands[0]), (f"{key}.merge", f"refs/heads/{target}")
    quiet = ("-q",) if _says(argv, "q", "--quiet") else ()
    told = ("branch", *quiet, f"--set-upstream-to={operands[0]}/{target}", source)
    return Upstream(words, settings, told)


def _says(argv: tuple[str, ...], letter: str, long: str) -> bool:
    return any(word == long or letter in _bundle(word) for word in argv)


def _bundle(word: str) -> str:
    """The options of one letter in a word."""
    letters = word[1:] if word[:1] == "-" else ""
    return letters if _SHORT.issuperset(letters) else ""


def _without(argv: tuple[str, ...]) -> Iterator[str]:
    for word in argv:
        left = word.replace("u", "") if _bundle(word) else word
        if left not in (_LONG, "-"):
            yield left

"""Formats of the shell's `printf` (bash manual, section 4.2; zsh manual, section 17)."""

_BEFORE = "-+ #0123456789.'*hlLjzt$"  # zsh knows `%2$d`


_NUMERIC = frozenset("diouxXcaAeEfFgG*")


def conversions(text: str) -> set[str]:
    """The letters of the directives, and `*` where a width is an argument.

    >>> sorted(conversions("%-5s %*d 100%%n"))
    ['*', 'd', 's']
    """
    directives = text.replace("%%", "").split("%")[1:]
    found = {directive.lstrip(_BEFORE)[:1] for directive in directives}
    return found | {"*" for d in directives if "*" in d[: len(d) - len(d.lstrip(_BEFORE))]}


def shows_numbers(text: str) -> bool:
    """Whether an argument is taken for a number."""
    return not _NUMERIC.isdisjoint(conversions(text))


def numbers(text: str) -> list[bool]:
    """Whether each argument in turn is taken for a number; empty where that is not sure.

    >>> numbers("%-5s %*d%%")
    [False, True, True]
    """
    taken: list[bool] = []
    for directive in text.replace("%%", "").split("%")[1:]:
        rest = directive.lstrip(_BEFORE)
        before = directive[: len(directive) - len(rest)]
        if not rest[:1].isalpha() or "$" in directive[: len(before) + 1]:
            return []
        taken += [True] * before.count("*") + [rest[0] in _NUMERIC]
    return taken


def counts(text: str) -> bool:
    """Whether an argument is a name that will hold how much was printed so far (`%n`)."""
    return "n" in conversions(text)

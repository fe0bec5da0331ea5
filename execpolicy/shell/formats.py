"""Formats of the shell's `printf` (bash manual, section 4.2; zsh manual, section 17)."""

_BEFORE = "-+ #0123456789.'*hlLjzt"


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


def counts(text: str) -> bool:
    """Whether an argument is a name that will hold how much was printed so far (`%n`)."""
    return "n" in conversions(text)

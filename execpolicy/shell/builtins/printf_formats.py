"""Formats of the shell's `printf` (bash manual, section 4.2; zsh manual, section 17)."""

_BEFORE = "-+ #0123456789.'*hlLjzt$"  # zsh knows `%2$d`


_NUMERIC = frozenset("diouxXcaAeEfFgG*")
_CODES = frozenset("01234567xuU")
_DIGITS = frozenset("0123456789abcdefABCDEF")
_LENGTHS = {"u": 4, "U": 8}
_PERCENT = 0x25


def conversions(text: str) -> set[str]:
    """The letters of the directives, and `*` where a width is an argument.

    >>> sorted(conversions("%-5s %*d 100%%n"))
    ['*', 'd', 's']
    """
    text = text.replace("%%", "")
    directives = text.split("%")[1:]
    found = {directive.lstrip(_BEFORE)[:1] for directive in directives}
    if "\\" in text and _is_made(text):
        found |= _NUMERIC | {"n"}
    return found | {"*" for d in directives if "*" in d[: len(d) - len(d.lstrip(_BEFORE))]}


def _is_made(text: str) -> bool:
    """Whether an escape makes a part of a directive: zsh reads the escapes of a format first.

    A percent sign by its octal or hexadecimal number stands for `%%`.
    """
    before, *escapes = text.split("\\")
    for escape in escapes:
        code = escape[:1]
        _, sign, flags = before.rpartition("%")
        if sign and code in _CODES and not flags.strip(_BEFORE):
            return True
        digits = escape[1 : 1 + _LENGTHS.get(code, 0)]
        while digits and not _DIGITS.issuperset(digits):
            digits = digits[:-1]
        if digits and int(digits, 16) == _PERCENT:
            return True
        before = escape
    return False


def shows_numbers(text: str) -> bool:
    """Whether an argument is taken for a number."""
    return not _NUMERIC.isdisjoint(conversions(text))


def numbers(text: str) -> list[bool]:
    """Whether each argument in turn is taken for a number; empty where that is not sure.

    >>> numbers("%-5s %*d%%")
    [False, True, True]
    """
    taken: list[bool] = []
    text = text.replace("%%", "")
    if "\\" in text and _is_made(text):
        return []
    for directive in text.split("%")[1:]:
        rest = directive.lstrip(_BEFORE)
        before = directive[: len(directive) - len(rest)]
        if not rest[:1].isalpha() or "$" in directive[: len(before) + 1]:
            return []
        taken += [True] * before.count("*") + [rest[0] in _NUMERIC]
    return taken


def counts(text: str) -> bool:
    """Whether an argument is a name that will hold how much was printed so far (`%n`)."""
    return "n" in conversions(text)

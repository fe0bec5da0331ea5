"""The notation of `program(...)`: option specs and operand tokens, from text to plain data.

An option spec compiles to `(id, count, kinds, effects)`. `count` is the number of values, or one of
OPTIONAL (joined only), ANY, SOME (words up to the next option), UNTIL_END (a command up to `;`).
An operand item is `(kind, mode, free)` with a mode of ONE, MAYBE or MANY; it is free where every
word is of its kind.
"""

from execpolicy.catalogue.grammar.kinds import POSSIBLE, TAILS, UNTIL, picky
from execpolicy.model.program import EFFECTS, MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Kind = Any
    Made = TypeVar("Made")

OPTIONAL, ANY, SOME, UNTIL_END = -1, -2, -3, -4
ONE, MAYBE, MANY = 0, 1, 2
_EFFECTS = EFFECTS + MARKS
_WORDS = frozenset(("!", "(", ")", ",", "[", "]", "{", "}", "--"))

Spec = tuple[int, int, "tuple[Kind, ...]", tuple[str, ...]]
Item = tuple["Kind", int, bool]


class NotationError(Exception):
    """A text that is not in the notation. The message says what and what to write instead."""


def _once(make: "Callable[[str], Made]") -> "Callable[[str], Made]":
    """Compiles each text once: most programs have `-h/--help` and `file*`.

    `functools` would cost the hot path a millisecond.
    """
    known: dict[str, Made] = {}

    def made(text: str) -> "Made":
        found = known.get(text)
        if found is None:
            found = known[text] = make(text)
        return found

    return made


def split_outside(text: str, separator: str) -> list[str]:
    """Split at separators that are not inside `{…}`."""
    if "{" not in text:
        return text.split(separator)
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == separator and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def words(text: str) -> list[str]:
    r"""The words of a notation, between blanks and line ends that are not inside `{…}`.

    Inside, a line end is nothing, nor are the blanks around it: a long list may have many lines.

    >>> words("-a  -b={x|\n    y z}!write\n  -c")
    ['-a', '-b={x|y z}!write', '-c']
    """
    if "{" not in text:
        return text.split()
    joined, depth = "", 0
    for line in text.split("\n"):
        depth += line.count("{") - line.count("}")
        joined += line.strip() + ("" if depth > 0 else " ")
    found: list[str] = []
    for part in split_outside(joined, " "):
        found += [part.strip()] if "{" in part else part.split()
    return found


def option(text: str, identity: int) -> tuple[tuple[str, ...], Spec]:
    """The names and the compiled form of one option spec."""
    names, (_, count, kinds, effects) = _option(text)
    return names, (identity, count, kinds, effects)


@_once
def _option(text: str) -> tuple[tuple[str, ...], Spec]:
    if text in _WORDS:
        return (text,), (0, 0, (), ())
    body, effects = _effects(text)
    names, optional, values = _halves(body)
    if optional:
        return _names(names), (0, OPTIONAL, (kind(values or "text"),), effects)
    if values is None:
        return _names(names), (0, 0, (), effects)
    count, kinds = _values(values)
    if not names.startswith(("-", "+")):
        names = "/".join(f"{name}=" for name in names.split("/"))
    return _names(names), (0, count, kinds, effects)


def _effects(text: str) -> tuple[str, tuple[str, ...]]:
    body, *rest = split_outside(text, "!")
    if not rest or len(split_outside(text, "|")) > 1:
        return text, ()
    effects = tuple(rest[0].split(","))
    for effect in effects:
        if effect not in _EFFECTS or len(rest) > 1:
            known = _list(_EFFECTS)
            raise NotationError(f"unknown effect `{'!'.join(rest)}`: write one of {known}")
    return body, effects


def _halves(body: str) -> tuple[str, bool, str | None]:
    """Names, whether the value is optional, and the value as written."""
    names, equals, values = body.partition("=")
    if not equals:
        return body, False, None
    if names.endswith("["):
        if not values.endswith("]"):
            raise NotationError("an optional value has no end: write `[=KIND]`")
        return names[:-1], True, values[:-1]
    return names, False, values


def _names(text: str) -> tuple[str, ...]:
    names: list[str] = []
    for name in text.replace("\\/", "\0").split("/"):
        if not name or name == "-" or (name == "--" and text != name):
            raise NotationError("an option has no name")
        if "[no-]" in name:
            names += [name.replace("[no-]", ""), name.replace("[no-]", "no-")]
        else:
            names.append(name)
    return tuple(name.replace("\0", "/") for name in names)


def _values(text: str) -> "tuple[int, tuple[Kind, ...]]":
    if text in UNTIL:
        return UNTIL_END, (text,)
    if text.endswith(("*", "+")):
        return (ANY if text[-1] == "*" else SOME), (kind(text[:-1] or "text"),)
    kinds = tuple(kind(part or "text") for part in split_outside(text, ","))
    return len(kinds), kinds


@_once
def kind(text: str) -> "Kind":
    """The compiled form of a kind."""
    parts = split_outside(text, "|")
    if len(parts) > 1:
        return ("|", *map(kind, parts))
    body, effects = _effects(text)
    if effects:
        return ("!", kind(body), effects)
    if text.startswith("{") and text.endswith("}"):
        return _alternatives(_choices(text[1:-1]))
    if text.startswith("{") and "}" in text:
        return _behind(*text.rsplit("}", 1))
    if text not in POSSIBLE:
        raise NotationError(f"unknown kind `{text}`: write one of {_list(POSSIBLE)}")
    return text


def _behind(heads: str, of: str) -> "Kind":
    """`{exec=*}shell`: what the star stands for is of the kind behind; of `{*.db}file` the word."""
    if of in TAILS or of in UNTIL:
        raise NotationError(f"`{of}` cannot be a part of a word: write `shell`")
    alternatives = _alternatives(_choices(heads[1:]))
    if alternatives[1] or alternatives[4] or (alternatives[2] and alternatives[3]):
        raise NotationError(
            f"`{heads}}}` has a word without `*` at its end: write `{{a=*}}{of}` or `{{*.x}}{of}`"
        )
    return ("^", alternatives, kind(of))


def _choices(text: str) -> list[str]:
    """The alternatives of a list, in which `\\|` is the sign itself."""
    return [word.replace("\0", "|") for word in text.replace("\\|", "\0").split("|")]


def _alternatives(words: list[str]) -> "Kind":
    exact, heads, tails, middles = [], [], [], []
    for word in words:
        if word.startswith("*") and word.endswith("*"):
            middles.append(word.strip("*"))
        elif word.endswith("*"):
            heads.append(word[:-1])
        elif word.startswith("*"):
            tails.append(word[1:])
        else:
            exact.append(word)
    return ("{", frozenset(exact), tuple(heads), tuple(tails), tuple(middles))


@_once
def operands(text: str) -> "tuple[tuple[Item, ...], Kind | None]":
    """The items of an operand notation, and the kind of what is read from standard input."""
    items: list[Item] = []
    stdin: Kind | None = None
    for token in words(text):
        if token.startswith("<"):
            stdin = kind(token[1:])
        else:
            items += _token(token)
    if sum(mode == MANY and free and kind not in TAILS for kind, mode, free in items) > 1:
        raise NotationError("two operands repeat, which cannot be told apart: let only one")
    return tuple(items), stdin


def _token(text: str) -> list[Item]:
    if text.startswith("command+"):
        items = [("command+", ONE, True), ("command+", MANY, True)]
        return items[1:] if text.endswith("?") else items
    quantifier = text[-1] if text[-1] in "?*+" else ""
    name = text[: len(text) - len(quantifier)]
    of = name if name in TAILS else kind(name)
    if of in TAILS:
        return [(of, MANY, True)] if quantifier else [(of, ONE, True), (of, MANY, True)]
    if of in UNTIL:
        raise NotationError(f"`{of}` is for the value of an option: write `command`")
    modes = {"": (ONE,), "?": (MAYBE,), "*": (MANY,), "+": (ONE, MANY)}[quantifier]
    return [(of, mode, not picky(of)) for mode in modes]


def _list(words: "Any") -> str:
    return ", ".join(f"`{word}`" for word in words)

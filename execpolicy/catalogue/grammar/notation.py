"""The notation of `program(...)`: option specs and operand tokens, from text to values.

option-spec = name *( "/" name ) [ "[=" kind "]" | "=" values ] [ "!" effects ]
values      = kind *( "," kind ) | kind "*" | kind "+" | "command;" | "command;." | "command;+"
                                                     | "command;@"
operands    = *( kind [ "?" | "*" | "+" ] | "<" kind )
kind        = part *( "|" part )
part        = ( name-of-a-kind | "{" word *( "|" word ) "}" [ kind ] ) [ "!" effects ]
effects     = effect *( "," effect )
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from execpolicy.catalogue.form import Operand
from execpolicy.catalogue.kinds.kind import Affixed, Kind, Literals, OneOf, WithEffects, restrictive
from execpolicy.catalogue.kinds.names import EFFECTS_OF, TAILS, UNTIL
from execpolicy.catalogue.option import ANY, OPTIONAL, SOME, UNTIL_END, Option
from execpolicy.model.program import EFFECTS, MARKS

Made = TypeVar("Made")

_EFFECTS = EFFECTS + MARKS
_WORDS = frozenset(("!", "(", ")", ",", "[", "]", "{", "}", "--"))


class NotationError(Exception):
    """A text that is not in the notation. The message says what and what to write instead."""


def _once(make: Callable[[str], Made]) -> Callable[[str], Made]:
    """Compiles each text once: most programs have `-h/--help` and `file*`.

    `functools` would cost the hot path a millisecond.
    """
    known: dict[str, Made] = {}

    def made(text: str) -> Made:
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


@_once
def option(text: str) -> tuple[tuple[str, ...], Option]:
    """The names and the meaning of one option spec, with an identity of 0.

    Raises `NotationError`.
    """
    if text in _WORDS:
        return (text,), Option(0)
    body, effects = _effects(text)
    names, optional, values = _halves(body)
    if optional:
        return _names(names), Option(0, OPTIONAL, (kind(values or "text"),), effects)
    if values is None:
        return _names(names), Option(0, 0, (), effects)
    count, kinds = _values(values)
    if not names.startswith(("-", "+")):
        names = "/".join(f"{name}=" for name in names.split("/"))
    return _names(names), Option(0, count, kinds, effects)


def _effects(text: str) -> tuple[str, tuple[str, ...]]:
    body, *rest = split_outside(text, "!")
    if not rest or len(split_outside(text, "|")) > 1:
        return text, ()
    effects = tuple(rest[0].split(","))
    for effect in effects:
        if effect not in _EFFECTS or len(rest) > 1:
            known = listed(_EFFECTS)
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


def _values(text: str) -> tuple[int, tuple[Kind, ...]]:
    if text in UNTIL:
        return UNTIL_END, (text,)
    if text.endswith(("*", "+")):
        return (ANY if text[-1] == "*" else SOME), (kind(text[:-1] or "text"),)
    kinds = tuple(kind(part or "text") for part in split_outside(text, ","))
    return len(kinds), kinds


@_once
def kind(text: str) -> Kind:
    """The kind of this notation. Raises `NotationError`."""
    parts = split_outside(text, "|")
    if len(parts) > 1:
        return OneOf(tuple(map(kind, parts)))
    body, effects = _effects(text)
    if effects:
        return WithEffects(kind(body), effects)
    if text.startswith("{") and text.endswith("}"):
        return _literals(_choices(text[1:-1]))
    if text.startswith("{") and "}" in text:
        return _affixed(*text.rsplit("}", 1))
    if text not in EFFECTS_OF:
        raise NotationError(f"unknown kind `{text}`: write one of {listed(EFFECTS_OF)}")
    return text


def _affixed(heads: str, of: str) -> Kind:
    """`{exec=*}shell`: what the star stands for is of the kind; of `{*.db}file` the whole word."""
    if of in TAILS or of in UNTIL:
        raise NotationError(f"`{of}` cannot be a part of a word: write `shell`")
    words = _literals(_choices(heads[1:]))
    if words.exact or words.middles or (words.heads and words.tails):
        raise NotationError(
            f"`{heads}}}` has a word without `*` at its end: write `{{a=*}}{of}` or `{{*.x}}{of}`"
        )
    return Affixed(words, kind(of))


def _choices(text: str) -> list[str]:
    """The alternatives of a list, in which `\\|` is the sign itself."""
    return [word.replace("\0", "|") for word in text.replace("\\|", "\0").split("|")]


def _literals(words: list[str]) -> Literals:
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
    return Literals(frozenset(exact), tuple(heads), tuple(tails), tuple(middles))


@_once
def operands(text: str) -> tuple[tuple[Operand, ...], Kind | None]:
    """The places of an operand notation, and the kind of what is read from standard input.

    Raises `NotationError`.
    """
    found: list[Operand] = []
    stdin: Kind | None = None
    for token in words(text):
        if token.startswith("<"):
            stdin = kind(token[1:])
        else:
            found += _token(token)
    if sum(each.repeats and each.free and each.kind not in TAILS for each in found) > 1:
        raise NotationError("two operands repeat, which cannot be told apart: let only one")
    return tuple(found), stdin


def _token(text: str) -> list[Operand]:
    if text.startswith("command+"):
        both = [_one("command+"), _many("command+")]
        return both[1:] if text.endswith("?") else both
    quantifier = text[-1] if text[-1] in "?*+" else ""
    name = text[: len(text) - len(quantifier)]
    of = name if name in TAILS else kind(name)
    if of in TAILS:
        return [_many(of)] if quantifier else [_one(of), _many(of)]
    if of in UNTIL:
        raise NotationError(f"`{of}` is for the value of an option: write `command`")
    if quantifier == "?":
        return [Operand(of, required=False, repeats=False, free=not restrictive(of))]
    return {"": [_one(of)], "*": [_many(of)], "+": [_one(of), _many(of)]}[quantifier]


def _one(of: Kind) -> Operand:
    return Operand(of, required=True, repeats=False, free=not restrictive(of))


def _many(of: Kind) -> Operand:
    return Operand(of, required=False, repeats=True, free=not restrictive(of))


def listed(words: Iterable[str]) -> str:
    """Words for a message."""
    return ", ".join(f"`{word}`" for word in words)

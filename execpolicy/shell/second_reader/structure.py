"""The structure of a skeleton: what bashlex answers depends on it, and on nothing else.

How many words a simple command has does not change how the text around it is read, nor how many
simple commands stand in a list, nor what else stands on the same level. So a skeleton is cut into
commands, each run of words becomes one word, and each list of simple commands one command. What
bashlex says to such a text holds for all of the same structure.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    class BashlexNode(Protocol):
        """What is read of a node of bashlex's trees; some kinds have `list` in place of `parts`."""

        kind: str
        pos: tuple[int, int]
        parts: "list[BashlexNode]"
        body: "BashlexNode"

    Answer = tuple[int, ...] | None
    """The places in a structure of the runs of words that are commands; None where bashlex cannot
    read it."""
    Runs = list[int]

MAX_KEY = 1000
"""Characters of a structure that is kept."""
_SEPARATORS = frozenset((";", "&", "\n"))
_OPERATORS = _SEPARATORS | {"&&", "||", "|"}
_AFTER_WORDS = _OPERATORS | {"", ")"}
"""What may stand after a run of words of any length."""
_NAMED = frozenset(("for",))
"""Reserved words that are followed by one name."""
_AFTER_NAME = frozenset(("in", "do", ";", "\n", "{"))
_OPENING = {"for": 1, "while": 1, "until": 1, "if": 1, "{": 1, "(": 1}
_CLOSING = {"done": 1, "fi": 1, "}": 1, ")": 1}
_KNOWN = frozenset(
    ("w", "!", "time", "in", "do", "then", "elif", "else", *_OPENING, *_CLOSING, *_OPERATORS)
)


class Structure:
    """A command in which each `w` stands for simple commands, with their numbers of words."""

    __slots__ = ("key", "lengths")

    def __init__(self, tokens: list[str], lengths: "list[Runs]") -> None:
        self.key = " ".join(tokens)
        self.lengths = lengths

    def shapes(self, answer: "tuple[int, ...]") -> list[int]:
        """The number of words of each simple command, of which an answer has the places."""
        return [length for place in answer for length in self.lengths[place]]


def structures(line: str) -> list[Structure] | None:
    """The structures of a skeleton, one after the other.

    None where a reserved word stands among other words, or where it is not sure how to cut.
    """
    tokens: list[str] = []
    lengths: list[Runs] = []
    for sign, length in _words(line.split(" ")):
        if length < 0:
            return None
        if sign == "w":
            after = tokens[-2:-1] == ["w"] and tokens[-1] in _OPERATORS and length != 0
            if after and tokens[-3:-2] not in (["for"], ["in"]):
                lengths[-1].append(length)
                tokens.pop()
                continue
            lengths.append([length] if length else [1])
        tokens.append(sign)
    return _cut(tokens, lengths)


def _words(tokens: list[str]) -> "Iterator[tuple[str, int]]":
    """Each sign, of a run of words one with their number.

    The number is 0 for the name of a function, and -1 where what stands there is not known.
    """
    at, count, before = 0, len(tokens), ""
    while at < count:
        sign, start = tokens[at], at
        at += 1
        length = 0
        if sign == "w":
            while at < count and tokens[at] == "w":
                at += 1
            length = _length(before, at - start, tokens[at] if at < count else "")
        elif sign not in _KNOWN:
            length = -1
        yield sign, length
        before = sign


def _length(before: str, length: int, after: str) -> int:
    """The number of words where a run of any length is read alike between these."""
    if before in _NAMED:
        return 1 if length == 1 and after in _AFTER_NAME else -1
    if after == "(":
        return 0 if length == 1 else -1
    return length if after in _AFTER_WORDS else -1


def _cut(tokens: list[str], lengths: "list[Runs]") -> list[Structure] | None:
    """The commands of the outermost list, each alone."""
    found: list[Structure] = []
    depth = begin = words = first = 0
    for at, sign in enumerate((*tokens, ";")):
        words += sign == "w"
        depth += _OPENING.get(sign, 0) - _CLOSING.get(sign, 0)
        if depth < 0:
            return None
        if sign in _SEPARATORS and (depth == 0 or at == len(tokens)):
            inside = tokens[begin:at]
            if _goes_on(inside) and sign == "\n":
                continue
            if not inside and (at < len(tokens) or not found or tokens[-1] == "\n"):
                return None
            if inside and "w" not in inside:  # `! ;` is an empty command, `!` alone is a mistake
                return None
            if inside:
                found.append(Structure(inside, lengths[first:words]))
            begin, first = at + 1, words
    return found if all(len(one.key) <= MAX_KEY for one in found) else None


def _goes_on(tokens: list[str]) -> bool:
    """Whether the command that ends here goes on after a line break."""
    return tokens[-1:] in (["&&"], ["||"], ["|"]) or tokens[-2:] == ["(", ")"]


def runs(key: str, trees: "list[BashlexNode]") -> "tuple[int, ...] | None":
    """Which runs bashlex takes for simple commands, in its order; None where these are not runs."""
    places: dict[int, int] = {}
    offset = 0
    for sign in key.split(" "):
        if sign == "w":
            places[offset] = len(places)
        offset += len(sign) + 1
    found = []
    for node in commands(trees):
        start = node.parts[0].pos[0] if len(node.parts) == 1 else -1
        if start not in places:
            return None
        found.append(places[start])
    return tuple(found)


def commands(trees: "list[BashlexNode]") -> "list[BashlexNode]":
    """The simple commands of bashlex's trees, in the order of the text."""
    found = []
    waiting = list(reversed(trees))
    while waiting:
        node = waiting.pop()
        if node.kind == "command":
            found.append(node)
        elif node.kind == "function":
            waiting.append(node.body)
        else:
            inner = getattr(node, "list", None) or getattr(node, "parts", None) or []
            waiting += reversed(inner)
    return found

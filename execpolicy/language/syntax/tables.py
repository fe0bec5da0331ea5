"""Parses text by the tables that lark made of the grammar, without lark.

A text that parses is read here, at twice the speed and without the import; why one does not parse
is for lark to say. A property test holds that both make the same tree.
"""

import re
from collections.abc import Callable, Iterator
from typing import Protocol

from execpolicy.language.syntax.layout import layout
from execpolicy.language.syntax.table_form import Tables
from execpolicy.language.syntax.tree import Leaf, Node, Tree
from execpolicy.support.resources import grammar_text


class Kept(Protocol):
    """What keeps tables, as plain data: saved under a stamp, loaded by that stamp."""

    def load(self, stamp: str) -> object:
        """What was saved under this stamp; None where nothing was."""

    def save(self, stamp: str, tables: Tables) -> None:
        """Keep the tables, in the place of those of other stamps."""


Match = Callable[[str, int], re.Match[str] | None]

FORM = 1
"""Counted up when the shape of the tables changes."""
_PARTS = {"actions", "rules", "start", "end", "patterns", "chosen", "ignored"}


class Driver:
    """Reads texts by tables."""

    def __init__(self, tables: Tables) -> None:
        self._actions = tables["actions"]
        self._rules = tables["rules"]
        self._start, self._end = tables["start"], tables["end"]
        self._patterns = tables["patterns"]
        self._chosen = tables["chosen"]
        self._ignored = frozenset(tables["ignored"])
        self._matches: list[Match | None] = [None] * len(self._patterns)
        # Rules of one part that change nothing: a string passes through fourteen on its way up.
        self._idle = frozenset(
            ~number
            for number, (_, length, _, alone, inlined) in enumerate(self._rules)
            if length == 1 and alone and not inlined
        )
        self._settled: dict[tuple[int, int, str], int] = {}

    def parse(self, text: str) -> Node | None:
        """The tree of a text that begins with a line end, or None if it does not parse.

        Raises `LayoutError`.
        """
        states = [self._start]
        values: list[Tree] = []
        feed = self._feed
        for leaf in layout(self._leaves(text, states)):
            if not feed(leaf.type, states, values):
                return None
            values.append(leaf)
        if not self._feed("$END", states, values):
            return None
        (root,) = values
        return root if isinstance(root, Node) else None

    def _leaves(self, text: str, states: list[int]) -> Iterator[Leaf]:
        """The tokens of a text, as long as there are any, by the state that the parser is in."""
        at, line, begin, end = 0, 0, 0, len(text)
        chosen, ignored, matches = self._chosen, self._ignored, self._matches
        while at < end:
            number = chosen[states[-1]]
            match = (matches[number] or self._match(number))(text, at)
            if match is None:
                yield Leaf("", text[at], at - 1, line, at - begin + 1)
                return
            kind, value, start, at = match.lastgroup or "", match[0], at, match.end()
            if "\n" not in value:
                if kind not in ignored:
                    yield Leaf(kind, value, start - 1, line, start - begin + 1)
                continue
            leaf = Leaf(kind, value, start - 1, line, start - begin + 1)
            line += value.count("\n")
            begin = text.rindex("\n", 0, at) + 1
            if kind not in ignored:
                leaf.end_line = line
                leaf.end_column = at - begin + 1
                yield leaf

    def _match(self, number: int) -> Match:
        """What matches the tokens of a pattern, compiled when it is first needed."""
        found = self._matches[number] = re.compile(self._patterns[number]).match
        return found

    def _feed(self, kind: str, states: list[int], values: list[Tree]) -> bool:
        """Reduce until a token of this kind can be shifted; whether it ever can."""
        actions, idle, settled = self._actions, self._idle, self._settled
        while True:
            state = states[-1]
            if kind == "$END" and state == self._end:
                return True
            action = actions[state].get(kind)
            if action is None:
                return False
            if action >= 0:
                states.append(action)
                return True
            if action in idle:
                key = states[-2], state, kind
                if key not in settled:
                    settled[key] = self._settle(*key)
                states[-1] = settled[key]
            else:
                self._reduce(~action, states, values)

    def _settle(self, below: int, state: int, kind: str) -> int:
        """The state that follows when all reductions that change nothing are made."""
        action = self._actions[state].get(kind)
        while action in self._idle:
            symbol, *_ = self._rules[~action]
            state = self._actions[below][symbol]
            action = self._actions[state].get(kind)
        return state

    def _reduce(self, number: int, states: list[int], values: list[Tree]) -> None:
        symbol, length, kind, alone, inlined = self._rules[number]
        children: list[Tree] = []
        if length:
            children = values[-length:]
            del values[-length:]
            del states[-length:]
        if inlined:
            children = _inlined(children, inlined)
        values.append(children[0] if alone and len(children) == 1 else Node(kind, children))
        states.append(self._actions[states[-1]][symbol])


def _inlined(children: list[Tree], inlined: list[int]) -> list[Tree]:
    """The children, some replaced by their own. A list that grows at its end is not copied."""
    made: list[Tree] = []
    for at, child in enumerate(children):
        if at not in inlined or not isinstance(child, Node):
            made.append(child)
        elif made:
            made += child.children
        else:
            made = child.children
    return made


_made: list[Driver] = []


def driver(kept: Kept | None = None) -> Driver:
    """The driver, made once; from tables that were kept, if there are any."""
    if not _made:
        _made.append(_make() if kept is None else _remembered(kept))
    return _made[0]


def _make() -> Driver:
    from execpolicy.language.syntax.parser import tables

    return Driver(tables())


def _remembered(kept: Kept) -> Driver:
    """The driver of the tables that were made of this very grammar, or of new ones, kept."""
    stamp = f"{FORM} {grammar_text()}"
    found = kept.load(stamp)
    if isinstance(found, dict) and found.keys() == _PARTS:
        return Driver(found)  # type: ignore[arg-type]
    from execpolicy.language.syntax.parser import tables

    made = tables()
    kept.save(stamp, made)
    return Driver(made)

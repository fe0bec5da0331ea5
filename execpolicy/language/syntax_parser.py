"""The parser of the dialect, and the one file that imports lark.

Making the tables takes a quarter of a second, more than all else of `fmt`; they can be kept.
"""

import hashlib

import lark
from lark import UnexpectedInput as UnexpectedInput
from lark.grammar import Rule
from lark.lexer import TerminalDef

from execpolicy.language.syntax_layout import Layout
from execpolicy.language.syntax_tree import Node
from execpolicy.resources import grammar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Tables(Protocol):
        """Whoever keeps tables, as plain data: saved under a stamp, loaded by that stamp."""

        def load(self, stamp: str) -> Any: ...

        def save(self, stamp: str, tables: Any) -> None: ...


_made: list[lark.Lark] = []


def parser(kept: "Tables | None" = None) -> lark.Lark:
    """The parser, made once; from tables that were kept, if there are any."""
    if not _made:
        _made.append(_make() if kept is None else _remembered(kept))
    return _made[0]


def _make() -> lark.Lark:
    return lark.Lark(
        grammar_text(),
        parser="lalr",
        start="file",
        keep_all_tokens=True,
        maybe_placeholders=False,
        postlex=Layout(),
        tree_class=Node,
    )


def _remembered(kept: "Tables") -> lark.Lark:
    """The parser by way of what lark writes into the parsers that stand alone."""
    stamp = f"{lark.__version__} {hashlib.sha256(grammar_text().encode()).hexdigest()}"
    tables = kept.load(stamp)
    if isinstance(tables, tuple) and len(tables) == 2:
        try:
            data, memo = tables
            load: Any = lark.Lark._load_from_dict
            loaded: lark.Lark = load(data, memo, postlex=Layout(), tree_class=Node)
            return loaded
        except Exception:  # whatever lark comes across in tables that are none
            tables = None
    made = _make()
    data, memo = made.memo_serialize([TerminalDef, Rule])
    for own in ("postlex", "tree_class"):
        data["options"].pop(own)
    kept.save(stamp, (_plain(data), _plain(memo)))
    return made


def _plain(value: "Any") -> "Any":
    """The value without subclasses of text, which are not plain data."""
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(map(_plain, value))
    return str(value) if isinstance(value, str) else value

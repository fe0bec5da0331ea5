"""The grammar of the dialect as lark reads it, and the one file that imports lark.

lark makes the tables, which `syntax_tables` drives, and says why a text does not parse. Where the
tables were kept, it is not imported before a text has a problem.
"""

from functools import partial

from lark import Lark
from lark import UnexpectedInput as UnexpectedInput
from lark.parse_tree_builder import ChildFilterLALR_NoPlaceholders as Filter
from lark.parse_tree_builder import ExpandSingleChild

from execpolicy.language.syntax.layout import Layout
from execpolicy.language.syntax.tree import Node
from execpolicy.support.resources import grammar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Protocol

    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    from execpolicy.language.syntax.table_form import Tables

    class RootLexer(Protocol):
        """The lexer of lark that knows every terminal."""

        terminals: Collection[TerminalDef]


# What is text inside an f-string is code outside it. All other terminals can be told apart by one
# pattern, whatever the parser expects; one that it does not expect is an error either way.
_APART = ("FSTRING_TEXT", "FSTRING_END")

_made: list[Lark] = []


def parser() -> Lark:
    """The parser, made once, in a quarter of a second."""
    if not _made:
        _made.append(
            Lark(
                grammar_text(),
                parser="lalr",
                start="file",
                keep_all_tokens=True,
                maybe_placeholders=False,
                postlex=Layout(),
                tree_class=Node,
            )
        )
    return _made[0]


def tables() -> "Tables":
    """All that is needed to parse a text that has no problem, as plain data."""
    frontend = parser().parser
    table = frontend.parser._parse_table
    rules = {rule: number for number, rule in enumerate(parser().rules)}
    actions: list[dict[str, int]] = [{} for _ in range(max(table.states) + 1)]
    for state, row in table.states.items():
        for symbol, (action, to) in row.items():
            actions[state][symbol] = to if action.name == "Shift" else ~rules[to]
    callbacks = frontend.parser.parser.callbacks
    patterns, chosen = _patterns(frontend.lexer.lexer.root_lexer, actions)
    return {
        "actions": actions,
        "rules": [_rule(rule, callbacks[rule]) for rule in rules],
        "start": table.start_states["file"],
        "end": table.end_states["file"],
        "patterns": patterns,
        "chosen": chosen,
        "ignored": [str(name) for name in frontend.lexer.lexer.root_lexer.ignore_types],
    }


def _rule(
    rule: "Rule", callback: "Callable[..., object]"
) -> "tuple[str, int, str, bool, list[int]]":
    """A rule as `syntax_tables.Rule` has it, by the functions that lark made for it."""
    inlined: list[int] = []
    if isinstance(callback, Filter):
        inlined = [at for at, inside in callback.to_include if inside]
        if [at for at, _ in callback.to_include] != list(range(len(rule.expansion))):
            raise ValueError(f"`{rule}` leaves out a token")
        callback = callback.node_builder
    alone = isinstance(callback, ExpandSingleChild)
    build = callback.node_builder if isinstance(callback, ExpandSingleChild) else callback
    if not isinstance(build, partial):
        raise TypeError(f"lark makes the nodes of `{rule}` in another way")
    kind = build.args[0]
    return str(rule.origin.name), len(rule.expansion), str(kind), alone, inlined


def _patterns(lexer: "RootLexer", actions: "list[dict[str, int]]") -> tuple[list[str], list[int]]:
    """The patterns of tokens, and which of them holds in each state."""
    every = lexer.terminals
    apart = {t.name for t in every if t.name.startswith(_APART)}
    patterns: dict[frozenset[str], str] = {}
    keys = []
    for row in actions:
        key = frozenset(row.keys() & apart)
        keys.append(key)
        known = (t for t in every if t.name in key or t.name not in apart)
        named = (f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in known)
        patterns[key] = patterns.get(key) or "|".join(named)
    order = list(patterns)
    return list(patterns.values()), [order.index(key) for key in keys]

"""The plain part of Codex's rules files: calls with nothing but literals, as Codex writes them.

A file with more than that is a program, and running one is not for the time of a call: nothing is
known then.
"""

import ast
from _collections_abc import Iterator
from itertools import islice, product

from execpolicy.hosts.permissions.base import PLAIN, PermissionEntry
from execpolicy.hosts.permissions.files import UnreadableError
from execpolicy.model.decision import Decision

_IGNORED = ("host_executable", "network_rule")
_DECISIONS = {decision.word: decision for decision in Decision}
MAX_PATTERNS = 1000
"""Of the commands that one rule is about, which its alternatives multiply, so many are taken."""


def entries(path: str, text: str, mine: bool) -> "Iterator[PermissionEntry]":
    """The rules of a file; `mine`: the user wrote it. Raises `UnreadableError` for one that is not
    plain."""
    try:
        body = ast.parse(text).body
        for statement in body:
            yield from _rule(statement, mine)
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError):
        raise UnreadableError(f"{path}: not a plain list of rules") from None


def _rule(statement: ast.stmt, mine: bool) -> "Iterator[PermissionEntry]":
    """An entry for each command that a call names. Raises `ValueError` for anything but a call."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        raise ValueError
    call = statement.value
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    given = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    if name in _IGNORED:
        return
    if name != "prefix_rule" or call.args:
        raise ValueError
    decision = _DECISIONS[given.get("decision", "allow")]
    tokens = [t if isinstance(t, list) else [t] for t in given["pattern"]]
    for words in islice(product(*tokens), MAX_PATTERNS):
        yield PermissionEntry("shell", f"{' '.join(words)} *", decision, mine, _is_plain(words))


def _is_plain(words: "tuple[str, ...]") -> bool:
    """Whether the words, joined, are still these words and no others."""
    return all(word and PLAIN.issuperset(word) for word in words)

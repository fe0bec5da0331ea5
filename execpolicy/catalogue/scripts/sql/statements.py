"""SQL on a command line: statements that only select, and those that do not.

A statement reads if it is a query in which nothing calls a user-defined function (`query.py`), or
shows what a database holds. The client's own commands (`.tables`, `\\d`) read if listed.
"""

from execpolicy.catalogue.scripts.cursor import ScriptError
from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.catalogue.scripts.sql import words
from execpolicy.catalogue.scripts.sql.query import Query, UnsureError, effect_of
from execpolicy.catalogue.scripts.sql.tokens import PLAIN, WORD, Token, Words

_BEGINS = frozenset(("explain", "show", "describe", "desc", "summarize", "use", "pragma"))
MAX_NAMES = 4
"""A command, a schema, a relation and a column."""


def effects(
    text: str, dialect: str = "postgresql", held: frozenset[str] = frozenset()
) -> list[Effect]:
    """What the statements do beyond selecting.

    `held`: words with which statements begin that the database itself refuses when they run, for it
    was opened to be read: they count as queries.
    """
    try:
        return _statements(_without_commands(text), dialect, held)
    except ScriptError as error:
        return [Effect("unknown", f"SQL that is not understood: {error}")]


def sqlite(text: str) -> list[Effect]:
    """The same for SQLite, which keeps no functions in a database."""
    return effects(text, "sqlite")


def duckdb(text: str) -> list[Effect]:
    """The same for DuckDB, to which the name of a file is a table."""
    return effects(text, "duckdb")


def readonly(text: str) -> list[Effect]:
    """The same for a database of SQLite that was opened to be read only.

    A table for the session and `vacuum into` are written even so, with what they call.
    """
    return effects(text, "sqlite", words.HELD)


def _without_commands(text: str) -> str:
    """The text without the lines that are commands of the client, which all must only read."""
    if "\\" in text:
        if _describes(text.strip()):
            return ""
        raise ScriptError("it holds a `\\`")
    lines = text.strip().split("\n")
    while lines and lines[0].lstrip().startswith("."):
        line = lines.pop(0)
        first = line.split()[0]
        if first not in words.DOTS or set("|;") & set(line):
            raise ScriptError(f"`{first}` is a command of the client")
        if lines and set(line) - set(PLAIN):
            raise ScriptError(f"`{first}` holds more than names")
    if any(line.lstrip().startswith(".") for line in lines):
        raise ScriptError("a line after the first begins with `.`")
    if any(map(_ends, lines)):
        raise ScriptError("a line ends the statement before it")
    return "\n".join(lines)


def _ends(line: str) -> bool:
    """Whether the line may be a `;` to SQLite's shell: `go` or `/`, and perhaps a comment."""
    word = line.strip().lower()
    if word.startswith("go"):
        return not word[2:3] or word[2] not in WORD
    return word.startswith("/") and not word.startswith("/*")


def _describes(text: str) -> bool:
    """psql's `\\d` family and a few more, with nothing after them but a name."""
    first, _, rest = text.partition(" ")
    return (first[:2] == "\\d" or first in words.SHOWS) and not set(rest + first[1:]) - set(
        WORD + "+.*? "
    )


def _statements(text: str, dialect: str, held: frozenset[str]) -> list[Effect]:
    found: list[Effect] = []
    for tokens in Words(text).statements():
        try:
            found += _statement(tokens, dialect, held)
        except UnsureError as error:
            found.append(Effect(error.effect, str(error)))
    return found


def _statement(tokens: list[Token], dialect: str, held: frozenset[str]) -> list[Effect]:
    first = next((token.text for token in tokens if token.kind != "("), "")
    if first in words.QUERIES or first in held or (first == "from" and dialect == "duckdb"):
        return Query(tokens, dialect, held).effects()
    if first not in _BEGINS or tokens[0].kind != "word":
        raise effect_of(first)
    if first == "pragma":
        return _pragma(tokens)
    if first in ("show", "use"):
        return _shown(tokens, dialect)
    return _explained(tokens, dialect)


def _explained(tokens: list[Token], dialect: str) -> list[Effect]:
    """`explain (analyze, …)` of a query, which is run, or the description of a relation."""
    at = 1
    while at < len(tokens) and (tokens[at].text in words.EXPLAINS or tokens[at].text in "(),="):
        at += 1
    rest = tokens[at:]
    if rest and rest[0].kind == "word" and rest[0].text in words.QUERIES:
        return Query(rest, dialect, frozenset()).effects()
    if rest and rest[0].kind == "word" and rest[0].text in words.WRITES | words.LOSES:
        raise effect_of(rest[0].text)
    if tokens[0].text == "explain" and at > 1 and rest:
        raise effect_of(rest[0].text)
    return _relation(tokens[:1] + rest, dialect)


def _relation(tokens: list[Token], dialect: str) -> list[Effect]:
    """The name of a relation, and perhaps one of a column: no word of it begins a statement."""
    if sum(token.kind in ("word", "name", "text") for token in tokens) > MAX_NAMES:
        raise ScriptError(f"`{tokens[0].text}` names more than a relation")
    return Query(tokens, dialect, frozenset()).effects()


def _shown(tokens: list[Token], dialect: str) -> list[Effect]:
    """`show x`, or more words of which the first says what is shown."""
    if len(tokens) > 2 and tokens[0].text == "show" and tokens[1].text not in words.SHOWN:
        raise ScriptError(f"what `show {tokens[1].text}` shows is not known")
    if tokens[0].text == "use":
        return _relation(tokens, dialect)
    return Query(tokens, dialect, frozenset()).effects()


def _pragma(tokens: list[Token]) -> list[Effect]:
    """SQLite's: `pragma [schema.]name`, or `name(value)` where that asks about a relation."""
    texts = [token.text for token in tokens[1:]]
    if texts[1:2] == ["."]:
        del texts[:2]
    name = texts[0] if texts else ""
    if "=" in texts or name not in words.PRAGMAS or (len(texts) > 1 and name in words.SETTINGS):
        raise UnsureError("write", "a pragma may change the database")
    if len(texts) > 1 and (texts[1], texts[-1], len(texts)) != ("(", ")", 4):
        raise ScriptError("a pragma takes one name")
    return []

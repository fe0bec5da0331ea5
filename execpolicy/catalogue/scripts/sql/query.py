"""One query of SQL: whether it certainly does no more than read.

Every token must be one that the grammar of a query knows there. Relations, columns and built-in
functions are read. What calls a user-defined function is not: a call of another name, a cast into a
type that is not built in, an operator of another name, and in PostgreSQL `t.f`, which is `f(t)`
where `t` has no column of that name.
"""

from _collections_abc import Callable

from execpolicy.catalogue.scripts.cursor import ScriptError
from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.catalogue.scripts.sql import words
from execpolicy.catalogue.scripts.sql.tokens import END, Token
from execpolicy.model.operation import Access, Dynamic

_CASTS = frozenset(("cast", "try_cast", "safe_cast"))
_NAMING = frozenset(("describe", "desc", "summarize", "table"))
_EXPRESSIONS = frozenset(
    ("select", "where", "on", "using", "having", "limit", "offset", "by", "window", "qualify")
)


class UnsureError(Exception):
    """A query that may do more than read, with its effect."""

    def __init__(self, effect: str, why: str) -> None:
        super().__init__(why)
        self.effect = effect


class _Frame:
    """An open parenthesis: the word in front of it, whether relations are named here, and whether
    names of queries are given, up to the query of `with`."""

    __slots__ = ("naming", "opener", "relations")

    def __init__(self, opener: str) -> None:
        self.opener = opener
        self.relations = False
        self.naming = False


def effect_of(word: str) -> UnsureError:
    """What a statement does that begins with this word."""
    if word in words.LOSES:
        return UnsureError("destroy", f"`{word}` removes data")
    if word in words.WRITES:
        return UnsureError("write", f"`{word}` changes data")
    return UnsureError("unknown", f"`{word}` is not known to only read")


class Query:
    """Goes through the tokens of a query in one dialect; what is `held` is refused when it runs."""

    def __init__(self, tokens: list[Token], dialect: str, held: frozenset[str]) -> None:
        self.tokens = tokens
        self.dialect = dialect
        self.held = held
        self.frames = [_Frame("")]
        self.found: list[Effect] = []
        self.before = END
        self.after = END
        self.schema = ""
        self.casting = False

    def effects(self) -> list[Effect]:
        """The files that it reads; raises `UnsureError` where it may do more."""
        for token, after in zip(self.tokens, [*self.tokens[1:], END], strict=True):
            self.after = after
            step = _STEPS.get(token.kind)
            if step is not None:
                step(self, token)
            self.before = token
        return self.found

    def _word(self, token: Token) -> None:
        word, frame = token.text, self.frames[-1]
        dotted = self.before.kind == "."
        if word in words.SECRETS:
            raise UnsureError("privilege", f"`{word}` holds passwords")
        if word in words.CLAUSES - self.held and not (
            word == "for" and frame.opener in words.PARTS
        ):
            raise UnsureError("write", f"`{word}` does more than read")
        if self.after.kind == "(":
            if word not in words.CALLS or (dotted and self.schema != "pg_catalog"):
                raise UnsureError("unknown", f"what `{word}()` does is not known")
        elif self.after.kind == "text" and not self._stands_before_text(word, dotted):
            raise UnsureError("execute", f"`{word}` may be a type, which checks what it is given")
        self._cast(word, frame, dotted)
        if dotted and self.after.kind != "(":
            self._field(word, frame)
        elif not dotted:
            self._clause(word, frame)

    def _stands_before_text(self, word: str, dotted: bool) -> bool:
        if dotted:
            return self.dialect != "postgresql"
        return word in words.BEFORE_TEXT or word in words.TYPES

    def _cast(self, word: str, frame: _Frame, dotted: bool) -> None:
        """A cast, whose type must be built in."""
        if dotted:
            self.casting = self.casting and self.schema == "pg_catalog" and word in words.TYPES
            return
        into = self.before.text == "as" and frame.opener in _CASTS
        self.casting = into or self.before.text == "::"
        if (
            self.casting
            and word not in words.TYPES
            and (word, self.after.text) != ("pg_catalog", ".")
        ):
            raise UnsureError("execute", f"a cast into `{word}` may run a function")

    def _field(self, name: str, frame: _Frame) -> None:
        """What follows a point is a column, or in PostgreSQL perhaps a function of the row."""
        if self.dialect == "postgresql" and not (frame.relations or self.casting):
            raise UnsureError("execute", f"`{self.schema}.{name}` may call the function `{name}`")

    def _clause(self, word: str, frame: _Frame) -> None:
        first = self.before.kind in ("", "(")
        if word == "with" and first:
            frame.naming = True
        elif word == "from":
            inside = frame.opener in words.PARTS or frame.opener == "extract"
            frame.relations = not inside and self.before.text != "distinct"
        elif word == "join" or (word in _NAMING and first):
            frame.relations = True
        elif word in _EXPRESSIONS:
            frame.relations = False
        if frame.naming and self.before.kind == ")" and word != "as":
            if word not in words.QUERIES | self.held:
                raise effect_of(word)
            frame.naming = False

    def _name(self, token: Token) -> None:
        frame = self.frames[-1]
        if self.after.kind == "(":
            raise UnsureError("unknown", "what is called is not a plain name")
        if self.after.kind == "text" or (self.before.text == "as" and frame.opener in _CASTS):
            raise UnsureError(
                "execute", f"`{token.text}` may be a type, which checks what it is given"
            )
        if frame.naming and self.before.kind == ")":
            raise UnsureError("unknown", "what follows the names that `with` gives is not a query")
        if self.before.kind == ".":
            self.casting = False
            self._field(token.text, frame)
        self._file(token)

    def _text(self, token: Token) -> None:
        if self.dialect == "duckdb" and self.before.kind == "text":
            raise UnsureError("unknown", "a text goes on in another one")
        self._file(token)

    def _file(self, token: Token) -> None:
        """DuckDB reads the file of a name, fetches a URL, and what it needs to read a format."""
        name = token.text
        if self.dialect != "duckdb" or not self.frames[-1].relations:
            return
        if token.kind == "name" and not set("./:") & set(name):
            return
        if ":" in name:
            raise UnsureError("network", f"`{name}` may be fetched")
        if not name.lower().endswith(words.DATA):
            raise UnsureError("execute", f"an extension may be fetched for `{name}`")
        at = min((at for at in map(name.find, "*?[{") if at >= 0), default=-1)
        path = name if at < 0 else Dynamic(name, name[:at])
        self.found.append(Effect("read", f"reads `{name}`", Access(path, "read")))

    def _point(self, token: Token) -> None:
        self.schema = self.before.text
        named = ("word", "name")
        if self.before.kind not in named and self.after.kind in named:
            self.schema, self.casting = "(…)", False
            self.frames[-1].relations = False
        if self.after.kind not in ("word", "name", "number") and self.after.text != "*":
            raise ScriptError("a point stands alone")

    def _open(self, token: Token) -> None:
        before, after = self.before, self.after
        if before.kind in (")", "]", "text", "number"):
            raise UnsureError("unknown", "what is called is not a plain name")
        if before.kind == "word" and before.text in ("as", "materialized"):
            if after.kind == "word" and after.text not in words.QUERIES | words.WINDOWS | self.held:
                raise effect_of(after.text)
            if after.kind not in ("word", ")"):
                raise ScriptError("what follows `as (` is not a query")
        self.frames.append(_Frame(before.text if before.kind == "word" else ""))

    def _close(self, token: Token) -> None:
        if len(self.frames) < 2:
            raise ScriptError("there is no `(` for a `)`")
        self.frames.pop()

    def _sign(self, token: Token) -> None:
        if token.text == "::" and self.after.kind != "word":
            raise UnsureError("execute", "a cast may run a function")


_STEPS: "dict[str, Callable[[Query, Token], None]]" = {
    "word": Query._word,
    "name": Query._name,
    "text": Query._text,
    "sign": Query._sign,
    ".": Query._point,
    "(": Query._open,
    ")": Query._close,
}

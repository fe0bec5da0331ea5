"""The kinds of a word: their names, their possible effects, and which words are of a kind.

A compiled kind is a name, or a tuple that starts with what it is made of:
`("{", exact, heads, tails, middles)` for literal alternatives, `("|", kind, kind, …)` for the
first kind that fits, `("!", kind, effects)` for a kind with effects added, `("^", heads, kind)` for
what comes after one of the heads.
"""

from execpolicy.catalogue.hosts import is_local
from execpolicy.model.operation import Dynamic, Hole, Word
from execpolicy.model.program import EFFECTS, MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Kind = Any  # a string or a nested tuple: mypy has no name for marshal's data

POSSIBLE: "dict[str, tuple[str, ...]]" = {
    "text": (),
    "number": (),
    "name": ("unknown",),
    "file": ("read",),
    "path": ("read",),
    "dir": ("read",),
    "tree": ("read",),
    "visible": ("read",),
    "tracked": ("read",),
    "member": ("read",),
    "attached": ("read",),
    "object": ("read",),
    "variable": ("read",),
    "cwd": ("read",),
    "base": ("read",),
    "out": ("write",),
    "opened": ("write",),
    "database": ("read", "write"),
    "into": ("write",),
    "linked": ("write",),
    "moved": ("write",),
    "remove": ("destroy",),
    "host": ("network",),
    "ssh": ("network",),
    "url": ("network", "read"),
    "local": ("network", "read"),
    "repo": ("network", "execute"),
    "slug": ("network",),
    "location": ("network", "read"),
    "location-tree": ("network", "read"),
    "location-out": ("network", "remote", "write"),
    "resource": ("network", "read"),
    "program": ("execute",),
    "code": ("execute",),
    "source": ("execute",),
    "command": ("execute",),
    "command+": ("execute",),
    "guest": ("execute",),
    "guest...": ("execute",),
    "command;": ("execute",),
    "command;.": ("execute",),
    "command;+": ("execute",),
    "shell": ("execute",),
    "bash": ("execute",),
    "zsh": ("execute",),
    "shell...": ("execute",),
    "command/shell...": ("execute",),
    "again": ("execute",),
    "assignment": ("execute",),
    "keys": ("execute",),
    "sent": ("remote",),
    "placeholder": (),
    "placeholder-or-end": (),
    "placeholder...": (),
    "template": ("execute",),
    "bindings": ("execute",),
    "sed": ("write", "execute"),
    "awk": ("read", "write", "execute"),
    "jq": ("read",),
    "filters": ("write", "execute"),
    "sql": ("write", "destroy", "execute", "privilege"),
    "sqlite": ("write", "destroy", "execute", "privilege"),
    "sqlite-readonly": ("write", "destroy", "execute", "privilege"),
    "duckdb": ("write", "destroy", "execute", "network", "privilege"),
    "mysql": ("write", "destroy", "execute", "privilege"),
    "remote-sql": ("write", "destroy", "execute", "privilege", "remote"),
    **{effect: (effect,) for effect in (*EFFECTS, *MARKS)},
}
"""Every kind, and all that a word of it can do: what a dynamic word in its place counts as."""

CHANGES = frozenset(("write", "execute", "system", "destroy", "unknown"))
"""What a client does to its server, where nothing says that it is to a path here."""

TAILS = frozenset(
    ("command", "command+", "guest", "guest...", "shell...", "command/shell...", "again")
)
"""The kinds that take this operand and all that follow."""

INNER = TAILS | {"shell", "bash", "zsh"}
"""The kinds of an operand that is a command, or where one begins."""

GUESTS = frozenset(("guest", "guest..."))
"""Those whose command runs in another place."""

UNTIL = frozenset(("command;", "command;.", "command;+"))
"""The option values that go on to a `;` or `+`."""

INLINE = frozenset(("shell", "bash", "zsh", "sed", "awk", "sql", "remote-sql", "sqlite", "duckdb"))
"""The kinds of a program text in one word."""

PICKY = frozenset(("number", "name", "assignment", "local"))
"""The named kinds that not every word is of."""


_FIRST = frozenset("0123456789-+., \t\n")
_COMPLAINT = "gB"
"""What a number in a word is made of, and how begins what stands in its place where grep found a
binary file: `grep`, or `Binary file` and a name up to a colon (see `scripts/numbers.py`)."""

_TIME = frozenset("0123456789-:TZN \n")
"""What stands in a time."""


def possible(kind: "Kind") -> tuple[str, ...]:
    """All effects that a word of this kind can have."""
    if type(kind) is str:
        return POSSIBLE[kind]
    if kind[0] == "{":
        return ()
    if kind[0] == "!":
        return (*possible(kind[1]), *kind[2])
    return tuple(effect for part in kind[1:] for effect in possible(part))


def behind(kinds: "Iterable[Kind]") -> list[str]:
    """The named ones of these kinds, and those behind a head."""
    found = (kind[2] if kind[0] == "^" else kind for kind in kinds)
    return [kind for kind in found if type(kind) is str]


def named(kinds: "Iterable[Kind]") -> set[str]:
    """All names of kinds that these are made of."""
    found: set[str] = set()
    for kind in kinds:
        if type(kind) is str:
            found.add(kind)
        elif kind[0] in "|!^":
            found |= named(kind[1:2] if kind[0] == "!" else kind[1 + (kind[0] == "^") :])
    return found


def picky(kind: "Kind") -> bool:
    """Whether some words are not of this kind."""
    if isinstance(kind, str):
        return kind in PICKY
    if kind[0] == "|":
        return all(picky(part) for part in kind[1:])
    return kind[0] == "{" or picky(kind[1])


def may_fit(kind: "Kind", word: Word) -> bool:
    """Whether the word can come to be of the kind."""
    if not isinstance(word, Dynamic):
        return fits(kind, word)
    if type(kind) is str or not (
        word.prefix or word.digits_only or word.not_option or word.template
    ):
        return True
    if kind[0] == "{":
        return _may_be_number(kind) if word.digits_only else _may_be_alternative(kind, word)
    return any(may_fit(part, word) for part in (kind[1:] if kind[0] == "|" else kind[1:2]))


def _may_be_alternative(kind: "Kind", word: Dynamic) -> bool:
    """Whether one of the alternatives can begin like this: `./"$f"` never is `-*`."""
    _, exact, heads, tails, middles = kind
    prefix = word.prefix
    if not prefix:
        return any(_may_begin(word, each) for each in (*exact, *heads)) or any(
            _may_hold(word, each) for each in (*tails, *middles)
        )
    return bool(
        tails
        or middles
        or any(known.startswith(prefix) for known in exact)
        or any(head.startswith(prefix) or prefix.startswith(head) for head in heads)
    )


def _may_begin(word: Dynamic, text: str) -> bool:
    """Whether a word that is plain, or whose beginning is a number, can begin with this text."""
    if not text:
        return True
    if (word.not_option and text[0] == "-") or not _may_hold(word, text):
        return False
    begins, behind = numbered(word)
    if not begins or text[0] == behind or _FIRST.issuperset(text):
        return True
    if text[0] in "+-":
        return text[1] not in "+-" and text[1] in _FIRST
    return text[0] in _FIRST or text[0] in _COMPLAINT


def numbered(word: Dynamic) -> tuple[bool, str]:
    """Whether the word begins with a number or a time, and what begins it where that is missing."""
    begins = word.template != () and isinstance(word.template[0], Hole)
    return begins, next((part[0] for part in word.template if isinstance(part, str)), "")


def _may_hold(word: Dynamic, text: str) -> bool:
    """Whether the text can stand in a word in which nothing but numbers and times is computed."""
    template = word.template
    if not template:
        return True
    literal = "".join([part for part in template if isinstance(part, str)])
    if Hole.NUMBER not in template:
        return _TIME.union(literal).issuperset(text)
    return Hole.TIME in template or ":" not in text or ":" in literal


def _may_be_number(kind: "Kind") -> bool:
    """Whether digits can be one of the alternatives."""
    _, exact, heads, tails, middles = kind
    return any(part == "" or part.isdigit() for part in (*exact, *heads, *tails, *middles))


def sure(kind: "Kind", word: Word) -> bool:
    """Whether the word cannot be of another kind. A dynamic word only passes for a number."""
    if isinstance(word, Dynamic) and type(kind) is not str and kind[0] in "|!^":
        return any(sure(part, word) for part in (kind[1:] if kind[0] == "|" else kind[1:2]))
    if kind == "number" and isinstance(word, Dynamic):
        return word.digits_only
    return fits(kind, word)


def fits(kind: "Kind", word: Word) -> bool:
    """Whether the word can be taken to be of the kind."""
    if type(kind) is str:
        return kind not in PICKY or _named(kind, word)
    head = kind[0]
    if head == "{":
        _, exact, heads, tails, middles = kind
        if isinstance(word, Dynamic):
            return word.prefix.startswith(heads)
        if word in exact or (heads and word.startswith(heads)):
            return True
        if tails and word.endswith(tails):
            return True
        return bool(middles) and any(middle in word for middle in middles)
    if head == "|":
        for part in kind[1:]:  # noqa: SIM110 — a generator takes twice the time
            if fits(part, word):
                return True
        return False
    return fits(kind[1], word)


def _named(kind: str, word: Word) -> bool:
    if kind == "local":
        return is_local(word)
    if isinstance(word, Dynamic):
        return kind == "number" or (kind == "assignment" and "=" in word.prefix[1:])
    if kind == "number":
        return is_number(word)
    if kind == "name":
        return is_name(word)
    return "=" in word[1:] and word[0] != "="


def is_name(word: str) -> bool:
    """Whether this is a plain shell identifier: nothing that a shell would evaluate."""
    return word.isascii() and word.isidentifier()


def is_number(word: str) -> bool:
    """Whether this is a number, with sign, fraction and unit: `-5`, `+10K`, `0.5s`, `50%`."""
    digits = word[1:] if word[:1] in ("+", "-") else word
    body = digits.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%")
    whole, _, fraction = body.partition(".")
    return (whole + fraction).isdigit() and (whole + fraction).isascii()

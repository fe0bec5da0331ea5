"""A kind: a name, or a value that is made of kinds, and which words are of it.

A dynamic word is of a kind in three ways: it *can be taken for* one (`fits`), it *may* come to be
one (`may_fit`), it *must* be one, whatever it comes to be (`must_fit`). For a literal word the
three are the same.
"""

from _collections_abc import Iterable

from execpolicy.catalogue.kinds.names import EFFECTS_OF, RESTRICTIVE
from execpolicy.model.operation import Dynamic, Hole, Word
from execpolicy.support.record import Value

Packed = str | tuple[str, tuple[tuple[str, ...], ...], tuple["Packed", ...]]

_FIRST = frozenset("0123456789-+., \t\n")
_COMPLAINT = "gB"
"""What a number in a word is made of, and how begins what stands in its place where grep found a
binary file: `grep`, or `Binary file` and a name up to a colon (see `scripts/numbers.py`)."""

_TIME = frozenset("0123456789-:TZN \n")
"""What stands in a time."""


class Literals(Value):
    """Words that are spelled out: `{on|off|--*|*.db|*=*}`.

    A word is one of `exact`, begins with one of `heads`, ends with one of `tails` or holds one of
    `middles`.
    """

    exact: frozenset[str] = frozenset()
    heads: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    middles: tuple[str, ...] = ()

    def fits(self, word: Word) -> bool:
        """Whether the word is one of them; a dynamic one is where its beginning tells."""
        if isinstance(word, Dynamic):
            return word.prefix.startswith(self.heads)
        if word in self.exact or (self.heads and word.startswith(self.heads)):
            return True
        if self.tails and word.endswith(self.tails):
            return True
        return bool(self.middles) and True in [middle in word for middle in self.middles]

    def may_fit(self, word: Dynamic) -> bool:
        """Whether the word can come to be one of them: `./"$f"` never is `-*`."""
        prefix = word.prefix
        if word.digits_only:
            parts = (*self.exact, *self.heads, *self.tails, *self.middles)
            return any(part == "" or part.isdigit() for part in parts)
        if not prefix:
            return any(_may_begin(word, each) for each in (*self.exact, *self.heads)) or any(
                _may_hold(word, each) for each in (*self.tails, *self.middles)
            )
        return bool(
            self.tails
            or self.middles
            or any(known.startswith(prefix) for known in self.exact)
            or any(head.startswith(prefix) or prefix.startswith(head) for head in self.heads)
        )

    def must_fit(self, word: Dynamic) -> bool:
        """Whether its beginning already makes the word one of them."""
        return self.fits(word)


class OneOf(Value):
    """The first of several kinds that a word is of: `{-}|file`."""

    kinds: "tuple[Kind, ...]"

    def fits(self, word: Word) -> bool:
        """Whether the word can be taken for one of these kinds."""
        for kind in self.kinds:  # noqa: SIM110 — a generator takes twice the time
            if fits(kind, word):
                return True
        return False

    def may_fit(self, word: Dynamic) -> bool:
        """Whether the word can come to be of one of these kinds."""
        return any(may_fit(kind, word) for kind in self.kinds)

    def must_fit(self, word: Dynamic) -> bool:
        """Whether one of these kinds is sure."""
        return any(must_fit(kind, word) for kind in self.kinds)


class WithEffects(Value):
    """A kind whose words have more effects: `{-f}!destroy`."""

    kind: "Kind"
    effects: tuple[str, ...]

    def fits(self, word: Word) -> bool:
        """Whether the word can be taken for the kind itself."""
        return fits(self.kind, word)

    def may_fit(self, word: Dynamic) -> bool:
        """Whether the word can come to be of the kind itself."""
        return may_fit(self.kind, word)

    def must_fit(self, word: Dynamic) -> bool:
        """Whether the word must be of the kind itself."""
        return must_fit(self.kind, word)


class Affixed(Value):
    """Words known by their beginning, whose rest is of a kind: `{exec=*}shell`.

    Of `{*.db}file`, which is known by its end, the whole word is.
    """

    words: Literals
    kind: "Kind"

    def fits(self, word: Word) -> bool:
        """Whether the word has the beginning or the end."""
        return self.words.fits(word)

    def may_fit(self, word: Dynamic) -> bool:
        """Whether the word can come to have it."""
        return self.words.may_fit(word)

    def must_fit(self, word: Dynamic) -> bool:
        """Whether what is known of the word has it."""
        return self.words.must_fit(word)

    def rest(self, word: Word) -> Word:
        """What is left of the word when the longest head that it begins with is gone."""
        known = word if isinstance(word, str) else word.prefix
        size = max((len(head) for head in self.words.heads if known.startswith(head)), default=0)
        if isinstance(word, str):
            return word[size:]
        source = word.source[size:] if word.source.startswith(known) else word.source
        return Dynamic(source, known[size:], word.single)


Kind = str | Literals | OneOf | WithEffects | Affixed
"""A name is one of `EFFECTS_OF`."""


def fits(kind: Kind, word: Word) -> bool:
    """Whether the word can be taken to be of the kind."""
    if isinstance(kind, str):
        return kind not in RESTRICTIVE or _is_named(kind, word)
    return kind.fits(word)


def may_fit(kind: Kind, word: Word) -> bool:
    """Whether the word can come to be of the kind."""
    if not isinstance(word, Dynamic):
        return fits(kind, word)
    if isinstance(kind, str) or not (
        word.prefix or word.digits_only or word.not_option or word.template
    ):
        return True
    return kind.may_fit(word)


def must_fit(kind: Kind, word: Word) -> bool:
    """Whether the word cannot be of another kind. A dynamic word only passes for a number."""
    if not isinstance(word, Dynamic):
        return fits(kind, word)
    if isinstance(kind, str):
        return word.digits_only if kind == "number" else fits(kind, word)
    return kind.must_fit(word)


def _is_named(kind: str, word: Word) -> bool:
    if kind == "local":
        from execpolicy.catalogue.hosts import is_local

        return is_local(word)
    if isinstance(word, Dynamic):
        return kind == "number" or (kind == "assignment" and "=" in word.prefix[1:])
    if kind == "number":
        return is_number(word)
    if kind == "name":
        return is_name(word)
    return "=" in word[1:] and word[0] != "="


def _may_begin(word: Dynamic, text: str) -> bool:
    """Whether a word that is plain, or whose beginning is a number, can begin with this text."""
    if not text:
        return True
    if (word.not_option and text[0] == "-") or not _may_hold(word, text):
        return False
    begins, next_char = begins_with_number(word)
    if not begins or text[0] == next_char or _FIRST.issuperset(text):
        return True
    if text[0] in "+-":
        return text[1] not in "+-" and text[1] in _FIRST
    return text[0] in _FIRST or text[0] in _COMPLAINT


def begins_with_number(word: Dynamic) -> tuple[bool, str]:
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


def is_name(word: str) -> bool:
    """Whether this is a plain shell identifier: nothing that a shell would evaluate."""
    return word.isascii() and word.isidentifier()


def is_number(word: str) -> bool:
    """Whether this is a number, with sign, fraction and unit: `-5`, `+10K`, `0.5s`, `50%`."""
    digits = word[1:] if word[:1] in ("+", "-") else word
    body = digits.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%")
    whole, _, fraction = body.partition(".")
    return (whole + fraction).isdigit() and (whole + fraction).isascii()


def restrictive(kind: Kind) -> bool:
    """Whether some words are not of this kind."""
    if isinstance(kind, str):
        return kind in RESTRICTIVE
    if isinstance(kind, OneOf):
        return all(map(restrictive, kind.kinds))
    return not isinstance(kind, WithEffects) or restrictive(kind.kind)


def possible(kind: Kind) -> tuple[str, ...]:
    """All effects that a word of this kind can have."""
    if isinstance(kind, str):
        return EFFECTS_OF[kind]
    if isinstance(kind, OneOf):
        return tuple(effect for part in kind.kinds for effect in possible(part))
    if isinstance(kind, Literals):
        return ()
    return possible(kind.kind) + (kind.effects if isinstance(kind, WithEffects) else ())


def own_names(kinds: "Iterable[Kind]") -> list[str]:
    """The names among these kinds, and those of what is left after a head."""
    found = (kind.kind if isinstance(kind, Affixed) else kind for kind in kinds)
    return [kind for kind in found if isinstance(kind, str)]


def all_names(kinds: "Iterable[Kind]") -> set[str]:
    """The names of all kinds that these are made of."""
    found: set[str] = set()
    for kind in kinds:
        if isinstance(kind, str):
            found.add(kind)
        elif isinstance(kind, OneOf):
            found |= all_names(kind.kinds)
        elif not isinstance(kind, Literals):
            found |= all_names((kind.kind,))
    return found


def packed(kind: Kind) -> "Packed":
    """Plain data: a name as it is, of the rest the class, its texts, and its kinds."""
    if isinstance(kind, str):
        return kind
    if isinstance(kind, Literals):
        exact = tuple(sorted(kind.exact))
        return "literals", (exact, kind.heads, kind.tails, kind.middles), ()
    if isinstance(kind, OneOf):
        return "one of", (), tuple(map(packed, kind.kinds))
    if isinstance(kind, WithEffects):
        return "with effects", (kind.effects,), (packed(kind.kind),)
    return "affixed", (), (packed(kind.words), packed(kind.kind))


def unpacked(data: "Packed") -> Kind:
    """The kind again. Raises `ValueError` for data that is not valid."""
    if isinstance(data, str):
        return data
    tag, texts, parts = data
    if tag == "literals":
        exact, heads, tails, middles = texts
        return Literals(frozenset(exact), heads, tails, middles)
    kinds = tuple(map(unpacked, parts))
    if tag == "one of":
        return OneOf(kinds)
    if tag == "with effects":
        return WithEffects(kinds[0], texts[0])
    words, rest = kinds
    if not isinstance(words, Literals):
        raise ValueError(f"`{tag}` is not a kind")
    return Affixed(words, rest)

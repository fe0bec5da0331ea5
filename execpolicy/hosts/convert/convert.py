"""Permission lists of hosts as rules that allow no more than the lists did.

A list decides by the first or the last entry that fits, here the strictest rule decides, and a rule
can say a prefix or a whole command but no `*` in the middle. What cannot be said is left out where
it allows; where it refuses or asks, the words in front of the `*` are asked about, and where there
are none, each allowing entry that could meet it is left out.

No rule is for one agent alone. What only one is allowed is left out; what only one is refused or
asked about takes each entry for all along that could meet it. Both are noted with the rule that
would say it for all.
"""

from execpolicy.model.decision import Decision
from execpolicy.store.line import rule_line
from execpolicy.support.path_match import pieces_fit
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Banned = Callable[[tuple[str, ...]], str | None]

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@,+%^")
ALWAYS = 1 << 30


class Native(Value):
    """An entry of a host's list.

    `pattern` has `*` for any text. `words` followed by a blank and `*` also match alone.
    `weight`: of two entries that fit, the heavier decides. `source` is its place. `special`: it
    depends on more than the command, so what it fits cannot be told. `only`: whose entry it is,
    where it does not hold for all; it is heavier than those that do.
    """

    pattern: str
    decision: Decision
    source: str
    weight: int = ALWAYS
    special: bool = False
    only: str = ""


class Rule(Value):
    """A rule that was converted: its words, whether nothing may follow, and where it is from."""

    words: tuple[str, ...]
    decision: Decision
    exact: bool
    native: Native
    note: str | None = None


class Note(Value):
    """What became of an entry that was not converted as it is."""

    native: Native
    what: str


class Converted(Value):
    """The result: rules, and notes about what is narrower, stricter or left out."""

    rules: tuple[Rule, ...]
    notes: tuple[Note, ...]


class _Shape(Value):
    """A pattern taken apart: the whole words in front of the first `*`, and what follows them.

    `rest` is empty for a whole command, ` *` for an open end, else what no rule can say.
    """

    words: tuple[str, ...]
    rest: str
    literal: str


def convert(natives: "Iterable[Native]", banned: "Banned") -> Converted:
    """Rules for these entries. `banned` says why an allow rule for a prefix allows too much."""
    given = tuple(natives)
    every = tuple(n for n in given if not n.only)
    own = tuple(n for n in given if n.only)
    rules: list[Rule] = []
    notes: list[Note] = []
    unsaid: list[Native] = []
    for native in every:
        if native.decision:
            rule = _tightening(native)
            if rule is None:
                unsaid.append(native)
                notes.append(Note(native, "left out: no rule can express it"))
            else:
                rules.append(rule)
    for native in every:
        if not native.decision:
            found = _limited(_allowing(native, unsaid, banned), own)
            (rules if isinstance(found, Rule) else notes).append(found)  # type: ignore[arg-type]
    notes.extend(Note(r.native, r.note) for r in rules if r.note)
    notes.extend(Note(n, _for_one(n, banned)) for n in own)
    return Converted(_unique(rules), tuple(notes))


def _unique(rules: "Iterable[Rule]") -> tuple[Rule, ...]:
    return tuple({(r.words, r.decision, r.exact): r for r in rules}.values())


def _shape(pattern: str) -> _Shape:
    literal, star, rest = pattern.partition("*")
    if not star:
        words = tuple(literal.split())
        plain = _plain(words)
        return _Shape(plain, "" if plain == words else "…", literal)
    whole = literal.split() if literal[-1:].isspace() else literal.split()[:-1]
    words = _plain(tuple(whole))
    open_end = not rest and literal[-1:] == " " and words == tuple(whole)
    return _Shape(words, " *" if open_end and words else f"*{rest}", literal)


def _plain(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words up to the first that a shell would read as more than itself."""
    for number, word in enumerate(words):
        if not word or not _PLAIN.issuperset(word):
            return words[:number]
    return words


def _tightening(native: Native) -> Rule | None:
    """A rule that applies wherever the entry does; None where there are no words to begin with."""
    shape = _shape(native.pattern)
    if not shape.words:
        return None
    if shape.rest in ("", " *"):
        return Rule(shape.words, native.decision, not shape.rest, native)
    # What the entry refuses is only a part of this, so it is asked about.
    what = f"stricter: all of `{' '.join(shape.words)}` is asked about"
    return Rule(shape.words, Decision.PROMPT, exact=False, native=native, note=what)


def _allowing(native: Native, unsaid: list[Native], banned: "Banned") -> Rule | Note:
    shape = _shape(native.pattern)
    words, note = shape.words, None
    if native.special:
        return Note(native, "left out: it depends on more than the command")
    if shape.rest == "*" and shape.literal.strip():
        # `ls*` is `ls`, `ls -la` and `lsof`: all but the last are a prefix.
        words = tuple(shape.literal.split())
        note = "narrower: only whole words"
        if _plain(words) != words:
            words = ()
    elif shape.rest not in ("", " *"):
        words = ()
    if not words or " ".join(words) != shape.literal.removesuffix(" " if shape.rest else ""):
        return Note(native, "left out: no rule can express it without allowing more")
    why = banned(words)
    if why:
        return Note(native, f"left out: {why}")
    exact = not shape.rest
    for other in unsaid:
        if other.weight >= native.weight and _may_meet(other, words, exact):
            if exact or other.special or fits(other.pattern, " ".join(words)):
                return Note(native, f"left out: `{other.pattern}` refuses some of it")
            exact, note = True, f"narrower: nothing may follow, as `{other.pattern}` refuses some"
    return Rule(words, Decision.ALLOW, exact, native, note)


def _limited(found: Rule | Note, own: tuple[Native, ...]) -> Rule | Note:
    """The rule, unless it allows an agent what that agent's own entries do not."""
    if isinstance(found, Note):
        return found
    for entry in own:
        meets = entry.decision and _may_meet(entry, found.words, found.exact)
        if meets and not any(_gives_back(e, entry, found) for e in own):
            what = f"left out: `{entry.pattern}` of {entry.only} refuses some of it"
            return Note(found.native, f"{what}; for all of them write: {written(found)}")
    return found


def _gives_back(entry: Native, taken: Native, rule: Rule) -> bool:
    """Whether an agent's entry allows all of a rule that a lighter one of the same refuses."""
    if entry.decision or entry.special or entry.only != taken.only or entry.weight <= taken.weight:
        return False
    shape = _shape(entry.pattern)
    if shape.rest == " *":
        return rule.words[: len(shape.words)] == shape.words
    return entry.pattern == "*" or (not shape.rest and rule.exact and rule.words == shape.words)


def _for_one(native: Native, banned: "Banned") -> str:
    """What became of an agent's own entry."""
    found = _tightening(native) if native.decision else _allowing(native, [], banned)
    holds = f"holds for {native.only} only"
    if isinstance(found, Rule) and not native.special:
        return f"{holds}; for all of them write: {written(found)}"
    why = (
        found.what.removeprefix("left out: ")
        if isinstance(found, Note)
        else "no rule can express it"
    )
    return f"{holds}, and for all of them: {why}"


def written(rule: Rule, why: str | None = None) -> str:
    """The rule as a line of a rules file."""
    line = rule_line(rule.words, rule.decision, why)
    return line[:-1] + ", exact = True)" if rule.exact else line


def _may_meet(other: Native, words: tuple[str, ...], exact: bool) -> bool:
    """Whether an entry may fit a command that begins with these words."""
    text = " ".join(words)
    literal = "" if other.special else other.pattern.partition("*")[0]
    if exact and not other.special:
        return fits(other.pattern, text)
    return literal.startswith(text) or text.startswith(literal.rstrip())


def fits(pattern: str, command: str) -> bool:
    """Whether a list's pattern fits a command, as the hosts have it.

    >>> [fits("ls *", c) for c in ("ls", "ls -la", "lsof")]
    [True, True, False]
    """
    if pattern.endswith(" *") and fits(pattern[:-2], command):
        return True
    return pieces_fit(pattern.split("*"), command) if "*" in pattern else pattern == command

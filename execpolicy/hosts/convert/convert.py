"""Permission lists of hosts as rules that allow no more than the lists did.

A list decides by the first or the last entry that fits, here the strictest rule decides, and a rule
can say a prefix or a whole command but no `*` in the middle. What cannot be said is left out where
it allows; where it refuses or asks, the words in front of the `*` are asked about, and where there
are none, what begins with those after it is refused, and each allowing entry that could meet it is
left out.

No rule is for one agent alone. What only one is allowed is left out; what only one is refused or
asked about takes each entry for all along that could meet it. Both are noted with the rule that
would say it for all.
"""

from _collections_abc import Callable, Iterable, Iterator

from execpolicy.hosts.convert.words import (
    PLAIN,
    RESERVED,
    Completed,
    fits,
    nothing_known,
    without_variables,
)
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP, server_of
from execpolicy.model.program import EFFECTS
from execpolicy.store.line import quoted, rule_line
from execpolicy.support.record import Value

Banned = Callable[[tuple[str, ...]], str | None]

ALWAYS = 1 << 30
"""The weight of an entry that none outweighs."""


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
    """A rule that was converted: its words, whether nothing may follow, and where it is from.

    It applies only where one of the `options` is given, if there are any, and not to what begins
    with words of `unless`. `known`: it allows nothing of which the effect is not known.
    """

    words: tuple[str, ...]
    decision: Decision
    exact: bool
    native: Native
    note: str | None = None
    options: tuple[str, ...] = ()
    unless: tuple[tuple[str, ...], ...] = ()
    known: bool = False


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


def convert(
    natives: Iterable[Native], banned: Banned, completed: Completed = nothing_known
) -> Converted:
    """Rules for these entries. `banned` says why an allow rule for a prefix allows too much.

    `completed` gives what a last word may be the beginning of, where that is known.
    """
    notes: list[Note] = []
    given = tuple(_understood(natives, notes))
    every = tuple(n for n in given if not n.only)
    own = tuple(n for n in given if n.only)
    refused = refusing(every)
    tight: list[Rule] = []
    unsaid: list[Native] = []
    for native in every:
        if native.decision:
            rules, whole = _tightening(native, completed)
            tight.extend(rules)
            if not whole:
                unsaid.append(native)
            if not (whole or native in refused or any(rule.note for rule in rules)):
                notes.append(Note(native, "left out: no rule can express all of it"))
    allowing: list[Rule] = []
    glued = [rule.native for rule in tight if rule.native.pattern[-2:-1] not in ("", " ")]
    for native in every:
        if not native.decision:
            found = _beside(_limited(_allowing(native, unsaid, banned), own), glued)
            (allowing if isinstance(found, Rule) else notes).append(found)  # type: ignore[arg-type]
    made = [*(_excepting(rule, allowing) for rule in tight), *allowing]
    notes.extend(dict.fromkeys(Note(r.native, r.note) for r in made if r.note))
    notes.extend(Note(n, _for_one(n, banned)) for n in own)
    unique = {(r.words, r.decision, r.exact, r.options): r for r in made}
    return Converted(tuple(unique.values()), tuple(notes))


def refusing(natives: Iterable[Native]) -> tuple[Native, ...]:
    """The entries that refuse every command, but those that others of more weight allow."""
    every = tuple(native for native in natives if not native.only)
    asking = [native.weight for native in every if native.decision is Decision.PROMPT]
    return tuple(
        native
        for native in every
        if (native.pattern, native.decision) == ("*", Decision.FORBIDDEN)
        and not native.special
        and all(weight <= native.weight for weight in asking)
    )


def _beside(found: Rule | Note, glued: Iterable[Native]) -> Rule | Note:
    """The rule beside entries such as `npm publish*`, of which rules name what is known to exist.

    What is not known and begins so is not allowed then.
    """
    if isinstance(found, Note):
        return found
    for other in glued:
        if not other.pattern.endswith("*") or other.weight < found.native.weight:
            continue
        if fits(other.pattern, " ".join(found.words)):
            return Note(found.native, f"left out: `{other.pattern}` refuses it")
        if _may_meet(other, found.words, found.exact):
            found = found.replace(known=not found.exact)
    return found


def _understood(natives: Iterable[Native], notes: list[Note]) -> Iterator[Native]:
    """The entries that are about a command, without the variables that are set in front of it."""
    for native in natives:
        first = native.pattern.split(" ")[0]
        rest = without_variables(native.pattern)
        if first.rstrip("*") in RESERVED and first.strip("*"):
            what = f"left out: `{first}` is a word of the shell, and no command has this name"
            notes.append(Note(native, what))
        elif rest == native.pattern:
            yield native
        elif native.decision and rest:
            yield native.replace(pattern=rest, decision=Decision.PROMPT)
        else:
            what = "left out: a rule names a command, and not the variables in front of it"
            notes.append(Note(native, what))


def _excepting(rule: Rule, allowing: Iterable[Rule]) -> Rule:
    """A rule that asks for more than its entry names, without what other entries allow."""
    if not rule.note or rule.options:
        return rule
    unless = tuple(
        dict.fromkeys(
            other.words
            for other in allowing
            if other.words[: len(rule.words)] == rule.words
            and len(other.words) > len(rule.words)
            and not _may_meet(rule.native, other.words, exact=False)
        )
    )
    return rule.replace(unless=unless)


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
        if not word or not PLAIN.issuperset(word):
            return words[:number]
    return words


def _tightening(native: Native, completed: Completed) -> tuple[tuple[Rule, ...], bool]:
    """Rules that apply wherever the entry does, and whether they certainly do."""
    if native.pattern.startswith(MCP):
        return _of_server(native)
    begun = native.pattern.lstrip("* ")
    if begun != native.pattern and begun[:1].isalnum():
        return _begun(native, begun, completed), False
    shape = _shape(native.pattern)
    if not shape.words and shape.rest != "*":
        return (), False
    if shape.rest in ("", " *"):
        return (Rule(shape.words, native.decision, not shape.rest, native),), True
    glued = tuple(shape.literal.split())
    if shape.rest == "*" and glued and _plain(glued) == glued:
        whole = Rule(glued, native.decision, exact=False, native=native)
        known = completed(glued)
        if known is not None:
            more = (whole.replace(words=(*glued[:-1], w)) for w in known if w != glued[-1])
            return (whole, *more), True
        rest, covered = _asking(native, shape.words)
        return (whole, *rest), covered
    named = _with_option(native, shape, completed)
    return ((named,), True) if named else _asking(native, shape.words)


def _begun(native: Native, begun: str, completed: Completed) -> tuple[Rule, ...]:
    """Rules for the commands that begin as an entry goes on after its first `*`."""
    what = "narrower: only of commands that begin so"
    rules, _ = _tightening(native.replace(pattern=begun), completed)
    return tuple(rule.replace(native=native, note=what) for rule in rules)


def _asking(native: Native, words: tuple[str, ...]) -> tuple[tuple[Rule, ...], bool]:
    """What the entry refuses is only a part of what begins so, which is asked about."""
    if not words:
        return (), False
    what = f"stricter: all of `{' '.join(words)}` is asked about"
    return (Rule(words, Decision.PROMPT, exact=False, native=native, note=what),), True


def _with_option(native: Native, shape: _Shape, completed: Completed) -> Rule | None:
    """The rule for `git push *--force*`: these words with an option in any place."""
    pieces = native.pattern.split("*")
    middle = pieces[1].strip() if len(pieces) in (2, 3) else ""
    ends = "".join(pieces[2:]).strip()
    if not (middle.startswith("-") and shape.words and not ends) or " " in middle:
        return None
    if " ".join(shape.words) != shape.literal.strip() or not _plain((middle,)):
        return None
    known = completed((*shape.words, middle))
    if known is None:
        return None
    options = known if len(pieces) == 3 and native.pattern.endswith(f"{middle}*") else (middle,)
    what = f"stricter: `{middle}` in any place"
    return Rule(shape.words, native.decision, False, native, what, options)


def _of_server(native: Native) -> tuple[tuple[Rule, ...], bool]:
    """The rule for a tool of a server, or for all of them."""
    name = native.pattern.removesuffix("__*")
    server = server_of(name)
    if "*" not in name:
        return (Rule((name,), native.decision, exact=False, native=native),), True
    return _asking(native, () if "*" in server else (server,))


def _allowing(native: Native, unsaid: list[Native], banned: Banned) -> Rule | Note:
    if native.special:
        return Note(native, "left out: it depends on more than the command")
    if native.pattern.startswith(MCP):
        return _allowing_tool(native, unsaid)
    return _allowing_command(native, unsaid, banned)


def _allowing_command(native: Native, unsaid: list[Native], banned: Banned) -> Rule | Note:
    shape = _shape(native.pattern)
    words, note = shape.words, None
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


def _allowing_tool(native: Native, unsaid: list[Native]) -> Rule | Note:
    """The rule for a tool of a server, or for a whole one. Only an exact rule allows a tool."""
    name = native.pattern.removesuffix("__*")
    if "*" in name:
        return Note(native, "left out: a rule names a tool, or a whole server")
    for other in unsaid:
        if other.weight >= native.weight and (other.special or fits(other.pattern, name)):
            return Note(native, f"left out: `{other.pattern}` refuses some of it")
    return Rule((name,), Decision.ALLOW, exact=True, native=native)


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


def _for_one(native: Native, banned: Banned) -> str:
    """What became of an agent's own entry."""
    found = _first(native) if native.decision else _allowing(native, [], banned)
    holds = f"holds for {native.only} only"
    if isinstance(found, Rule) and not native.special:
        return f"{holds}; for all of them write: {written(found)}"
    why = (
        found.what.removeprefix("left out: ")
        if isinstance(found, Note)
        else "no rule can express it"
    )
    return f"{holds}, and for all of them: {why}"


def _first(native: Native) -> Rule | None:
    return next(iter(_tightening(native, nothing_known)[0]), None)


_KNOWN = tuple(effect for effect in EFFECTS if effect != "unknown")


def written(rule: Rule, why: str | None = None) -> str:
    """The rule as a line of a rules file."""
    line = rule_line(rule.words, rule.decision, why)
    if rule.options:
        line = f"{line[:-1]}, options = [{', '.join(map(quoted, rule.options))}])"
    if rule.known:
        line = f"{line[:-1]}, effects = [{', '.join(map(quoted, _KNOWN))}])"
    if rule.unless:
        listed = ", ".join(f"[{', '.join(map(quoted, words))}]" for words in rule.unless)
        line = f"{line[:-1]}, unless = [{listed}])"
    return line[:-1] + ", exact = True)" if rule.exact else line


def _may_meet(other: Native, words: tuple[str, ...], exact: bool) -> bool:
    """Whether an entry may fit a command that begins with these words."""
    text = " ".join(words)
    literal = "" if other.special else other.pattern.partition("*")[0]
    if exact and not other.special:
        return fits(other.pattern, text)
    return literal.startswith(text) or text.startswith(literal.rstrip())

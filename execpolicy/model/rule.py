"""Rules: what a rules file says, after it was checked."""

import os
from _collections_abc import Sequence

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic, Word
from execpolicy.support.record import Value
from execpolicy.support.resources import BUILTIN, rules_directory

Packed = tuple[str, str, int]
PackedConditions = tuple[tuple[str, ...], ...]

Pattern = tuple[tuple[str, ...], ...]
"""One entry a position; each entry holds the alternatives for that position."""

USERS = frozenset(("system", "user", "project"))
"""The layers that users write. A project's rules allow only where the user trusts them."""


class Origin(Value):
    """Where a rule was written. `line` counts from 1."""

    layer: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def packed(self) -> "Packed":
        """Plain data. A shipped file goes by its name alone: another machine compiled it."""
        return self.layer, portable(self.layer, self.file), self.line

    @staticmethod
    def unpacked(data: "Packed") -> "Origin":
        """The origin again, with the absolute path that the file has here."""
        layer, file, line = data
        return Origin(layer, local(layer, file), line)


def portable(layer: str, file: str) -> str:
    """The name that a file of this layer has on every machine, where it has one."""
    return os.path.basename(file) if layer == BUILTIN else file


def local(layer: str, file: str) -> str:
    """The absolute path on this machine of what `portable` gave a name."""
    return f"{rules_directory()}/{file}" if layer == BUILTIN else file


BASE = {
    "generated": "what the project generates",
    "project": "the project",
    "temporary": "directories for temporary files",
    "tools": "the caches of tools",
    "repositories": "other repositories",
    "personal": "the home",
    "system": "the system",
    "elsewhere": "a place that is not known",
}
"""The classes of which each path has one, and what they are; `elsewhere` where it is computed or
not known."""
BASES = tuple(BASE)

(GENERATED, PROJECT, TEMPORARY, TOOLS, REPOSITORIES, PERSONAL, SYSTEM, ELSEWHERE) = BASES

TEXT = "text"
"""Where code lies that a command holds as a text, of which all that it does is known: a posture
says so of `execute`."""

OWN = frozenset((GENERATED, PROJECT))
IN_PLACE = OWN | {TEMPORARY}
"""The base classes in which the work of a session lies."""


class OverlayClass(Value):
    """A class that is laid over a path, whatever directory it lies in.

    `reads` and `writes` say why that asks; an empty text is not a question. `shrinks`: the user may
    take paths out of it. `walled`: no confined run writes there, so the question stands in the
    sandbox too; else the write is allowed there, and reported.
    """

    name: str
    reads: str = ""
    writes: str = ""
    shrinks: bool = True
    walled: bool = True


OVERLAY = {
    each.name: each
    for each in (
        OverlayClass("policy", "", "is part of the policy itself", shrinks=False),
        OverlayClass(
            "credentials",
            "may hold a key, a password or a token",
            "may hold a key, a password or a token",
        ),
        OverlayClass("control", "", "decides what runs later"),
        OverlayClass("instructions", "", "instructs agents", walled=False),
    )
}
"""The classes by name, the worst to touch first."""

OVERLAYS = tuple(OVERLAY)
SHRINKABLE = frozenset(each.name for each in OVERLAY.values() if each.shrinks)
READ = frozenset(each.name for each in OVERLAY.values() if each.reads)
"""The classes that count where something is read."""
CHANGED = frozenset(each.name for each in OVERLAY.values() if each.writes)
"""The classes that count where something is written or removed."""
WALLED = frozenset(each.name for each in OVERLAY.values() if each.walled)
"""The classes that the sandbox holds."""

EVERY_REMOTE = frozenset(("--all", "--multiple", "-m"))
"""Options of git-fetch(1) for more remotes than one; for git-push(1) the first says more, too."""
CONFIGURED = "@configured"
"""Among the hosts of a rule: the host that the program's own configuration names, no word of it."""


ANY_INPUT = "any"
"""In `stdin` of a rule: whatever text the program reads as instructions."""
INPUT_DIGEST = "sha256:"
"""What a text in `stdin` of a rule begins with, before the digest in 64 hexadecimal digits."""


class Conditions(Value):
    """What must hold for a rule beside its words. An empty field is not a condition.

    An allow rule lifts only `effects`, in the base classes `places`, to `hosts`. Where what the
    program reads from its standard input says what it does, that must be one of the texts `stdin`,
    each by its digest; without any, the rule does not cover such a call. A rule that tightens
    applies only where the command has one of `effects` and one of `options` is given.
    """

    effects: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    stdin: tuple[str, ...] = ()

    @property
    def only_gets(self) -> bool:
        """Whether nothing is lifted but what is got from hosts that are named, by any words."""
        return self.effects == ("network",) and bool(self.hosts) and CONFIGURED not in self.hosts

    def joined(self, other: "Conditions") -> "Conditions":
        """What lifts all that either does."""
        pairs = zip(self.packed(), other.packed(), strict=True)
        return Conditions(*(tuple(dict.fromkeys((*a, *b))) for a, b in pairs))

    def packed(self) -> "PackedConditions":
        """Plain data."""
        return self.effects, self.options, self.places, self.hosts, self.stdin


class PrefixRule(Value):
    """Decides commands whose first words fit `pattern`.

    `canonical` compares tokens caselessly by Unicode canonical equivalence. `unless` holds patterns
    that are exceptions: where one of them is a prefix too, the rule does not apply. `exact`: the
    command must end where the pattern ends. `below`: a rule that allows a program of the project
    also holds below the session's root. `conditions` is None where the words alone decide whether
    the rule applies. `confined`: a rule that allows the command in the sandbox only.
    """

    pattern: Pattern
    decision: Decision
    justification: str | None
    origin: Origin
    canonical: bool = False
    unless: tuple[Pattern, ...] = ()
    exact: bool = False
    below: bool = False
    conditions: Conditions | None = None
    confined: bool = False

    def fits(self, argv: "Sequence[Word]") -> bool:
        """Whether the pattern is a prefix of `argv`, exceptions aside."""
        if self.exact and len(argv) != len(self.pattern):
            return False
        return is_prefix(self.pattern, argv, self.canonical)

    def excepts(self, argv: "Sequence[Word]") -> bool:
        """Whether one of the exceptions is a prefix of `argv`."""
        return any(is_prefix(pattern, argv, self.canonical) for pattern in self.unless)

    def matches(self, argv: "Sequence[Word]") -> bool:
        """Whether the rule applies to exactly these words."""
        return self.fits(argv) and not (self.unless and self.excepts(argv))

    def could_match(self, argv: "Sequence[Word]") -> bool:
        """Whether the rule does not apply, but would if dynamic words took some value."""
        for at, tokens in enumerate(self.pattern):
            word = argv[at] if at < len(argv) else None
            if isinstance(word, Dynamic):
                if not word.single or not self._could_begin(tokens, word.prefix):
                    return not word.single
            elif word is None or not is_prefix((tokens,), (word,), self.canonical):
                return False
        beyond = argv[len(self.pattern) :]
        if self.exact and not all(isinstance(w, Dynamic) and not w.single for w in beyond):
            return False
        return not self.matches(argv) and not (self.unless and self.excepts(argv))

    def _could_begin(self, tokens: tuple[str, ...], prefix: str) -> bool:
        if self.canonical:
            return any(fold(token).startswith(fold(prefix)) for token in tokens)
        return any(token.startswith(prefix) for token in tokens)


class HostExecutable(Value):
    """The absolute paths that may stand for the bare program `name`."""

    name: str
    paths: tuple[str, ...]
    origin: Origin


class PathRule(Value):
    """Decides paths that an operation reads, writes or removes.

    A path is absolute, or begins with `~/`, or with `**/` for any directory, or is a bare name that
    fits in any directory; it may end in `*`. `modes` holds `read`, `write`, `remove`. `programs`
    are those for which a rule that allows holds, each with its subcommands (`git config`), or one
    of `OPENERS`; for all where there are none.
    """

    paths: tuple[str, ...]
    modes: tuple[str, ...]
    decision: Decision
    justification: str | None
    origin: Origin
    programs: tuple[str, ...] = ()


REDIRECTION, TOOL = ">", "@tool"
OPENERS = (REDIRECTION, TOOL)
"""What opens a path beside programs: a redirection that writes, a file tool of an agent's host."""

ON_PATH = "$PATH/*"
"""The pattern of `control` for the directories where the caller's shell looks for programs."""


class PlaceRule(Value):
    """Says which paths belong to the class `place`, but for those that `unless` matches.

    `place` is one of `OVERLAYS`, or a base class that is a matter of names. A call without paths
    takes its `unless` out of the whole class, where its layer may do that. The patterns are those
    of `path_match`.
    """

    place: str
    paths: tuple[str, ...]
    unless: tuple[str, ...]
    origin: Origin


class NetworkRule(Value):
    """Decides a host. `host` is normalised: lower case, no port, no trailing dot.

    It may be `*.x`, every name below x, `**.x`, x and every name below, or `@name`, each host of a
    set. Without `ports` the protocol tells which. `methods` are those of HTTP that the rule is
    about, in upper case; without them, all.
    """

    host: str
    protocol: str
    decision: Decision
    justification: str | None
    origin: Origin
    ports: tuple[int, ...] = ()
    methods: tuple[str, ...] = ()


class HostSet(Value):
    """Hosts under one name, for network rules of its own file; what ships is for every file."""

    name: str
    hosts: tuple[str, ...]
    origin: Origin


def is_prefix(pattern: Pattern, argv: "Sequence[Word]", canonical: bool = False) -> bool:
    """Whether each of the first words of `argv` is among the pattern's alternatives there.

    A dynamic word is never equal to a token. `canonical` compares caselessly.
    """
    if len(argv) < len(pattern):
        return False
    if canonical:
        return is_prefix(folded_pattern(pattern), folded(argv[: len(pattern)]))
    return all(word in tokens for tokens, word in zip(pattern, argv, strict=False))


def fold(token: str) -> str:
    """The token in the form in which canonical caseless matches are equal (Unicode 3.13, D145)."""
    if token.isascii():
        return token.lower()
    from unicodedata import normalize

    return normalize("NFD", normalize("NFD", token).casefold())


def folded(argv: "Sequence[Word]") -> tuple[Word, ...]:
    """The words with each literal one folded, and what is known of the others."""
    return tuple(
        fold(w) if isinstance(w, str) else w.replace(prefix=fold(w.prefix)) if w.prefix else w
        for w in argv
    )


def folded_pattern(pattern: Pattern) -> Pattern:
    """The pattern with every token folded."""
    return tuple(tuple(fold(t) for t in tokens) for tokens in pattern)


class SandboxRule(Value):
    """What a call of `sandbox(...)` says about confined runs. What it leaves out is None.

    `time` is in seconds; `memory` and `file_size` are in bytes; `processes` counts processes and
    threads. `temporary` is the size of `/tmp` in bytes. `caches` says how the caches of known tools
    are there: one of `model.confinement.CACHES`. `unix` lets programs make unix sockets of their
    own, `trace` lets them trace each other. `listen` are ports of the sandbox that this machine may
    reach, `reach` ports of this machine that the sandbox may. With `auto_allow`, `run --confined`
    asks nothing that the walls hold anyway. With
    `undo`, it lets pass what destroys where a snapshot holds that. `backend` names what builds the
    walls.
    """

    origin: Origin
    time: float | None = None
    memory: int | None = None
    processes: int | None = None
    file_size: int | None = None
    unix: bool | None = None
    trace: bool | None = None
    caches: str | None = None
    temporary: int | None = None
    listen: tuple[int, ...] | None = None
    reach: tuple[int, ...] | None = None
    auto_allow: bool | None = None
    undo: bool | None = None
    backend: str | None = None


Rule = PrefixRule | HostExecutable | NetworkRule | HostSet | PathRule | PlaceRule | SandboxRule

"""What a host itself would do with a call, by its own settings: the words, and how they are found.

A hook asks this where it would ask the user: a question that the host puts anyway, or that the
user answered there, is not put twice. What cannot be known counts as `UNKNOWN`.
"""

from execpolicy.hosts.convert.words import PLAIN as LITERAL
from execpolicy.hosts.convert.words import fits
from execpolicy.hosts.payloads.tool_names import UNSURE
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Connect, Exec, Operation, Word, server_of
from execpolicy.support.record import Value

ASKS, OWN, REFUSES = "asks", "own", "refuses"
DEFAULT, UNKNOWN = "default", "unknown"
"""`OWN`: the user's list or chosen mode allows it; `DEFAULT`: what the host ships allows it."""
ITSELF = "the host asks by itself"
WORDS = {"allow": Decision.ALLOW, "ask": Decision.PROMPT, "deny": Decision.FORBIDDEN}
"""The words of the lists."""


class HostAnswer(Value):
    """What the host would do with one operation, and the words for it.

    `listed`: an entry of the user's list allows it, and not a mode. `names`: that entry names the
    very program. `holds`: it runs in a sandbox of the host's without a network.
    """

    does: str = UNKNOWN
    listed: bool = False
    names: bool = False
    why: str = ""
    holds: bool = False


class Tool(Value):
    """The call that a host is about to make.

    `kind` is a key of `hosts.payloads.tool_names.KINDS` or `mcp`, `mode` what the host's mode
    means (see `hosts.payloads.protocol`). `rules` are the host's own, where it sends them along.
    """

    name: str = ""
    kind: str = ""
    mode: str = ""
    cwd: str | None = None
    root: str | None = None
    rules: "tuple[object, ...] | None" = None


class PermissionEntry(Value):
    """An entry of a host's permission list.

    `kind` is the sort of tool it is about (`*` any), `pattern` has `*` for any text. `own`: written
    by the user, not by the project or the host. `certain` False: it depends on more than that.
    `weight`: where a host has the last or the highest entry decide, it is the heavier one.
    """

    kind: str
    pattern: str
    decision: Decision
    own: bool = True
    certain: bool = True
    weight: int = 0


class Listed(Value):
    """A host's settings as read. `whole` is False where some of it could not be."""

    entries: tuple[PermissionEntry, ...] = ()
    whole: bool = True
    facts: tuple[str, ...] = ()


class Subject(Value):
    """What an entry is compared with: a text of which `known` is sure, and all where `whole`."""

    kind: str
    known: str
    whole: bool = True
    program: str = ""


PLAIN = LITERAL | {"~"}
"""Characters of a word that the lists of hosts take as it is written."""
KINDS = {"read": "read", "write": "write", "remove": "write"}


def subject(operation: "Operation", tool: Tool) -> Subject:
    """An operation as the lists of hosts name it."""
    if tool.kind in UNSURE:
        return Subject("", "", whole=False)
    if isinstance(operation, Exec):
        if tool.kind == "mcp":
            name = operation.argv[0]
            return Subject("mcp", name if isinstance(name, str) else "", isinstance(name, str))
        return command(operation.argv)
    if isinstance(operation, Access):
        path = operation.path
        return Subject(KINDS.get(operation.mode, ""), *_literal(path))
    if isinstance(operation, Connect):
        return Subject("fetch", *_literal(operation.host))
    return Subject("", "", whole=False)


def _literal(word: "Word") -> tuple[str, bool]:
    return (word, True) if isinstance(word, str) else (word.prefix, False)


def command(argv: "tuple[Word, ...]") -> Subject:
    """A command, up to the first word that a shell would read as more than itself."""
    known: list[str] = []
    for word in argv:
        if not isinstance(word, str) or not word or not PLAIN.issuperset(word):
            break
        known.append(word)
    program = known[0] if known else ""
    return Subject("shell", " ".join(known), len(known) == len(argv), program)


_GIT_WORDS = (
    "add am apply checkout cherry-pick clean clone commit fetch gc init merge mv pull push rebase"
    " reset restore revert rm switch"
)
_GIT = frozenset(_GIT_WORDS.split())


def runs_unasked(what: Subject, programs: "frozenset[str]") -> bool:
    """Whether a host that runs some of what these programs do may run this without asking. What
    git changes, none does."""
    words = what.known.split(" ")
    if words[0] == "git" and len(words) > 1 and words[1] in _GIT:
        return False
    return not what.program or what.program.rpartition("/")[2] in programs


def covers(entry: PermissionEntry, what: Subject) -> bool:
    """Whether an entry is certainly about this."""
    if entry.kind not in (what.kind, "*") or not entry.certain or not what.kind:
        return False
    if what.whole:
        return fits(entry.pattern, what.known)
    head, star, tail = entry.pattern.partition("*")
    return bool(star) and not tail and f"{what.known} ".startswith(head)


def may_cover(entry: PermissionEntry, what: Subject) -> bool:
    """Whether an entry may be about this."""
    if entry.kind not in (what.kind, "*") and what.kind:
        return False
    if what.whole and entry.certain:
        return fits(entry.pattern, what.known)
    head = entry.pattern.partition("*")[0].rstrip()
    return not entry.certain or what.known.startswith(head) or head.startswith(what.known)


def names(entry: PermissionEntry, what: Subject) -> bool:
    """Whether an entry names the very program, tool or host, and not only a pattern of them."""
    head = entry.pattern.partition("*")[0]
    if what.kind == "shell":
        return bool(what.program) and (f"{head} " if head == entry.pattern else head).startswith(
            f"{what.program} "
        )
    if what.kind == "mcp":  # the server, whatever its tool
        return entry.pattern == what.known or head.startswith(f"{server_of(what.known)}__")
    return bool(head) and entry.pattern == what.known


class AskedOperation(Value):
    """An operation of a call, with the settings of the host.

    `what` is the operation as lists name it, `outer` are the commands around it.
    """

    listed: Listed
    tool: Tool
    operation: "Operation"
    what: Subject
    outer: tuple[Subject, ...] = ()

    def own(self) -> HostAnswer | None:
        """The answer by an entry that the user wrote, where one allows this; a naming one first."""
        what = self.what
        found = [e for e in self.listed.entries if not e.decision and e.own and covers(e, what)]
        found.sort(key=lambda entry: not names(entry, what))
        return by_own(found[0], what) if found else None

    def tight(self) -> Decision | None:
        """The strictest decision of the entries that ask about this or refuse it."""
        every = (e.decision for e in self.listed.entries if e.decision and covers(e, self.what))
        return max(every, default=None)

    def unlisted(self, outer: bool = True) -> bool:
        """Whether no entry may allow this or what is around it, in whatever file it stands."""
        allowing = [e for e in self.listed.entries if not e.decision]
        subjects = (self.what, *self.outer) if outer else (self.what,)
        return self.listed.whole and not any(may_cover(e, s) for e in allowing for s in subjects)


def by_own(entry: PermissionEntry, what: Subject) -> HostAnswer:
    """The answer by an entry of the user's own list."""
    why = f"your own list allows `{entry.pattern}`"
    return HostAnswer(OWN, listed=True, names=names(entry, what), why=why)


def by_list(asked: AskedOperation) -> HostAnswer:
    """What the list alone says; nothing is known of the rest."""
    return asked.own() or HostAnswer()

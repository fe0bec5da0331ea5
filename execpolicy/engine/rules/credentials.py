"""Which key of the user a command uses, by its entry in the catalogue, and why it gets none."""

from _collections_abc import Iterable

from execpolicy.catalogue import Reading, read
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Dynamic, Exec, Word
from execpolicy.model.verdict import Verdict
from execpolicy.model.written.credentials import Closed, Credentials
from execpolicy.shell.heredoc_word import written
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

ALONE = "with a key a command runs alone: make a call of it that has nothing else"
_WORDS = words_of("credentials")
AROUND = _WORDS["around"]
"""Programs that run the one they are given as it is."""
_GLOB = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/*")
_UNNAMED = frozenset(("-", "--"))
"""The beginning of an option that an entry has as `-*` or `--*`."""
_PATHS = ("/", "./", "../")
"""How a repository of this machine begins (git-fetch(1), GIT URLS)."""
PROJECT = "project"
"""The layer whose entries say nothing about keys: it is not the user's."""
_CLOSED = {
    Closed.LOGIN: "it writes down a new key, and a browser may have to open: do it in a terminal "
    "of your own, outside of the sandbox",
    Closed.MACHINE: "it logs in on another machine, where it may do all that you may: do it in a "
    "terminal of your own",
    Closed.SERVICE: "it asks a service of this machine that may do all that you may: let a rule "
    "open its socket by its path, or do it in a terminal of your own",
    Closed.AGENT: "an agent has its own key and its model's hosts, which no command gets: start it "
    "in a terminal of your own, by `execpolicy wrap -- AGENT`",
    Closed.RIGHTS: "it takes rights that nothing in a sandbox gets: do it in a terminal of your "
    "own",
    Closed.CODE: "what it runs or sends is up to the project, beside the key: do it in a terminal "
    "of your own, or in two calls, of which the one with the key runs and reads nothing else",
}
_ONLY_FOR = {Closed.AGENT: "network", Closed.RIGHTS: "privilege"}
"""Of these what has no such effect, as showing a version, wants no key."""
_RUNS_MORE = frozenset(("execute", "unknown", "privilege", "system"))
"""The effects with which a command may hand its key to other code."""


class KeyUse(Value):
    """One command that uses a key, which `credentials` describes.

    `argv` are its words, `judged` the same as they were decided about, `path` the program and its
    subcommands, `operands` what follows them. `reads` are files that words name, `globs` words that
    stand for files of such names. `around` are the words of programs around it that run it as it is
    (`timeout 60`), `variables` what is set for it. `refusal` says why it gets none; empty where it
    may get one. `closed`: it would get none as a call of its own either.
    """

    argv: tuple[str, ...]
    path: tuple[str, ...]
    credentials: Credentials
    judged: tuple[Word, ...] = ()
    operands: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    cwd: str = ""
    around: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    refusal: str = ""
    closed: Closed | None = None


def key_use(steps: "Iterable[ExpandedOperation]", snapshot: "Snapshot") -> KeyUse | None:
    """What of these steps uses a key; None where nothing does."""
    steps = tuple(steps)
    closed: KeyUse | None = None
    for step in steps:
        known = _known(step, snapshot)
        if known is None or step.reading is None:
            continue
        words = _subcommand(step.reading)
        why = known.why_closed(words)
        if why in _ONLY_FOR and _ONLY_FOR[why] not in (one.effect for one in step.reading.effects):
            continue
        if why is not None:
            closed = closed or KeyUse(
                (), step.reading.path, known, refusal=_CLOSED[why], closed=why
            )
        elif known.is_for(words) and _leaves(step.reading, known):
            use = _use(step, step.reading, known, _files_read(step, snapshot))
            return use if use.refusal else _surrounded(use, step, steps)
    return closed


def _subcommand(reading: "Reading") -> list[str]:
    """The words that say what a program does, of which its entry may list the first alone."""
    found = [*reading.path[1:]]
    for word in reading.operands:
        if not isinstance(word, str):
            break
        found.append(word)
    return found


def _leaves(reading: "Reading", known: Credentials) -> bool:
    """Whether a command of ssh reaches another machine at all, one that publishes sends anything
    (`--dry-run`), and one of git no path of this one, which needs no key."""
    effects = {each.effect for each in reading.effects}
    if any(name in reading.path[1:] for name, _ in known.first):
        return "remote" in effects
    if known.git:
        first = next(iter(reading.operands), "")
        return not isinstance(first, str) or not _is_here(first, reading.path[1:])
    return not known.ssh or not effects.isdisjoint(("network", "remote"))


def _is_here(repository: str, verb: "tuple[str, ...]") -> bool:
    """Whether a word is a path of this machine: one without a colon is, where it is not a name."""
    return repository.startswith(_PATHS) or (verb == ("clone",) and ":" not in repository)


def _surrounded(
    use: KeyUse, step: "ExpandedOperation", steps: "tuple[ExpandedOperation, ...]"
) -> KeyUse:
    """The same with the words around it, if nothing runs but what they run."""
    around: list[str] = []
    inner, size = step, 1
    while inner.outer is not None:
        outer = steps[inner.outer]
        before = [word for word in outer.argv[: inner.at] if isinstance(word, str)]
        plain = len(before) == inner.at and outer.argv[inner.at :] == inner.argv
        if not plain or not before or outer.cwd is not None:
            return use.replace(refusal=ALONE)
        if before[0] in AROUND:
            around[:0] = before
        elif before[0] not in _WORDS["before"] or not all("=" in word for word in before[1:]):
            return use.replace(refusal=ALONE)
        inner, size = outer, size + 1
    texts = sum(isinstance(word, Dynamic) for word in use.judged) - len(use.globs)
    beside = [one for one in steps if one.outer is None and one is not inner]
    if len(beside) != texts or any(one.argv != ("cat",) for one in beside):
        return use.replace(refusal=ALONE)
    there = sum(_is_run_by(one, step, steps) for one in steps) if use.credentials.ssh else 0
    whole = size + texts + there == len(steps)
    return use.replace(around=tuple(around)) if whole else use.replace(refusal=ALONE)


def _is_run_by(
    one: "ExpandedOperation", step: "ExpandedOperation", steps: "tuple[ExpandedOperation, ...]"
) -> bool:
    """Whether a step is run by another one."""
    while one.outer is not None:
        one = steps[one.outer]
        if one is step:
            return True
    return False


def may_use_key(verdict: "Verdict", snapshot: "Snapshot") -> bool:
    """Whether a program of a request is one that uses keys at all."""
    operations = (judged.operation for judged in verdict.judged)
    argv0 = (one.argv[0] for one in operations if isinstance(one, Exec))
    names = {word.rpartition("/")[2] for word in argv0 if isinstance(word, str)}
    found = map(snapshot.catalogue.lookup, names)
    return any(known is not None and known.entry.credentials for known in found)


def _known(step: "ExpandedOperation", snapshot: "Snapshot") -> Credentials | None:
    if step.reading is None or step.reading.origin is None:
        return None
    found = snapshot.catalogue.lookup(step.reading.path[0])
    if found is None or not found.entry.credentials or found.entry.origin.layer == PROJECT:
        return None
    from execpolicy.catalogue.grammar.credentials import credentials

    return credentials(found.entry.credentials)


def _files_read(step: "ExpandedOperation", snapshot: "Snapshot") -> tuple[str, ...] | None:
    """The files that words of a command name and that it reads; None where that is not known for
    certain, as of an option that its entry does not name."""
    path = " ".join(map(str, step.reading.path)) if step.reading is not None else ""
    entry = snapshot.catalogue.entry(path)
    if entry is None or entry.style == "plain" or _UNNAMED.intersection(entry.options.prefixes):
        return None
    read = [one.path for one in step.accesses if one.mode == "read" and one.extent == "file"]
    every = [one.path for one in step.accesses if one.mode == "read"]
    named = [path for path in read if isinstance(path, str)]
    return tuple(named) if len(named) == len(every) else None


def _literal(words: "Iterable[Word]", globs: tuple[str, ...]) -> tuple[str, ...] | None:
    """The values of words that are written out in the text, patterns of names as they are."""
    found: list[str] = []
    for word in words:
        value = word if isinstance(word, str) else written(word.source)
        value = word.source if isinstance(word, Dynamic) and word.source in globs else value
        if value is None:
            return None
        found.append(value)
    return tuple(found)


def _use(
    step: "ExpandedOperation",
    reading: "Reading",
    known: Credentials,
    reads: tuple[str, ...] | None,
) -> KeyUse:
    operation = step.operation
    computed = [word for word in reading.operands if isinstance(word, Dynamic)]
    globs = tuple(w.source for w in computed if known.apart and _GLOB.issuperset(w.source))
    words, operands = _literal(step.argv, globs), _literal(reading.operands, globs)
    cwd = reading.cwd if isinstance(reading.cwd, str) else ""
    use = KeyUse(
        words or (), reading.path, known, step.argv, operands or (), reads or (), globs, cwd
    )
    if words is None or not isinstance(operation, Exec):
        return use.replace(refusal="a word of it is computed")
    if reads is None and not (known.git or known.ssh or known.apart):
        return use.replace(refusal="it may read a file beside the key, which could be the key")
    for each in operation.env:
        plain = each.name in _WORDS["variables"] or f"{each.name}={each.value}" in _WORDS["values"]
        if not plain or not isinstance(each.value, str):
            return use.replace(refusal=f"`{each.name}` is set for it, and a key needs none")
    given = ((each.name, each.value) for each in operation.env if isinstance(each.value, str))
    return use.replace(variables=tuple(given))


def sentence(use: KeyUse) -> str:
    """What opens for a command that uses a key, if it is allowed or approved."""
    if use.refusal:
        return f"none opens in `run`: {use.refusal}"
    known = use.credentials
    if known.ssh:
        return "`run` logs in by the user's own ssh, on that host alone"
    if known.git:
        return "`run` asks the user's own credential helper or ssh, for the remote alone"
    listed = ", ".join(f"`{host}`" for host, _ in known.hosts)
    more = "those that it names" if known.hosts_of else ""
    hosts = " and ".join(part for part in (listed, more) if part)
    return f"`run` opens `{(*known.files, *known.passed)[0]}` for it, and {hosts}"


def runs_more(use: KeyUse, snapshot: "Snapshot") -> str:
    """What a command runs beside what its program does by itself; empty if nothing."""
    plain = read(use.path, snapshot.catalogue)
    usual = {(cause.effect, cause.why) for cause in plain.effects}
    for cause in read(use.argv, snapshot.catalogue).effects:
        if use.credentials.apart and cause.is_inherent and cause.effect == "execute":
            continue  # the code of the project is not there
        if cause.effect in _RUNS_MORE and (cause.effect, cause.why) not in usual:
            return cause.why
    return ""

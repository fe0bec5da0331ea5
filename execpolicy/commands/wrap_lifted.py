"""A command of a wrapped session that works outside of every sandbox only.

It is offered to the user where no key, host or path could be opened for it, and runs there once
where the user approved just that, by its code: with the environment that the session began with,
a program and words that nothing inside can change, and nothing else of the agent.
"""

import os
import re

from execpolicy.catalogue.services import has_login
from execpolicy.commands.run_job import opened_sockets
from execpolicy.commands.run_keys import RunKey, piped, script_of
from execpolicy.commands.wrap_apart import Apart
from execpolicy.engine.rules.credentials import key_use
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Exec
from execpolicy.model.verdict import NOTHING, Match, Source
from execpolicy.model.written.credentials import Closed
from execpolicy.places.steering import found as steering
from execpolicy.sandbox.keys.opening import NoKeyError
from execpolicy.sandbox.keys.programs import Programs
from execpolicy.sandbox.scan.paths_named import paths_named
from execpolicy.shell.single import Single, single
from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.wrap.outside.lifted import run_outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from execpolicy.commands.run_keys import Reader
    from execpolicy.engine.unwrap import ExpandedOperation
    from execpolicy.model.operation import Word
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.api import Attempt, Sandbox
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.walls import Mount
    from execpolicy.store.snapshot import Snapshot
    from execpolicy.wrap.command_sandbox import Ends
    from execpolicy.wrap.protocol import CommandRequest

OUTSIDE = "it runs outside of every sandbox, as you, and may do all that you may"
_CLOSED = (Closed.SERVICE, Closed.RIGHTS)
_SIGNS = re.compile("[:=,]")
_PATHS = ("/", "./", "../", "~")
_RUNS = frozenset(("execute", "unknown"))
_WRITTEN = frozenset(("project", "generated", "temporary", "elsewhere"))
"""Classes of places where what is inside may write code."""


class LiftedCall(Value):
    """What runs outside, with where its streams lead. `attempt` is about its words, and asks.

    `first`: it cannot work inside, so that this is what the user is asked. Else it may need a key
    that is not known, and is offered after it failed.
    """

    attempt: "Attempt"
    key: RunKey
    environment: tuple[tuple[str, str], ...]
    first: bool

    def run(self, _request: "CommandRequest", ends: "Ends", reader: "Reader") -> int:
        """Run it; the exit code of the last of what reads its output."""
        words = self.attempt.request.argv or ()
        given = dict(self.environment)

        def run() -> int:
            one = Apart(lambda own: run_outside(words, self.key.cwd, given, own))
            code = one.code(ends)
            one.outlast()
            return code

        return piped(self.key, reader, run)


class Outside(Value):
    """What a call would find outside: the variables of the session's start. `job` gives what it
    would run as inside, `written` is what else something inside can write."""

    given: "Mapping[str, str]"
    job: "Callable[[], Job]"
    written: "tuple[Mount, ...]"


def may_be_lifted(verdict: "Verdict", snapshot: "Snapshot") -> bool:
    """Whether a program of a command is one that may need more than a sandbox can be given."""
    operations = (judged.operation for judged in verdict.judged)
    names = {one.argv[0] for one in operations if isinstance(one, Exec)}
    return any(_has_keys(name, snapshot) is not None for name in names)


def lifted_call(attempt: "Attempt", sandbox: "Sandbox", outside: Outside) -> LiftedCall | None:
    """The call as it would run outside; None where it may not, or needs not."""
    request, snapshot = attempt.request, attempt.snapshot
    text = script_of(request)
    shape = single(text) if text is not None else Single("")
    if shape is None:
        return None
    if text is not None:
        request = request.replace(text=shape.text, argv=None)
    cwd = os.path.normpath(os.path.join(request.cwd or "/", shape.directory))
    steps = unwrap(request.replace(cwd=cwd), snapshot)
    first, words = _is_closed(steps, snapshot), _words(steps)
    if first is None or not words:
        return None
    job = outside.job()
    if not below(cwd, job.root) or (first and opened_sockets(job.plan)):
        return None
    mounts = (*job.plan.mounts, *outside.written)
    programs = Programs(outside.given.get("PATH", ""), mounts, job.root)
    try:
        program = _kept(words[0], programs)
        for step in steps[1:] if first else ():
            _kept(str(step.argv[0]) if step.argv else "", programs)
        judged = sandbox.requested(request.replace(text=None, argv=words, cwd=cwd, shell=None))
        named = (*_paths(words[1:], cwd), *_paths_known(judged))
        if os.path.realpath(cwd) != cwd or not _may_run(judged.verdict):
            return None
        if not all(map(programs.is_kept, named)):
            return None
        environment = _environment(outside.given, cwd, programs)
    except NoKeyError:
        return None
    key = RunKey(streams=shape.streams, rest=shape.rest, cwd=cwd, changes=bool(shape.directory))
    runs = judged.request.replace(argv=(program, *words[1:]))
    asks = judged.replace(request=runs, verdict=_asking(judged.verdict))
    return LiftedCall(asks, key, tuple(environment.items()), first)


def _is_closed(steps: "Sequence[ExpandedOperation]", snapshot: "Snapshot") -> bool | None:
    """Whether no key, path or host would do; False where that is not known, as of a key that no
    entry tells of, and None where one would."""
    use = key_use(steps, snapshot)
    if use is not None:
        return True if use.closed in _CLOSED else None
    known = _has_keys(steps[0].argv[0], snapshot) if steps and steps[0].argv else None
    return False if known is False else None


def _has_keys(name: "Word", snapshot: "Snapshot") -> bool | None:
    """Whether the keys of a program are known; None for one that has none."""
    found = snapshot.catalogue.lookup(str(name).rpartition("/")[2])
    if found is None or not (found.entry.credentials or has_login(found.entry.origin)):
        return None
    return bool(found.entry.credentials)


def _words(steps: "Sequence[ExpandedOperation]") -> tuple[str, ...]:
    """The words of the one command that these steps are, if all of it is written out."""
    outer = [step.operation for step in steps if step.outer is None]
    if len(outer) != 1 or not isinstance(outer[0], Exec) or outer[0].env:
        return ()
    words = tuple(word for word in outer[0].argv if isinstance(word, str))
    return words if len(words) == len(outer[0].argv) else ()


def _kept(name: str, programs: Programs) -> str:
    """The path of a program that nothing inside can write. Raises `NoKeyError`."""
    if name[:1] != "/":
        return programs.named(name)
    if not programs.is_kept(name):
        raise NoKeyError(f"`{name}` can be written in a sandbox")
    return name


def _paths_known(judged: "Attempt") -> "list[str]":
    """The paths that its entry says it opens."""
    return [one.path for one in paths_named(judged.request, judged.snapshot)]


def _paths(words: "Sequence[str]", cwd: str) -> "Iterator[str]":
    """What of the words may be a path of this machine, whatever the entry says: `-v./a:/b`."""
    for word in words:
        glued = (word[2:],) if word[:1] == "-" else ()
        for part in (one for each in (word, *glued) for one in _SIGNS.split(each)):
            path = os.path.join(cwd, os.path.expanduser(part))
            named = part.startswith(_PATHS) or part in (".", "..")
            if named or (part and os.path.lexists(path)):
                yield path


def _may_run(verdict: "Verdict") -> bool:
    """Whether it may run, and runs no code of the project."""
    code = (m for m in verdict.matches if _RUNS.intersection(m.effects))
    if any(_WRITTEN.intersection(m.places) or "unknown" in m.effects for m in code):
        return False
    return verdict.decision is not Decision.FORBIDDEN and not verdict.floor


def _environment(given: "Mapping[str, str]", cwd: str, programs: Programs) -> "dict[str, str]":
    """The variables of the session's start, without those that lead programs to what is written
    inside."""
    led = {one.name for one in steering(given, cwd) if not programs.is_kept(one.path)}
    return {n: v for n, v in given.items() if n not in led} | {"PATH": programs.path}


def _asking(verdict: "Verdict") -> "Verdict":
    """The verdict, which asks about each operation whatever was said before."""
    asks = Match(Source.FLOOR, Decision.PROMPT, OUTSIDE)
    judged = tuple(one.replace(matches=(asks, *one.matches)) for one in verdict.judged)
    return verdict.replace(
        decision=Decision.PROMPT, judged=judged, proposal=NOTHING, confined=Decision.PROMPT
    )

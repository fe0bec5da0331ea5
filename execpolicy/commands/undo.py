"""`execpolicy undo`: bring back what a call removed or changed in the project."""

import os
import sys
from _collections_abc import Sequence

from execpolicy.commands import undo_show, undo_walls
from execpolicy.commands.ancestors import agent_name, below_agent, session_leader
from execpolicy.commands.arguments import OptionSyntax, Syntax, Takes, counted, existing, parse
from execpolicy.commands.exit_codes import ExitCode, say
from execpolicy.commands.snapshots import store_of
from execpolicy.model.errors import UsageError, printable
from execpolicy.store.sources import own
from execpolicy.support.record import Value
from execpolicy.undo import restore
from execpolicy.undo.restore import Plan, Step
from execpolicy.undo.store import RecordedCall, Store, UndoError

SYNTAX = Syntax(
    "undo",
    (
        OptionSyntax(("--list",), "list"),
        OptionSyntax(("--diff",), "diff"),
        OptionSyntax(("--prune",), "prune"),
        OptionSyntax(("--all",), "everything"),
        OptionSyntax(("-y", "--yes"), "yes"),
        OptionSyntax(("--json",), "json"),
        OptionSyntax(("--cwd",), "cwd", Takes("directory")),
    ),
    Takes("number"),
)


class UndoOptions(Value):
    """What the command line says."""

    list: bool = False
    diff: bool = False
    prune: bool = False
    everything: bool = False
    yes: bool = False
    json: bool = False
    cwd: str | None = None
    number: int = 0
    paths: tuple[str, ...] = ()


class Asker(Value):
    """Who asks: the program of an agent, and the session. `is_agent`: only calls of this session
    may be taken back, and nothing that is protected; the user may take back all."""

    agent: str
    session: str
    is_agent: bool

    @property
    def own(self) -> str | None:
        """The session whose calls may be taken back; None for all."""
        return self.session if self.is_agent else None


def main(arguments: Sequence[str]) -> int:
    """Do it. Raises `UsageError` for an agent that may not, `UndoError` where there is nothing."""
    is_agent = below_agent()
    session = session_leader() or ("none" if is_agent else "")
    return undo(arguments, Asker(agent_name(), session, is_agent))


def undo(arguments: Sequence[str], asker: Asker, here: str | None = None) -> int:
    """The same for who asks, in a directory. Raises what `main` does."""
    parsed = parse(SYNTAX, arguments)
    options = _valid(UndoOptions(**parsed.fields), parsed.operands)  # type: ignore[arg-type]
    cwd = os.path.realpath(existing(options.cwd) if options.cwd else here or os.getcwd())
    store = store_of(cwd)
    if store is None:
        raise UndoError("this directory lies in no project")
    if options.list:
        undo_show.listed(store, asker.own, as_json=options.json)
    elif options.diff:
        return _diff(store, options, asker)
    elif options.prune:
        return _prune(store, asker, everything=options.everything)
    else:
        return _undo(store, options, cwd, asker)
    return ExitCode.ALLOW


def _valid(options: UndoOptions, operands: tuple[str, ...]) -> UndoOptions:
    """The options with the number and the paths. Raises `UsageError`."""
    chosen = [options.list, options.diff, options.prune]
    if sum(chosen) > 1:
        raise UsageError("`--list`, `--diff` and `--prune` cannot be used together")
    if options.json and not (options.list or options.diff):
        raise UsageError("`--json` needs `--list` or `--diff`")
    if options.everything and not options.prune:
        raise UsageError("`--all` needs `--prune`")
    first = operands[:1]
    if first and first[0].isdigit():
        number, paths = int(first[0]), operands[1:]
    else:
        number, paths = 0, operands
    if (options.list or options.prune) and operands:
        raise UsageError(f"unexpected argument `{printable(operands[0], 40)}`")
    if paths and not number:
        raise UsageError("say which call: `execpolicy undo --list` has their numbers")
    return options.replace(number=number, paths=tuple(paths))


def _chosen(store: Store, number: int, asker: Asker) -> list[int]:
    """The call that is meant, or those of which the first is that did anything.

    Raises `UsageError` where an agent may not, `UndoError` where there is none.
    """
    if not number:
        found = restore.candidates(store, asker.own)
        if not found:
            raise UndoError("there is no call to take back")
        return found
    manifest = store.manifest(number)
    if asker.own not in (None, manifest.call.session):
        why = "an agent takes back the calls of its own session alone"
        raise UsageError(why, ExitCode.FORBIDDEN)
    return [number]


def _prune(store: Store, asker: Asker, *, everything: bool) -> ExitCode:
    if asker.is_agent:
        raise UsageError("only the user removes what is kept", ExitCode.FORBIDDEN)
    with store.locked():
        freed = store.prune(everything)
    print(f"removed: {undo_show.size(freed)}; kept: {undo_show.size(store.size())}")
    return ExitCode.ALLOW


def _diff(store: Store, options: UndoOptions, asker: Asker) -> ExitCode:
    number = _chosen(store, options.number, asker)[0]
    later = [each for each in store.numbers() if each > number]
    if later:
        now = store.manifest(later[-1])
    else:
        look = store.take(RecordedCall("look", store.root), None, own.kept(), full=True)
        now = look.manifest
        store.forget(now)  # what it lists stays until `--prune`
    secret = undo_walls.secrets(store.root)
    changes = restore.done(store, number, now)
    undo_show.differences(store, changes, secret, as_json=options.json)
    return ExitCode.ALLOW


def _undo(store: Store, options: UndoOptions, cwd: str, asker: Asker) -> ExitCode:
    """Show what an undo does, ask, and do it."""
    undo_show.left(restore.finish(store))  # an undo that was interrupted
    numbers = _chosen(store, options.number, asker)
    only = tuple(_from_root(path, cwd, store.root) for path in options.paths)
    for number in numbers:
        planned = _planned(store, number, cwd, only, asker)
        if planned.steps or planned.changed or planned.impossible or number == numbers[-1]:
            break
        store.forget(planned.own)
    undo_show.planned(planned, store.root)
    if not (planned.steps or planned.changed):
        store.forget(planned.own)
        print(f"there is nothing to take back of {number}")
        return ExitCode.ERROR if planned.impossible else ExitCode.ALLOW
    agreed = _agreed(planned, yes=options.yes or asker.is_agent)
    if agreed is None:
        store.forget(planned.own)
        return ExitCode.PROMPT
    left = restore.undo(store, planned.replace(steps=agreed))
    undo_show.left(left)
    kept = len(planned.steps) + len(planned.changed) - len(agreed)
    own_number = planned.own.number
    print(f"taken back: {number} (`execpolicy undo {own_number}` does it again)")
    return ExitCode.ERROR if left or planned.impossible or kept else ExitCode.ALLOW


def _planned(store: Store, number: int, cwd: str, only: tuple[str, ...], asker: Asker) -> Plan:
    """What an undo of a call does; of an agent, as far as it may."""
    call = RecordedCall(f"undo {number}", cwd, asker.agent, asker.session)
    planned = restore.taken(store, number, call, only=only, own=own.kept())
    return undo_walls.permitted(planned, store.root) if asker.is_agent else planned


def _agreed(planned: Plan, *, yes: bool) -> tuple[Step, ...] | None:
    """The steps that are to be done; None where the user refuses, or cannot be asked."""
    if yes:
        return planned.steps
    if not (os.isatty(0) and os.isatty(2)):
        say("the user has to be asked: type it in a terminal, or give `--yes`")
        return None
    if planned.steps and not _asked(f"take back {counted(len(planned.steps), 'change')}?"):
        return None
    more = [one for one in planned.changed if _asked(undo_show.question(one))]
    return (*planned.steps, *more)


def _asked(question: str) -> bool:
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _from_root(path: str, cwd: str, root: str) -> str:
    """A path that the user typed, from the root on. Raises `UsageError` for one outside."""
    above, name = os.path.split(os.path.normpath(os.path.join(cwd, path)))
    real = os.path.join(os.path.realpath(above), name)
    found = os.path.relpath(real, root)
    if found == ".." or found.startswith("../"):
        raise UsageError(f"`{printable(path, 100)}` does not lie in the project")
    return "" if found == "." else found

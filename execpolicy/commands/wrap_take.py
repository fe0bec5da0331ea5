"""What a wrapped agent wrote into its own settings: told at its end, taken over by the user."""

import difflib
import os
import sys
from _collections_abc import Iterator, Sequence

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.person import agrees, refuse_agents
from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.wrap.home import files, keeping
from execpolicy.wrap.home.ending import HomeOutcome, KeptApart
from execpolicy.wrap.home.files import UnreadableStateError
from execpolicy.wrap.home.keeping import KeptSession
from execpolicy.wrap.home.merge import NOTHING, held

MAX_NAMED = 8
MAX_LINES = 2000


def ending_lines(outcome: HomeOutcome, kept: KeptSession | None) -> list[str]:
    """The lines at the end of a session: what was not carried back, and how it is taken over."""
    lines = [
        f"`{_named(path, key)}` stays as it is: it was changed outside, too"
        for path, key in outcome.conflicts
    ]
    lines += [
        f"nothing of `{printable('~/' + path, 200)}` was carried back: {printable(why, 200)}"
        for path, why in outcome.problems
    ]
    steering = [each for each in kept.apart if each.is_steering] if kept else []
    if kept and steering:
        names = [_named(each.path, each.key) for each in steering[:MAX_NAMED]]
        more = f" and {len(steering) - MAX_NAMED} more" if steering[MAX_NAMED:] else ""
        lines.append(f"the agent changed its own settings, kept apart: {', '.join(names)}{more}")
        lines.append(f"`execpolicy wrap --take {kept.name}` shows them, and takes them over")
    return lines


def _named(path: str, key: Sequence[str] = ()) -> str:
    """A file of the home, or a key of one, as it is shown."""
    place = printable(f"~/{path}", 200)
    return f"{printable('.'.join(key), 200)} of {place}" if key else place


def take(names: Sequence[str], *, agreed: bool = False) -> ExitCode:
    """Show what a session left and, when the user agrees, take it over; without a name list them.

    Raises `ExecPolicyError` for a name that is not known, `UsageError` below an agent.
    """
    refuse_agents()
    sessions = {session.name: session for session in keeping.sessions()}
    if not names:
        for session in sessions.values():
            print(f"{session.name}  {session.agent}  {len(session.apart)} kept apart")
        return ExitCode.ALLOW
    unknown = [name for name in names if name not in sessions]
    if unknown:
        raise ExecPolicyError(f"nothing is kept of a session `{printable(unknown[0], 80)}`")
    return max(_session(sessions[name], agreed) for name in names)


def _session(session: KeptSession, agreed: bool) -> ExitCode:
    for each in session.apart:
        print(f"{_named(each.path, each.key)}{'' if each.is_steering else ' (no settings)'}")
        sys.stdout.writelines(f"    {line}\n" for line in _difference(session, each))
    if not (agreed or agrees("put these in the place of what is there?")):
        print("nothing was taken over")
        return ExitCode.PROMPT
    left = 0
    for each in session.apart:
        try:
            keeping.take(session, each)
        except (UnreadableStateError, OSError) as error:
            left += 1
            why = printable(str(error), 200)
            print(f"{_named(each.path, each.key)} is left: {why}", file=sys.stderr)
    print(f"taken over: {len(session.apart) - left} of {len(session.apart)}")
    if left:
        return ExitCode.ERROR
    keeping.drop(session.name)
    return ExitCode.ALLOW


def _difference(session: KeptSession, each: KeptApart) -> Iterator[str]:
    """The lines that differ; nothing in them can fool a terminal."""
    place = keeping.place_of(session)
    texts: list[list[str]] = []
    for top in (place.start, place.own):
        data = files.content(os.path.join(top, each.path)).data
        if each.key:
            value = held(files.table(data), each.key)
            data = b"" if value is NOTHING else files.written({each.key[-1]: value})
        texts.append((data or b"").decode(errors="backslashreplace").split("\n"))
    before, after = texts
    lines = difflib.unified_diff(before, after, "before", "by the agent", lineterm="")
    for number, line in enumerate(lines):
        if number == MAX_LINES:
            yield "…"
            return
        yield printable(line, 2000)

"""What `execpolicy undo` prints: the calls, what they did, and what will be done."""

import json
import os
import sys
from _collections_abc import Callable, Iterable, Iterator, Sequence
from difflib import unified_diff
from time import localtime, strftime

from execpolicy.commands.exit_codes import say
from execpolicy.model.errors import printable
from execpolicy.places.disk import Disk
from execpolicy.support.disk.repository import find
from execpolicy.support.path_match import below
from execpolicy.support.redact import redacted
from execpolicy.undo import restore
from execpolicy.undo.compare import Change
from execpolicy.undo.entry import DIGEST, FILE, LINK, SIZE, Entry
from execpolicy.undo.objects import LostError
from execpolicy.undo.restore import Plan, Step
from execpolicy.undo.store import Manifest, Store

MAX_SHOWN = 40
"""Paths that are shown of an undo."""
MAX_TEXT = 1 << 20
"""Bytes of a file whose lines are compared."""


def size(count: int) -> str:
    """So many bytes.

    >>> size(999), size(2_500_000)
    ('999 B', '2.5 MB')
    """
    for unit, of_it in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= of_it:
            return f"{count / of_it:.1f} {unit}"
    return f"{count} B"


def listed(store: Store, session: str | None, *, as_json: bool) -> None:
    """Print the calls, of one session if that is given."""
    every = [one for one in store.manifests() if session in (None, one.call.session)]
    back = restore.taken_back(store)
    for one, later in zip(every, [*every[1:], None], strict=False):
        counts = did(store, one, later)
        if as_json:
            print(json.dumps({**_fields(one), **counts, "taken_back": one.number in back}))
        else:
            print(_line(one, counts, back=one.number in back))
    if not every and not as_json:
        print("nothing is kept of this project")


def did(store: Store, one: Manifest, later: Manifest | None) -> dict[str, int]:
    """How many files a call removed, changed and made; nothing for the last call: what it did is
    seen by what stands before the next."""
    if later is None:
        return {}
    try:
        found = restore.done(store, one.number, later)
    except LostError:
        return {}
    files = [change for change in found if not (change.is_directory or change.late)]
    words = ("removed", "changed", "made")
    return {word: sum(change.word == word for change in files) for word in words}


def _fields(one: Manifest) -> dict[str, object]:
    return {
        "number": one.number,
        "time": one.began / 1e9,
        "agent": one.call.agent,
        "session": one.call.session,
        "command": one.call.command,
        "cwd": one.call.cwd,
        "undoes": one.call.undoes,
        "whole": one.whole,
    }


def _line(one: Manifest, counts: dict[str, int], *, back: bool) -> str:
    when = strftime("%Y-%m-%d %H:%M:%S", localtime(one.began / 1e9))
    parts = [f"{count} {word}" for word, count in counts.items() if count]
    parts += ["taken back"] if back else []
    parts += [] if one.whole else ["not all is held"]
    what = ", ".join(parts) or ("no change" if counts else "")
    who = one.call.agent or "-"
    command = printable(one.call.command.partition("\n")[0], 100)
    return f"{one.number:>5}  {when}  {printable(who, 20):10}  {command}{what and f'  ({what})'}"


def planned(plan: Plan, root: str) -> None:
    """Print what an undo will do in the project at a root, and what it does not hold of git."""
    steps = [f"{one.word:12}{printable(one.path or '.', 300)}" for one in plan.steps]
    sys.stdout.writelines(f"{line}\n" for line in steps[:MAX_SHOWN])
    if len(steps) > MAX_SHOWN:
        print(f"and {len(steps) - MAX_SHOWN} more")
    for one in plan.changed:
        print(f"{'changed':12}{printable(one.path, 300)}  (after the call)")
    for path, why in plan.impossible:
        print(f"{'left':12}{printable(path, 300)}  ({why})")
    elsewhere = git_elsewhere(root)
    if elsewhere:
        what = "branches, index and stashes of this work tree stay"
        print(f"{'not held':12}{printable(elsewhere, 300)}  ({what})")
    sys.stdout.flush()


def git_elsewhere(root: str) -> str:
    """Where git keeps what belongs to the work tree at a root; empty where that is below it."""
    own = find(root, Disk())
    paths = (own.git, own.common) if own is not None and own.top == root else ()
    return next((path for path in paths if not below(path, root)), "")


def question(one: Step) -> str:
    """The question about a file that was changed after the call."""
    return f"`{printable(one.path, 200)}` was changed after the call: {one.word} all the same?"


def left(found: Sequence[tuple[str, str]]) -> None:
    """Say what could not be brought back."""
    for path, why in found[:MAX_SHOWN]:
        say(f"`{printable(path, 200)}` was left: {printable(why, 200)}")
    if len(found) > MAX_SHOWN:
        say(f"and {len(found) - MAX_SHOWN} more")


def differences(
    store: Store, changes: Iterable[Change], secret: Callable[[str], bool], *, as_json: bool
) -> None:
    """Print what a call did, with the lines of texts."""
    for change in changes:
        if as_json:
            print(json.dumps({"path": change.path, "what": change.word, "late": change.late}))
            continue
        print(f"{change.word:8} {printable(change.path or '.', 300)}")
        if not secret(change.path):
            sys.stdout.writelines(_lines(store, change))


def _lines(store: Store, change: Change) -> Iterator[str]:
    before, after = _text(store, change.before), _text(store, change.after)
    if before is None or after is None:
        return
    for line in unified_diff(before, after, "before", "after", n=2):
        yield f"    {printable(redacted(line.rstrip(chr(10))), 500)}\n"


def _text(store: Store, one: Entry | None) -> list[str] | None:
    """The lines of a file; None for what is not a text, or too long to be compared."""
    if one is None:
        return []
    if one[0] == LINK:
        return [f"-> {os.fsencode(str(one[1])).decode(errors='replace')}\n"]
    if one[0] != FILE or int(one[SIZE]) > MAX_TEXT:
        return None
    try:
        return store.objects.get(str(one[DIGEST])).decode().splitlines(keepends=True)
    except (UnicodeDecodeError, LostError):
        return None

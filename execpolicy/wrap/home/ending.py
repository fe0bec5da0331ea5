"""The end of a session's home: data is carried back, the rest is kept apart and told.

A file has three states: in `session.start` the copy of when the session began, in `session.own` the
session's, which the agent wrote, and at `session.outside(…)` that of the user's home, which another
session may have changed meanwhile. `session.home` is where the session's stands inside the walls.
"""

import os
from collections.abc import Iterator

from execpolicy.hosts.agents.agent import CarriedFile, StateColumn
from execpolicy.support.record import Value
from execpolicy.wrap.home import files
from execpolicy.wrap.home.files import FileContent, UnreadableStateError
from execpolicy.wrap.home.merge import Merged, changes, held, merged, put
from execpolicy.wrap.home.plan import SessionHome

_CHANGED = "it has changed since the session began"
MAX_FOUND = 1000
"""Files of a session's home that are told."""


class KeptApart(Value):
    """What a session wrote that is not data: a file, or a key of one.

    `is_steering`: the agent's entry calls it so. Else no column of the entry has it, so that
    nothing is known of it, and it is kept apart as well.
    """

    path: str
    key: tuple[str, ...] = ()
    is_steering: bool = True


class HomeOutcome(Value):
    """What became of what a session wrote into its home.

    `carried` and `conflicts` are keys of files. A conflict is a key that was changed outside, too;
    there it stays as it is. `apart` is what is not taken over but by the user's word.
    `problems` are files of which nothing was carried, with the reason.
    """

    carried: tuple[tuple[str, tuple[str, ...]], ...] = ()
    conflicts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    apart: tuple[KeptApart, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


def ended(session: SessionHome) -> HomeOutcome:
    """Carry back what the agent changed of its data, and say what it changed of the rest.

    May be called once the agent has ended; what it wrote stays in the session's directory.
    """
    done: list[tuple[str, Merged]] = []
    problems: list[tuple[str, str]] = []
    for file in session.entry.carried:
        try:
            done.append((file.path, _carried(session, file)))
        except (UnreadableStateError, OSError, RecursionError) as error:
            problems.append((file.path, str(error) or "it is nested too deeply"))
    apart = [KeptApart(path, key) for path, each in done for key in each.steering]
    return HomeOutcome(
        tuple((path, key) for path, each in done for key in each.carried),
        tuple((path, key) for path, each in done for key in each.conflicts),
        (*apart, *_written(session)),
        tuple(problems),
    )


def _carried(session: SessionHome, file: CarriedFile) -> Merged:
    """Carry a file back. Raises `UnreadableStateError` and `OSError`.

    A file that the agent removed stays outside: that it is missing may be half of a write.
    """
    before = files.table(files.content(os.path.join(session.start, file.path)).data)
    after = own(session, file.path)
    if after.data is None:
        return Merged({})
    new = files.table(after.data)
    if not any(change.is_data for change in changes(before, new, file.keys)):
        return merged(before, new, {}, file.keys)  # steering alone: nothing outside is touched
    outside = session.outside(file.path)
    os.makedirs(os.path.dirname(outside), 0o700, exist_ok=True)
    with files.locked(outside):
        there = files.content(outside, follow=True)
        result = merged(before, new, files.table(there.data), file.keys)
        if result.carried:
            files.put(outside, files.written(result.table), there.mode)
    return result


def _written(session: SessionHome) -> "Iterator[KeptApart]":
    """Each file of the session's own that it made or changed, but for those that are carried."""
    bound = {bind.target for bind in session.binds[1:]}  # the first is that of the home itself
    carried = {file.path for file in session.entry.carried}
    names = {os.path.relpath(path, session.own) for path in _files(session.own, session, bound)}
    names |= {
        os.path.relpath(path, session.start) for path in _files(session.start, session, set())
    }
    changed = [name for name in sorted(names - carried) if _is_changed(session, name)]
    for name in changed[:MAX_FOUND]:
        yield KeptApart(name, (), _is_steering(session, name))


def _files(top: str, session: SessionHome, bound: set[str]) -> Iterator[str]:
    """Each file and link below a directory of the session's, but for where something is bound."""
    with os.scandir(top) as entries:
        inside = sorted(entries, key=lambda entry: entry.name)
    for entry in inside:
        if os.path.join(session.home, os.path.relpath(entry.path, session.own)) in bound:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files(entry.path, session, bound)
        else:
            yield entry.path


def _is_changed(session: SessionHome, name: str) -> bool:
    """Whether a file differs from the copy of the start; a link or a pipe counts as different.

    A new one with nothing in it does not: what is bound to a file needs one in its place.
    """
    try:
        start = files.content(os.path.join(session.start, name)).data
        data = own(session, name).data
        return data != start and not (start is None and data == b"")
    except UnreadableStateError:
        return True


def own(session: SessionHome, name: str) -> FileContent:
    """A file of the session's, with no link on the way to it. Raises `UnreadableStateError`."""
    path = os.path.join(os.path.realpath(session.own), name)
    if os.path.realpath(os.path.dirname(path)) != os.path.dirname(path):
        raise UnreadableStateError("a link is on the way to it")
    return files.content(path)


def _is_steering(session: SessionHome, name: str) -> bool:
    columns = (StateColumn.STEERING, StateColumn.CODE)
    paths = [path for column in columns for path in session.entry.path_of(column)]
    return any(name == path or name.startswith(f"{path}/") for path in paths)


def take(session: SessionHome, chosen: "KeptApart") -> None:
    """Take over what was kept apart, by the user's word: a file as it is, or a key of one.

    Raises `UnreadableStateError` where it is not a file, or what is outside has changed since the
    start of the session.
    """
    outside = session.outside(chosen.path)
    new = own(session, chosen.path)
    start = files.content(os.path.join(session.start, chosen.path))
    os.makedirs(os.path.dirname(outside), 0o700, exist_ok=True)
    with files.locked(outside):
        there = files.content(outside, follow=True)
        if not chosen.key:
            if there.data != start.data:
                raise UnreadableStateError(_CHANGED)
            if new.data is None:
                os.unlink(outside)
            else:
                files.put(outside, new.data, there.mode)
            return
        before, table = files.table(start.data), files.table(there.data)
        made = put(table, chosen.key, held(files.table(new.data), chosen.key))
        if made is None or held(before, chosen.key) != held(table, chosen.key):
            raise UnreadableStateError(_CHANGED)
        files.put(outside, files.written(made), there.mode)

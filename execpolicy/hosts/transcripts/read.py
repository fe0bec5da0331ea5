"""Transcripts of all agents: found or named, recognised, and each call read once."""

import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import chain, islice
from types import ModuleType

from execpolicy.hosts.transcripts import files, opencode
from execpolicy.hosts.transcripts.call import TranscriptCall
from execpolicy.hosts.transcripts.files import Record
from execpolicy.hosts.transcripts.gather import Gathered
from execpolicy.model.errors import ExecPolicyError
from execpolicy.support.record import Value

READERS = {
    "qwen": "qwen",
    "claude": "claude",
    "codex": "codex",
    "copilot": "copilot",
    "gemini": "gemini",
    "opencode": "opencode",
    "pi": "pi",
    "execpolicy": "own_log",
}
"""Each agent with its module. Where two know a record, the first is meant."""
_ENDINGS = (".jsonl", ".json", ".db")
_NAMED = 8
"""Characters of a session that the name of its file has."""
_LOOKED_AT = 40
"""Records at the beginning by which a file is recognised."""


class Transcripts(Value):
    """What was read: the calls, how many files they stand in, calls that could not be read, and
    files that are of no agent that is known."""

    calls: tuple[TranscriptCall, ...]
    files: int = 0
    unread: int = 0
    unknown: tuple[str, ...] = ()


def found(home: str, logs: Iterable[str] = ()) -> Iterator[str]:
    """The transcripts of this user, and those of the `logs` that are there."""
    for name in READERS:
        for place in _module(name).PLACES:
            for path in files.below(os.path.join(home, place), _ENDINGS):
                if _is_session(path):
                    yield path
    yield from filter(os.path.isfile, logs)


def of_agent(home: str, agent: str) -> tuple[str, ...]:
    """The files in which an agent may keep its sessions; none for one that is not known."""
    places = _module(agent).PLACES if agent in READERS else ()
    return tuple(p for each in places for p in files.below(os.path.join(home, each), _ENDINGS))


def is_of(session: str, path: str) -> bool:
    """Whether a file may have calls of a session: it has it in its name, of which some tell the
    beginning alone, or is a database."""
    return len(session) >= _NAMED and (session[:_NAMED] in path or path.endswith(".db"))


def _is_session(path: str) -> bool:
    """Whether a file of a host's directory may be a session, by its name alone."""
    name = os.path.basename(path)
    if name.endswith(".jsonl"):
        return True
    is_chat = name.startswith("session-") and os.path.basename(os.path.dirname(path)) == "chats"
    return name == "opencode.db" or is_chat or "/storage/part/" in path


def read(paths: Iterable[str]) -> Transcripts:
    """The calls of these files, and of all transcripts below those that are directories.

    A call that several sessions have, since one was resumed or forked, counts once. Raises
    `ExecPolicyError` for a file that is named and cannot be read.
    """
    calls: dict[tuple[object, ...], TranscriptCall] = {}
    count = unread = 0
    unknown: list[str] = []
    for path, named in _files(paths):
        try:
            gathered = of_file(path, named)
        except ExecPolicyError:
            if named:
                raise
            continue
        count += 1
        if gathered is None:
            unknown.append(path)
            continue
        unread += gathered.unread
        for call in gathered.calls:
            before = calls.setdefault(call.key, call)
            if call.outcome.startswith("refused"):
                calls[call.key] = before.replace(outcome=call.outcome)
    ordered = sorted(calls.values(), key=lambda call: (call.time, call.session))
    return Transcripts(tuple(ordered), count, unread, tuple(unknown))


def _files(paths: Iterable[str]) -> Iterator[tuple[str, bool]]:
    for path in paths:
        if os.path.isdir(path):
            yield from ((each, False) for each in files.below(path, _ENDINGS))
        else:
            yield path, True


def of_file(path: str, follow: bool = False) -> Gathered | None:
    """The calls of one file; None where it is of no agent that is known."""
    if path.endswith(".db"):
        files.opened(path, follow).close()
        gathered = Gathered("opencode", path)
        opencode.read(opencode.from_database(path), gathered)
        return gathered
    with files.opened(path, follow) as file:
        if path.endswith(".json"):
            whole = files.document(path, follow)
            return of_records(iter([whole] if whole else ()), path)
        return of_records(files.records(file), path)


def of_records(records: Iterator[Record], path: str = "") -> Gathered | None:
    """The calls of records in their order; None where they are of no agent that is known."""
    first = list(islice(records, _LOOKED_AT))
    name = next((n for n in READERS if any(_module(n).knows(record) for record in first)), None)
    if name is None:
        return None
    gathered = Gathered(name, path)
    _module(name).read(chain(first, records), gathered)
    return gathered


def _module(name: str) -> ModuleType:
    return import_module(f"execpolicy.hosts.transcripts.{READERS[name]}")

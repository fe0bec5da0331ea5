"""What the hosts' own transcripts say of calls about which a host asked its user.

A hook is not told what is said in a dialog of the host: an event comes after a call that ran, none
after one that the user refused. A transcript has both. As every program can write one, what it says
is shown, and nothing rests on it.
"""

from bisect import bisect_right

from execpolicy.commands.log_line import called, seconds
from execpolicy.engine.audit import as_line
from execpolicy.hosts.transcripts.call import TranscriptCall
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store.log_lines import Line

MOMENT = 5.0
"""Seconds between a line of the log and what belongs to it."""


class HostRecords:
    """The transcripts below a home, each read when a line of its session is asked about."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._paths: dict[str, tuple[str, ...]] = {}
        self._files: dict[str, tuple[TranscriptCall, ...]] = {}
        self._sessions: dict[tuple[str, str], dict[str, list[tuple[float, str]]]] = {}

    def outcome(self, line: Line) -> str:
        """What the host made of the last call like this one that began before its line was written:
        one of `transcripts.call.CallOutcome`."""
        key = str(line.get("agent", "")), str(line.get("session", ""))
        if key not in self._sessions:
            self._sessions[key] = self._read(*key)
        every = self._sessions[key].get(called(line), [])
        at = bisect_right(every, seconds(line) + MOMENT, key=lambda one: one[0])
        return every[at - 1][1] if at else ""

    def _read(self, agent: str, session: str) -> dict[str, list[tuple[float, str]]]:
        """The calls of a session by what they do, each with when it began and its outcome."""
        from execpolicy.hosts.transcripts.read import is_of, of_agent

        if agent not in self._paths:
            self._paths[agent] = of_agent(self._home, agent)
        every = (path for path in self._paths[agent] if is_of(session, path))
        found: dict[str, list[tuple[float, str]]] = {}
        for call in (call for path in every for call in self._calls(path)):
            if call.session == session:
                one = seconds({"time": call.time}), call.outcome.value
                found.setdefault(called(as_line(call.request)), []).append(one)
        return {what: sorted(calls) for what, calls in found.items()}

    def _calls(self, path: str) -> tuple[TranscriptCall, ...]:
        from execpolicy.hosts.transcripts.read import of_file

        if path not in self._files:
            try:
                gathered = of_file(path)
            except ExecPolicyError:
                gathered = None
            self._files[path] = gathered.calls if gathered else ()
        return self._files[path]

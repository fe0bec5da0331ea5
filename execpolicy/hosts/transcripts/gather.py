"""The calls of one transcript as they are read: each begins somewhere, and ends somewhere else."""

import os
from datetime import UTC, datetime

from execpolicy.hosts.payloads import tools
from execpolicy.hosts.payloads.protocol import PayloadError
from execpolicy.hosts.payloads.words import FORBIDS, NEEDS
from execpolicy.hosts.transcripts.call import CallOutcome, TranscriptCall
from execpolicy.hosts.transcripts.files import Record
from execpolicy.model.errors import has_surrogates

OURS = (FORBIDS, NEEDS)
"""How a result begins where the hook of this program refused a call."""
MAX_CALLS = 1_000_000
"""Calls of one transcript that are taken."""


class Gathered:
    """The calls of one transcript, each by its id, and what a call has where it does not say.

    `unread` counts calls whose input is none of its tool's. What no policy is about (a list of
    things to do, a search in the web) is not a call.
    """

    def __init__(self, agent: str, path: str = "") -> None:
        self.agent = agent
        self.path = path
        self.session = os.path.basename(path).partition(".")[0]
        self.cwd: str | None = None
        self.root: str | None = None
        self.sub = False
        self.unread = 0
        self._calls: dict[str, TranscriptCall] = {}

    def begin(
        self,
        id: object,  # noqa: A002 — the hosts' own word
        tool: object,
        given: object,
        time: object = "",
        cwd: object = None,
    ) -> None:
        """A call of a tool. One that is there already is the same call again."""
        key = text(id)
        if not key or key in self._calls or not text(tool) or len(self._calls) >= MAX_CALLS:
            return
        here = place(cwd) or self.cwd
        payload: Record = {"tool": tool, "given": given, "cwd": here, "session_id": self.session}
        try:
            request = tools.of(payload, self.agent, ("tool", "given")).request
        except (PayloadError, RecursionError):
            self.unread += 1
            return
        if request is None:
            return
        request = request.replace(root=self.root or self.cwd)
        when = moment(time)
        call = TranscriptCall(
            key, self.agent, self.session, request, text(tool), request.root, self.sub, when
        )
        if has_surrogates(call.shown) or "\0" in call.shown:
            self.unread += 1
            return
        self._calls[key] = call

    def end(self, id: object, outcome: CallOutcome) -> None:  # noqa: A002
        """What came of a call. What was refused once stays refused."""
        found = self._calls.get(text(id))
        if found is not None and found.outcome in (CallOutcome.UNKNOWN, CallOutcome.RAN):
            self._calls[found.id] = found.replace(outcome=outcome)

    @property
    def calls(self) -> tuple[TranscriptCall, ...]:
        """All of them, in the order in which they began."""
        return tuple(self._calls.values())


def text(value: object) -> str:
    """The text, if it is one."""
    return value if isinstance(value, str) and not has_surrogates(value) else ""


def place(value: object) -> str | None:
    """The directory, if it is an absolute path."""
    found = text(value)
    return found if found[:1] == "/" and "\0" not in found else None


def table(value: object, *names: str) -> Record:
    """The object at a path of names, or an empty one."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def tables(value: object) -> list[Record]:
    """The objects of a list, or none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def moment(value: object) -> str:
    """A point in time in RFC 3339; milliseconds of the epoch are written so, too."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1 << 43:
        found = datetime.fromtimestamp(value / 1000, UTC)
        return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    found_text = text(value)
    return found_text if found_text[:4].isdigit() and len(found_text) <= 40 else ""


def result_text(value: object) -> str:
    """All text of a result, which is a text or a list of blocks."""
    if isinstance(value, list):
        return "\n".join(text(block.get("text")) for block in tables(value))
    return text(value)

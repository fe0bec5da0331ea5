"""Calls of transcripts as requests of this machine, or of the one that they were made on."""

import os
import re
from collections.abc import Callable, Iterable, Sequence

from execpolicy.hosts.transcripts.call import TranscriptCall
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.operation import Access, Request
from execpolicy.places.blind import repository
from execpolicy.support.record import Value


class ReplayCall(Value):
    """A call with the request that is decided.

    `home` is that of the machine where it was made; None where that is this one.
    """

    call: TranscriptCall
    request: Request
    project: str = ""
    home: str | None = None


_TEMPORARY = re.compile(
    r"(?:/private)?/var/folders/[^/\s]{1,8}/[^/\s]{1,64}/T(?=/|\b)|/private/tmp\b"
)
"""Where macOS has what `TMPDIR` names (confstr(3)), and what `/tmp` links to there."""
_WORKTREE = re.compile(r"(/\.claude/worktrees|/\.worktrees|[._]{1,2}worktrees)/[^/]+(/.*)?$")
_HOME = re.compile(r"/(?:home|Users)/[^/]+|/root(?=/|$)")
_END = r"(?=[/\s'\";:)&|]|$)"


class PathMapping(Value):
    """A directory of the other machine, and the one that it is here."""

    old: str
    new: str

    @staticmethod
    def of(text: str) -> "PathMapping":
        """From `OLD=NEW`. Raises `UsageError`."""
        old, gap, new = text.partition("=")
        if not gap or old[:1] != "/" or new[:1] != "/":
            shown = printable(text, 80)
            raise UsageError(f"`--map` takes two absolute directories, OLD=NEW, not `{shown}`")
        return PathMapping(old.rstrip("/"), new.rstrip("/"))

    def applied(self, text: str) -> str:
        """The text with the one for the other, where a path begins with it."""
        return re.sub(r"(?<![\w./-])" + re.escape(self.old) + _END, lambda _: self.new, text)


def requests(
    calls: Iterable[TranscriptCall], mappings: Sequence[PathMapping] = (), away: bool = False
) -> list[ReplayCall]:
    """The calls as they are decided. `away`: the log is of another machine, whatever is here."""
    here: dict[str, bool] = {}
    return [_request(call, mappings, away, here) for call in calls]


def _request(
    call: TranscriptCall, mappings: Sequence[PathMapping], away: bool, here: dict[str, bool]
) -> ReplayCall:
    request = call.request
    for mapping in mappings:
        request = _changed(request, mapping.applied)
    request = _in_worktree(request)
    root = request.root or request.cwd or ""
    if root not in here:
        here[root] = bool(root) and os.path.isdir(root)
    project = _WORKTREE.sub("", root)
    if here[root] and not away:
        return ReplayCall(call, request, project)
    request = _changed(request, lambda text: _TEMPORARY.sub("/tmp", text))  # noqa: S108
    if request.cwd is None:
        request = request.replace(cwd=UNKNOWN, root=UNKNOWN)
    return ReplayCall(call, request, project, home_of(request.root or request.cwd or ""))


def home_of(path: str) -> str:
    """The home that a path of another machine lies in, or one that stands for it."""
    found = _HOME.match(path)
    return found[0] if found else "/home/user"


def _in_worktree(request: Request) -> Request:
    """The request with the worktree that it runs in as its root: that is the project, too."""
    found = _WORKTREE.search(request.cwd or "")
    if found is None or request.cwd is None:
        return request
    rest = found[2] or ""
    return request.replace(root=request.cwd[: len(request.cwd) - len(rest)])


UNKNOWN = "/home/user/project"
"""The directory of a call that names none."""


def _changed(request: Request, change: Callable[[str], str]) -> Request:
    """The request with each text of it that holds paths changed."""
    operations = request.operations
    if operations is not None:
        operations = tuple(
            o.replace(path=change(o.path))
            if isinstance(o, Access) and isinstance(o.path, str)
            else o
            for o in operations
        )
    return request.replace(
        text=None if request.text is None else change(request.text),
        argv=None if request.argv is None else tuple(map(change, request.argv)),
        operations=operations,
        cwd=request.cwd and change(request.cwd),
        root=request.root and change(request.root),
    )


def there(calls: Iterable[ReplayCall]) -> dict[str, str]:
    """What is known to be on the machines of calls that were made elsewhere."""
    found: dict[str, str] = {}
    for each in calls:
        if each.home is not None:
            root = each.request.root or each.request.cwd or ""
            found |= surroundings(root, each.request.cwd or root, each.home)
    return found


def surroundings(root: str, cwd: str, home: str) -> dict[str, str]:
    """What is there around a session: it began in a repository, unless that is a home or the top of
    all, and what is above is directories."""
    found: dict[str, str] = {}
    for path in {root, cwd, home}:
        while len(path) > 1 and path not in found:
            found[path] = "directory"
            path = path.rpartition("/")[0]
    return found | repository(root) if root not in (home, "", "/") else found

"""The copies that `install` leaves beside a host's files, and whether they are still needed."""

import os
from collections.abc import Sequence

from execpolicy.hosts.install import edit, hooks, host_file, toml
from execpolicy.hosts.install.edit import Change, Place
from execpolicy.hosts.install.host import Host
from execpolicy.model.errors import ExecPolicyError
from execpolicy.support.record import Value


class Copy(Value):
    """A copy, and whether it holds something that the file itself does not hold any longer."""

    path: str
    needed: bool


def copies(host: Host, scope: str, root: str, changes: Sequence[Change]) -> list[Copy]:
    """The copies beside a host's files, judged by what the files hold after these changes."""
    after = {change.file: change.after for change in changes}
    found = []
    for now in edit.places(host, scope, root):
        path = _path(now.file)
        if _is_left(path):
            text = after.get(now.file, now.text)
            found.append(
                Copy(path, _differs(host, now.file, host_file.read(path) or "", text or ""))
            )
    return found


def are_left(host: Host, scope: str, root: str) -> bool:
    """Whether there is a copy beside any of a host's files."""
    first = host_file.path(host, scope, root)
    files = [first, host_file.beside(first, host.beside)] if host.beside else [first]
    return any(_is_left(_path(file)) for file in files)


def _path(file: str) -> str:
    return os.path.realpath(file) + host_file.BACKUP


def _is_left(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)


def _differs(host: Host, file: str, copy: str, now: str) -> bool:
    """Whether the copy, our own items apart, says something else than the file."""
    try:
        before, after = _own(host, Place(file, copy)), _own(host, Place(file, now))
        if before.strip() == after.strip():
            return False
        mark = "#" if file.endswith(".toml") else "/"
        return mark in before or edit.table(Place(file, before)) != edit.table(Place(file, after))
    except ExecPolicyError:
        return copy != now


def _own(host: Host, found: Place) -> str:
    """What is the user's own in a text: nothing where only our items are in it."""
    text = found.text or ""
    if host.plugin:
        return "" if edit.commands(host, found) else text
    if not text.strip():
        return ""
    text = (toml if found.is_toml else hooks).removed(text, host)
    mark = "#" if found.is_toml else "/"
    return "" if mark not in text and edit.table(Place(found.file, text)) == host.base else text

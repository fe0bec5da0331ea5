"""Write a rule into a layer's file, and take it back.

A block is appended: one comment that says when and for what, then the rules, a canonical line each.
The new content is verified before it takes the old one's place by rename, under a lock, so a kill
or a loss of power at any point leaves the old file or the new one, trusted as the old one was. The
comment's tag holds digests of the block and of the text before it: by these the block is known
again as the last one.
"""

import os
import stat
import time
from collections.abc import Callable, Sequence

from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.store.alike import on_a_line, parted
from execpolicy.store.entries import extended
from execpolicy.store.sources import locks, trust
from execpolicy.store.sources.files import (
    MAX_RULES_BYTES,
    is_mine,
    private_directory,
    read_regular,
    replace,
)
from execpolicy.store.sources.layers import PROJECT, project_roots
from execpolicy.support import digest, directories
from execpolicy.support.record import Value

Verify = Callable[[bytes], None]

NAME = "default.rules"
LAYERS = ("user", "project")

_HEAD = "# amend "
_JOINED = "# joined to the rule that has its other words: "
_MAX_COMMAND = 160


class Change(Value):
    """What a rules file was and what it is to be. `pinned`: the new content is trusted, too."""

    path: str
    before: bytes
    after: bytes
    pinned: bool = False


def target(layer: str, cwd: str | None = None) -> str:
    """The file that rules of this layer are written to, whether it exists or not."""
    if layer == "user":
        return os.path.join(directories.config(), "rules", NAME)
    here = os.path.realpath(cwd or os.getcwd())
    inside = (r for r in project_roots(here) if f"{here}/".startswith(f"{r.rstrip('/')}/"))
    return os.path.join(next(inside, here), PROJECT, NAME)


def append(
    layer: str,
    path: str,
    rules: Sequence[str],
    command: str,
    verify: Verify,
    *,
    dry: bool = False,
    step: Callable[[str], None] | None = None,
) -> Change:
    """Append these rule lines. `command` is what they were asked for, for the comment. Entries for
    tools of the user's own extend those that are there, and so does a rule that differs from one in
    a single word; then the block says that of it.

    `verify` is given the new content and raises if it is not to be. Raises `ExecPolicyError` for a
    file that is not this user's own, and `OSError`.
    """
    _must_be_in_place(layer, path)
    with locks.locked(path):
        before = _read(path)
        found = extended(before, rules)
        lines = (*found.left, *(f"{_JOINED}{on_a_line(rule)}" for rule in found.rules))
        after = with_block(found.content, lines, command, time.time()) if lines else found.content
        return _write(Change(path, before, after, _may_pin(layer, path, before)), verify, dry, step)


def undo(
    layer: str,
    path: str,
    verify: Verify,
    *,
    dry: bool = False,
    step: Callable[[str], None] | None = None,
) -> Change:
    """Take the last block back. Raises `ExecPolicyError` if the file does not end with one."""
    _must_be_in_place(layer, path)
    with locks.locked(path):
        before = _read(path)
        after = without_block(before)
        if after is None:
            raise ExecPolicyError(
                f"`{printable(path)}` does not end with rules that `amend` wrote, as it wrote them:"
                f" edit the file, or name the other layer: `--layer {_other(layer)}`"
            )
        for line in before[len(after) :].decode(errors="replace").splitlines():
            after = parted(after, line.removeprefix(_JOINED)) if _JOINED in line else after
        return _write(Change(path, before, after, _may_pin(layer, path, before)), verify, dry, step)


def last(cwd: str | None = None) -> str:
    """The layer whose file ends with the newest block that `amend` wrote; the user's if none does.

    What is not as it was written does not count; of two blocks of one second, the file tells.
    """
    newest, found = (b"", 0), LAYERS[0]
    for layer in LAYERS:
        path = target(layer, cwd)
        try:
            when = _written(_read(path)), os.stat(path).st_mtime_ns
        except (ExecPolicyError, OSError):
            continue
        if when[0] and when > newest:
            newest, found = when, layer
    return found


def _written(content: bytes) -> bytes:
    """When the last block was written, as its comment says; empty if the file ends with none."""
    if without_block(content) is None:
        return b""
    start = (b"\n" + content).rfind(b"\n" + _HEAD.encode())
    return content[start + len(_HEAD) :].partition(b" ")[0]


def _other(layer: str) -> str:
    return next(name for name in LAYERS if name != layer)


def with_block(before: bytes, rules: Sequence[str], command: str, now: float) -> bytes:
    """The file's content with a block for these rules at its end; line ends as they are there."""
    newline = "\r\n" if b"\r\n" in before else "\n"
    gap = "" if not before else newline if before.endswith(b"\n") else 2 * newline
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    shown = printable(" ".join(command.split()), _MAX_COMMAND)
    lines = "".join(f"{line}\n" for line in rules).replace("\n", newline)
    tag = f"{_mark(f'{when} {shown}{newline}{lines}'.encode())}-{_mark(before)}"
    return before + f"{gap}{_HEAD}{when} [{tag}] for: {shown}{newline}{lines}".encode()


def without_block(content: bytes) -> bytes | None:
    """The content as it was before its last block; None if it does not end with one as written."""
    start = (b"\n" + content).rfind(b"\n" + _HEAD.encode())
    if start < 0:
        return None
    head, _, lines = content[start:].partition(b"\n")
    when, _, rest = head[len(_HEAD) :].partition(b" [")
    tag, _, shown = rest.partition(b"] for: ")
    block, _, before = tag.partition(b"-")
    if _mark(when + b" " + shown + b"\n" + lines).encode() != block:
        return None
    text = content[:start]
    for gap in (b"", b"\n", b"\r\n", b"\n\n", b"\r\n\r\n"):
        old = text[: len(text) - len(gap)]
        if text.endswith(gap) and _mark(old).encode() == before:
            return old
    return text.removesuffix(b"\n").removesuffix(b"\r")  # what stands before was edited since


def _mark(data: bytes) -> str:
    return digest.of(data)[:8]


def _must_be_in_place(layer: str, path: str) -> None:
    """Raise `ExecPolicyError` where a link leads from a project to rules that are not its own."""
    if layer == "project" and not trust.is_in_place(path):
        real = printable(os.path.realpath(path))
        raise ExecPolicyError(f"`{printable(path)}` is really `{real}`: edit that file")


def _read(path: str) -> bytes:
    """The file's content, empty where there is none. It must be this user's own regular file."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise ExecPolicyError(f"`{printable(path)}` is not a regular file")
        if status.st_uid != os.geteuid():
            raise ExecPolicyError(f"`{printable(path)}` belongs to another user")
        return read_regular(path, status.st_size + MAX_RULES_BYTES)
    except FileNotFoundError:
        return b""


def _may_pin(layer: str, path: str, before: bytes) -> bool:
    """Whether a project's file is trusted, or holds nothing that another user wrote."""
    if layer != "project" or not trust.is_in_place(path):
        return False
    return not before or trust.trusted(path, before, trust.read())


def _write(change: Change, verify: Verify, dry: bool, step: Callable[[str], None] | None) -> Change:
    verify(change.after)
    if dry:
        return change
    real = os.path.realpath(change.path)
    locks.sweep(real)
    mode = _mode(change.path, real)
    if change.pinned:
        with trust.changing(change.path, change.after, step):
            replace(real, change.after, mode, step)
    else:
        replace(real, change.after, mode, step)
    return change


def _mode(path: str, real: str) -> int:
    try:
        return stat.S_IMODE(os.stat(real).st_mode)
    except FileNotFoundError:
        return 0o600 if path.startswith(directories.config()) else 0o644


def prepare(layer: str, path: str) -> None:
    """Make the directory of a layer's file. Raises `ExecPolicyError` where others may write."""
    _must_be_in_place(layer, path)
    directory = os.path.dirname(os.path.realpath(path))
    if layer == "user":
        private_directory(directory)
        if not is_mine(directory):
            raise ExecPolicyError(f"others can write to `{printable(directory)}`: make it yours")
    else:
        os.makedirs(directory, exist_ok=True)

"""The same answer again, where a process before was asked the same and saw the same.

Only processes that give one answer and end do this, and only those whose output is not watched at a
terminal. What such an answer depends on is noted while it is given (`store.repeat.witness`).
"""

import sys

from execpolicy.commands import unfinished
from execpolicy.store.compiled import cache
from execpolicy.store.repeat.answers import MAX_BYTES, KeptAnswer, keep, key, recall
from execpolicy.support import startup, watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.hosts.payloads.protocol import Reply
    from execpolicy.store.log_file import Held
    from execpolicy.store.repeat.answers import Logged

single = False
"""Whether this process gives one answer and ends; `execpolicy.__main__` knows."""

_KEPT = (0, 2, 3)
"""The exit codes of a decision."""


def once(
    words: "Sequence[str]",
    asked: "Sequence[str]",
    decide: "Callable[[], KeptAnswer]",
    purpose: str,
    streams: "Sequence[str]" = ("stdin", "stderr"),
) -> KeptAnswer:
    """The answer to what these words say: one that was kept, else what `decide` gives.

    `asked` is what the user or an agent typed of them: what seems to hold a secret is not kept.
    Nor is an answer kept that used one of `streams`. `purpose` tells what modules it takes to
    decide. Raises what `decide` raises.
    """
    is_kept = cache.is_there() and not unfinished.is_left()
    mark = key(words) if is_kept else ""
    found = recall(mark) if is_kept else None
    if found is None:
        startup.ahead(purpose)
    if not is_kept:
        return decide()
    if found is None:
        return _watched(mark, asked, decide, streams)
    for line in found.logged:
        again(line)
    return found


def _watched(
    mark: str, asked: "Sequence[str]", decide: "Callable[[], KeptAnswer]", streams: "Sequence[str]"
) -> KeptAnswer:
    startup.ahead("watch")
    from execpolicy.store.repeat.witness import Witness

    with Witness(streams) as witness:
        answer = decide()
    looks = witness.looks
    if watching.here.never_again:
        return answer
    if looks is not None and answer.code in _KEPT and is_clean(asked):
        keep(mark, answer.replace(logged=witness.logged), looks)
    return answer


def is_clean(asked: "Sequence[str]") -> bool:
    """Whether no secret is in what was typed, so that none is in the answer."""
    from execpolicy.support.redact import joined, redacted

    return all(redacted(text) == text for text in (joined(tuple(asked)), *asked))


def again(logged: "Logged", held: "Held | None" = None) -> None:
    """Write a line to its log once more, and that it is so. Never raises."""
    write(logged.replace(line=f'{logged.line[:-1]}, "again": true}}'), held)


def write(logged: "Logged", held: "Held | None" = None) -> None:
    """Write a line to its log, or hold it. Never raises: one that cannot be written is no reason to
    stop."""
    from execpolicy.store import log_file

    try:
        log_file.record(logged.path, logged.line, logged.max_bytes, held)
    except Exception as error:
        log_file.warn(logged.path, error)


def reply(words: "Sequence[str]", asked: "Sequence[str]", decide: "Callable[[], Reply]") -> "Reply":
    """The reply to a call of a host, which these words tell whole. Raises what `decide` raises."""
    return reply_of(once(words, asked, kept(decide), "decide", ("stdin", "stdout", "stderr")))


def kept(decide: "Callable[[], Reply]") -> "Callable[[], KeptAnswer]":
    """The same as an answer that may be kept."""

    def answer() -> KeptAnswer:
        made = decide()
        return KeptAnswer(made.code, made.stdout, made.stderr)

    return answer


def reply_of(answer: KeptAnswer) -> "Reply":
    """The reply that was kept as an answer."""
    from execpolicy.hosts.payloads.protocol import Reply

    return Reply(answer.text, answer.errors, answer.code)


# --- check ----------------------------------------------------------------------------------------


def check(arguments: "Sequence[str]", command: "Callable[[Sequence[str]], int]") -> int:
    """What `check` does with these arguments, at once where that is known. Raises what it raises.

    An answer that depends on stdin, or that says something on stderr, is never kept. A stream has
    many answers: it is not watched, which would take memory and time for each of them.
    """
    if sys.stdout.isatty() or "--jsonl" in arguments:
        startup.ahead("check")
        return command(arguments)
    written: list[str] = []

    def decide() -> KeptAnswer:
        stdout, sys.stdout = sys.stdout, _Copy(sys.stdout, written)
        try:
            code = command(arguments)
        finally:
            sys.stdout = stdout
        return KeptAnswer(code, "".join(written))

    purpose = "codex" if "codex" in arguments else "check"
    answer = once(("check", *arguments), arguments, decide, purpose)
    if not written:
        sys.stdout.write(answer.text)
    return answer.code


class _Copy:
    """A stream, what is written to which is kept, too."""

    def __init__(self, stream: object, written: list[str]) -> None:
        self._size = 0
        self._stream, self._written = stream, written

    def write(self, text: str) -> int:
        if self._size <= MAX_BYTES:  # what is longer is not kept anyway
            self._size += len(text)
            self._written.append(text)
        return self._stream.write(text)  # type: ignore[attr-defined, no-any-return]

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

"""Texts that were made of verdicts, for verdicts that the engine gives again."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.verdict import Verdict

BYTES_OF_ENTRY = 1024
"""What an entry takes beside its text."""


class Texts:
    """The texts used last, bounded in bytes. Safe to share between threads."""

    __slots__ = ("_bytes", "_kept", "_max_bytes")

    def __init__(self, max_bytes: int) -> None:
        self._kept: dict[tuple[object, ...], tuple[Verdict, str]] = {}
        self._max_bytes = max_bytes
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, verdict: "Verdict", *more: object) -> str | None:
        """The text of a verdict, and of whatever else it depends on."""
        key = id(verdict), *more
        found = self._kept.pop(key, None)
        if found is None:
            return None
        self._kept[key] = found  # the entry keeps the verdict, so that its id stays its own
        return found[1]

    def keep(self, text: str, verdict: "Verdict", *more: object) -> None:
        """Keep a text, unless it is one of the few that are very long."""
        size = len(text) + BYTES_OF_ENTRY
        if size > self._max_bytes // 64:
            return
        if self._is_of_another_policy(verdict):
            self._kept, self._bytes = {}, 0
        self._kept[(id(verdict), *more)] = verdict, text
        self._bytes += size
        while self._bytes > self._max_bytes:
            try:
                _, dropped = self._kept.pop(next(iter(self._kept)))
                self._bytes -= len(dropped) + BYTES_OF_ENTRY
            except (KeyError, RuntimeError, StopIteration):  # another thread was faster
                self._kept, self._bytes = {}, 0

    def _is_of_another_policy(self, verdict: "Verdict") -> bool:
        """Whether the verdicts that are kept are of a policy before: they hold on to all of it."""
        known = next(iter(self._kept.values()), None)
        return known is not None and known[0].digest != verdict.digest

"""Agents whose scopes overlap take turns; those in disjoint folders run side by side."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from execpolicy.model.scope import Scope


class Turns:
    """The scopes that are in use in this process, in the order in which they were asked for.

    >>> from execpolicy.places import Scope
    >>> turns = Turns()
    >>> with turns.hold(Scope("/w/a")):
    ...     turns.is_free(Scope("/w/b")), turns.is_free(Scope("/w/a/x")), turns.is_free(Scope("/w"))
    (True, False, False)
    """

    def __init__(self) -> None:
        from threading import Condition

        self._changed = Condition()
        self._queue: list[Scope] = []

    def is_free(self, scope: "Scope") -> bool:
        """Whether no agent holds, or waits for, a scope that overlaps this one."""
        with self._changed:
            return not any(scope.meets(other) for other in self._queue)

    def hold(self, scope: "Scope") -> "AbstractContextManager[Scope]":
        """Wait until no earlier scope meets this one, and hold it: `with turns.hold(scope):`."""
        from contextlib import contextmanager

        @contextmanager
        def held() -> "Iterator[Scope]":
            with self._changed:
                mine = scope.replace()  # another object: two equal scopes are two turns
                self._queue.append(mine)
                try:
                    self._changed.wait_for(lambda: self._is_next(mine))
                except BaseException:
                    self._leave(mine)
                    raise
            try:
                yield scope
            finally:
                with self._changed:
                    self._leave(mine)

        return held()

    def _is_next(self, mine: "Scope") -> bool:
        for other in self._queue:
            if other is mine:
                return True
            if mine.meets(other):
                return False
        return True

    def _leave(self, mine: "Scope") -> None:
        self._queue = [other for other in self._queue if other is not mine]
        self._changed.notify_all()

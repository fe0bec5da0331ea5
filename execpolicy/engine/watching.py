"""`engine.watch()`: hot reload for as long as a block runs."""

from execpolicy.store.store import Store
from execpolicy.store.watch import Watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Watching:
    """A context manager, for `with` and for `async with`."""

    def __init__(self, store: Store, changed: "Callable[[], None] | None" = None) -> None:
        self._watcher = Watcher(store, changed)

    def __enter__(self) -> "Watching":
        self._watcher.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._watcher.stop()

    async def __aenter__(self) -> "Watching":
        import asyncio

        await asyncio.to_thread(self._watcher.start)
        return self

    async def __aexit__(self, *_error: object) -> None:
        import asyncio

        await asyncio.to_thread(self._watcher.stop)

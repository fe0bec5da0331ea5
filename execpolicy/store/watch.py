"""Follows rules files and loads them again when they change.

watchfiles reports within some 20 ms, but misses writes through a symbolic link to elsewhere and all
that follows the removal of a watched directory (measured with 1.3). So every directory that exists
on the way to a rules file is watched, links are followed to the directory of their target, the
watch is made anew when the set of directories changes, and a slow poll looks at everything anyway.
An event is never trusted for what it says: it means "look again". On network file systems
watchfiles polls where `WATCHFILES_FORCE_POLLING` is set, and the slow poll serves where it is not.
The kernel gives each user a bounded number of watchers (inotify(7), `max_user_instances`); where
none is left, a quicker poll serves until there is one.
"""

import os
import threading
from collections.abc import Callable, Iterable

import watchfiles

from execpolicy.store.store import Store

POLL_SECONDS = 2.0
UNWATCHED_POLL_SECONDS = 0.3
DEBOUNCE_MS = 40
STEP_MS = 10


class Watcher:
    """A thread that keeps a store up to date until it is stopped.

    `changed` is called in that thread after each reload that gave another policy.
    """

    def __init__(self, store: Store, changed: Callable[[], None] | None = None) -> None:
        self._store = store
        self._changed = changed or (lambda: None)
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="execpolicy-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch, and return once a change would be noticed."""
        self._thread.start()
        self._ready.wait(5)

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._stop.set()
        self._thread.join(5)

    def _run(self) -> None:
        while not self._stop.is_set():
            directories = watched(self._store)
            if directories:
                self._follow(directories)
            else:
                self._ready.set()
                self._stop.wait(POLL_SECONDS)
                self._load_changes()

    def _follow(self, directories: frozenset[str]) -> None:
        """Watch these directories until the set of them is another one."""
        try:
            changes = watchfiles.watch(
                *directories,
                watch_filter=None,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                rust_timeout=int(POLL_SECONDS * 1000),
                yield_on_timeout=True,
                stop_event=self._stop,
                recursive=False,
            )
            self._ready.set()
            self._load_changes()
            for _ in changes:
                self._load_changes()
                if watched(self._store) != directories:
                    return
        except FileNotFoundError:  # it went between looking and watching
            self._stop.wait(STEP_MS / 1000)
        except (OSError, RuntimeError):  # watchfiles says so where no watcher is left
            self._stop.wait(UNWATCHED_POLL_SECONDS)

    def _load_changes(self) -> None:
        """Load what changed. A mistake here must not end the watch: the last policy stays."""
        try:
            if self._store.reload():
                self._changed()
        except Exception as error:
            self._store.failed(error)


class Watching:
    """Hot reload for as long as a block runs: a context manager, for `with` and `async with`."""

    def __init__(self, store: Store, changed: Callable[[], None] | None = None) -> None:
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


def watched(store: Store) -> frozenset[str]:
    """The directories to watch: each layer's, or the nearest one above it that exists."""
    found = store.found()
    paths = [d.path for d in found.directories]
    for file in found.files:
        paths.append(os.path.dirname(file.path))
        if file.real:
            paths.append(os.path.dirname(file.real))
    return frozenset(_nearest(paths))


def _nearest(paths: Iterable[str]) -> Iterable[str]:
    for path in paths:
        while path and not os.path.isdir(path):
            path = os.path.dirname(path)
        if path:
            yield path

"""Functions of the C library that the standard library of Python 3.11 does not have."""

import os

EPERM = 1
"""It is refused (errno(3))."""


def load() -> None:
    """Load what `call` takes: before a fork, after which it would cost three times as much, and
    before the mounts of a run are entered, where it may not be."""
    import _ctypes  # noqa: F401 - `ctypes` itself would take a third of the start


def call(name: str, *arguments: "int | bytes | None") -> int:
    """Call a function that gives an `int`. Raises `OSError` where it gives less than 0.

    What it takes is an `int` or a pointer, which is none or to bytes that end in a zero.
    """
    known = getattr(os, name, None)
    if known is not None:  # `setns` and `unshare`, from Python 3.12 on
        known(*arguments)
        return 0
    import _ctypes

    library = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
    result: int = _ctypes.call_function(_ctypes.dlsym(library, name), arguments)
    if result < 0:
        raise OSError(EPERM, f"{name} is refused")
    return result

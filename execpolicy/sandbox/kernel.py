"""Functions of the C library that the standard library of Python 3.11 does not have."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
    result = function(name)(*arguments)
    if result < 0:
        raise OSError(EPERM, f"{name} is refused")
    return result


def function(name: str) -> "Callable[..., int]":
    """A function that takes what `call` does, and gives what it is given."""
    import _ctypes

    address = _ctypes.dlsym(_ctypes.dlopen(None, 0), name)  # type: ignore[arg-type]
    return lambda *arguments: _ctypes.call_function(address, arguments)

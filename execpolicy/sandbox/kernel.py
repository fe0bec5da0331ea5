"""Functions of the C library that the standard library of Python 3.11 does not have."""

import errno


def call(name: str, *arguments: int) -> int:
    """Call a function that takes and gives an `int`. Raises `OSError` where it gives less than 0.

    Python 3.12 has `setns` and `unshare` in `os`.
    """
    import _ctypes  # `ctypes` itself would take a third of the start

    library = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
    result: int = _ctypes.call_function(_ctypes.dlsym(library, name), arguments)
    if result < 0:
        raise OSError(errno.EPERM, f"{name} is refused")
    return result

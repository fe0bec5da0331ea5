"""The first process of a session where there is no static shim: a script of `python -IS`.

Nothing that it has can be looked into (PR_SET_DUMPABLE of prctl(2)), and it ends with the pipe that
it reads.
"""

import _ctypes
import posix


def keep() -> None:
    """Be no process that others may look into, until the pipe ends."""
    prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
    _ctypes.call_function(prctl, (4, 0, 0, 0, 0))
    posix.read(0, 1)
    posix._exit(0)


if __name__ == "__main__":
    keep()

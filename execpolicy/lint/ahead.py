"""The shipped rules, compiled by another process while this one reads the files under lint.

After an update nothing is cached, and to compile what ships takes as long as to lint a thousand
rules. Whoever has two processors need not wait for one after the other.
"""

import subprocess
import sys
from contextlib import contextmanager

from execpolicy.store import loader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ENOUGH_BYTES = 32 * 1024
"""Files that are shorter are read before another process has started."""

_PROGRAM = "from execpolicy.store.loader import load; load(())"


@contextmanager
def compiled_ahead(size: int) -> "Iterator[None]":
    """Fill the cache while the body runs, if it is empty and there are `size` bytes to read.

    Where the other process fails, or the cache cannot be written, nothing is lost but its time.
    """
    if size < ENOUGH_BYTES or loader.compiled():
        yield
        return
    # Not from the current directory: it may be anybody's.
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.wait()

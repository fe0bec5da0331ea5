"""How the work for an input grows with its size.

Only processor time of this process is compared, and only with that of the same work on less input,
so neither the machine nor what else runs on it decides.
"""

import time
from collections.abc import Callable

MAX_LINEAR = 12.0
"""Between 4, for work that grows with the input, and 16, for work that grows with its square."""


def growth(action: Callable[[int], object], size: int) -> float:
    """How many times longer four times the input takes. What is not clear is measured again."""
    ratio = _ratio(action, size, 1)
    return ratio if ratio < 8 else _ratio(action, size, 3)


def _ratio(action: Callable[[int], object], size: int, times: int) -> float:
    return _seconds(action, size * 4, times) / max(_seconds(action, size, times), 1e-3)


def _seconds(action: Callable[[int], object], size: int, often: int) -> float:
    """Processor time, the least of some."""
    times = []
    for _ in range(often):
        started = time.process_time()
        action(size)
        times.append(time.process_time() - started)
    return min(times)

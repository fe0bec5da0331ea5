"""The resource limits of a confined run (getrlimit(2))."""

import os
import resource
from _collections_abc import Iterable

from execpolicy.model.confinement import SandboxSettings

Limit = tuple[int, int, int]
"""Its kind, the soft and the hard one."""

KINDS = 16
"""Of Linux (RLIM_NLIMITS of `asm-generic/resource.h`)."""

CORE = 1
"""No core file is that small, and one byte is the mark that keeps a core out of a pipe too
(core(5), `do_coredump`): 0 would not."""


def apply(settings: SandboxSettings) -> None:
    """Set the resource limits of this process, which its children inherit."""
    for kind, soft, hard in wanted(settings):
        resource.setrlimit(kind, (soft, hard))


def wanted(settings: SandboxSettings) -> "list[Limit]":
    """The limits of a run, each with its kind.

    Memory is what a process maps for itself alone (RLIMIT_DATA): runtimes reserve address space in
    amounts that they never use.
    """
    limits = (
        (resource.RLIMIT_CORE, CORE),
        (resource.RLIMIT_DATA, settings.memory),
        (resource.RLIMIT_FSIZE, settings.file_size),
        (resource.RLIMIT_NPROC, settings.processes),
    )
    return [(kind, *_least(kind, limit)) for kind, limit in limits if limit is not None]


def _least(kind: int, limit: int) -> tuple[int, int]:
    hard = resource.getrlimit(kind)[1]
    least = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    return least, least


def of_process(process: int) -> "tuple[int, list[Limit]]":
    """How nice a process is, and those of its limits that are not this process's own. Raises
    `OSError` where it has ended."""
    nice = os.getpriority(os.PRIO_PROCESS, process)
    found = ((kind, *resource.prlimit(process, kind)) for kind in range(KINDS))
    return nice, [one for one in found if one[1:] != resource.getrlimit(one[0])]


def take(nice: int, limits: "Iterable[Limit]") -> None:
    """Be as nice, and have these limits, but for those that this process may not have."""
    for kind, soft, hard in limits:
        try:
            resource.setrlimit(kind, (soft, hard))
        except (OSError, ValueError):
            continue
    if nice > os.getpriority(os.PRIO_PROCESS, 0):
        os.setpriority(os.PRIO_PROCESS, 0, nice)

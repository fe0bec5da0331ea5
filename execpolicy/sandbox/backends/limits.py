"""The resource limits of a confined run (getrlimit(2))."""

import resource

from execpolicy.model.confinement import Confinement

CORE = 1
"""No core file is that small, and one byte is the mark that keeps a core out of a pipe too
(core(5), `do_coredump`): 0 would not."""


def apply(settings: Confinement) -> None:
    """Set the resource limits of this process, which its children inherit.

    Memory is what a process maps for itself alone (RLIMIT_DATA): runtimes reserve address space in
    amounts that they never use.
    """
    wanted = (
        (resource.RLIMIT_CORE, CORE),
        (resource.RLIMIT_DATA, settings.memory),
        (resource.RLIMIT_FSIZE, settings.file_size),
        (resource.RLIMIT_NPROC, settings.processes),
    )
    for kind, limit in wanted:
        if limit is not None:
            hard = resource.getrlimit(kind)[1]
            least = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(kind, (least, least))

"""The plan of an operation with a key: its own words, environment, network and files."""

import os

from execpolicy.sandbox.job import Job
from execpolicy.sandbox.keys.git_settings import content
from execpolicy.sandbox.keys.opening import Opening
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Mount, Wall, wall_at
from execpolicy.support.path_match import below

KEPT = frozenset(("HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TERM", "NO_COLOR", "SHELL"))
"""What is taken of the environment: what says who and where the user is."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def with_key(job: "Job", opening: "Opening") -> "Job":
    """The job with what opens, and without what other runs could leave in it."""
    plan = job.plan.replace(cwd=opening.cwd)
    environment = {
        name: value
        for name, value in plan.environment
        if name in KEPT or name.startswith(("LC_", "TMP", "XDG_CONFIG_"))
    }
    environment |= {"PATH": opening.path, **dict(opening.given)}
    own = {port for host, port in opening.hosts if host in _LOOPBACK}
    settings = plan.settings.replace(
        reach=tuple(port for port in plan.settings.reach if port in own), unix=False, trace=False
    )
    made = plan.replace(
        argv=opening.argv,
        environment=tuple(sorted(environment.items())),
        mounts=_mounts(plan, opening, job.root),
        settings=settings,
        offline=False,
    )
    return job.replace(plan=made)


def with_variables(job: "Job", opening: "Opening") -> "Job":
    """The job with the variables of the key, which come after those of its way out."""
    environment = {**dict(job.plan.environment), **dict(opening.variables)}
    return job.replace(plan=job.plan.replace(environment=tuple(sorted(environment.items()))))


def _mounts(plan: "Plan", opening: "Opening", root: str) -> tuple[Mount, ...]:
    """The mounts: outside of the project nothing is written, what was judged is as it was."""
    works = tuple(m.path for m in plan.mounts if m.wall is Wall.WRITE and m.why == "written by git")
    kept = [_narrowed(mount, (root, *works)) for mount in plan.mounts]
    if opening.apart:
        shown = (*opening.operands, *(path for path, _ in opening.contents))
        kept = [one for one in kept if not below(one.path, root)]
        kept += [Mount(path, Wall.COVERED, "apart") for path in dict.fromkeys((root, plan.cwd))]
        assert all(below(path, root) for path in shown)  # noqa: S101
        kept += [Mount(p, Wall.READ, "a word names it", directory=False) for p in opening.operands]
    seen = (Wall.READ, Wall.WRITE)
    hidden = (path for path in opening.needed if wall_at(path, tuple(kept)) not in seen)
    kept += [Mount(path, Wall.READ, "execpolicy itself") for path in hidden]
    changed = {path for path, _ in opening.contents} | set(opening.files)
    kept = [one for one in kept if one.path not in changed]
    kept += [Mount(path, Wall.PRIVATE, "copies of keys") for path in opening.private]
    kept += [_key(path, opening) for path in opening.files]
    kept += [
        Mount(path, Wall.READ, "as it was judged", directory=False, content=text)
        for path, text in opening.contents
    ]
    return tuple(kept)


def _key(path: str, opening: "Opening") -> Mount:
    """A file with keys, for a program that writes beside it a copy."""
    copied = any(below(path, one) for one in opening.private)
    wall, held = (Wall.COPY, content(path)) if copied else (Wall.READ, None)
    return Mount(path, wall, "the key of this call", directory=False, content=held)


def _narrowed(mount: Mount, works: tuple[str, ...]) -> Mount:
    """The same, read only where it is not part of the project."""
    written = mount.wall is Wall.WRITE and not mount.pin
    if not written or any(below(mount.path, work) for work in works):
        return mount
    hidden = not os.path.isdir(mount.path)  # a socket, a device
    return mount.replace(wall=Wall.HIDDEN if hidden else Wall.READ, directory=not hidden)

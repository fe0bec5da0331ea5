"""From a command that uses a key to what opens for it, or why nothing does."""

import os
from _collections_abc import Mapping

from execpolicy.engine.rules.credentials import AROUND, KeyUse, runs_more
from execpolicy.model.errors import printable
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.keys.before import UNBEGUN, before, packed_file
from execpolicy.sandbox.keys.git_remote import GitKey
from execpolicy.sandbox.keys.git_settings import judged
from execpolicy.sandbox.keys.opening import NoKeyError, Opening, Outside, outside
from execpolicy.sandbox.keys.programs import Programs
from execpolicy.sandbox.keys.ssh_remote import SshKey
from execpolicy.sandbox.keys.token_files import TokenKey
from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.store.snapshot import Snapshot


def opening(
    use: KeyUse,
    job: "Job",
    snapshot: "Snapshot",
    given: "Mapping[str, str]",
    tunnel: str,
    *,
    approved: bool = False,
    written: "tuple[Mount, ...]" = (),
    begun: bool = False,
) -> Opening:
    """What opens for one command, in the place of the job that it would run in without a key.

    `given` is the environment that it was asked for with. `tunnel` joins its streams to a host and
    a port, inside. `approved`: a person approved the very command. `written` is what else can be
    written by what runs beside it. `begun`: what it would start of the project ran before. Raises
    `NoKeyError`.
    """
    if use.refusal:
        raise NoKeyError(use.refusal)
    why = runs_more(use, snapshot)
    if why:
        raise NoKeyError(f"a word of it makes it run more than itself: {why}")
    mounts = _read_only(job.plan.mounts, job.config)
    cwd = job.plan.cwd
    if not os.path.isdir(cwd):
        raise NoKeyError(f"there is no directory `{printable(cwd, 200)}`")
    programs = Programs(given.get("PATH", ""), (*mounts, *written), job.root)
    where = os.path.realpath(os.path.join(cwd, use.cwd))
    if not begun and before(use, where):
        raise NoKeyError(UNBEGUN)
    if use.credentials.git:
        found = _of_git(
            use, programs, outside(given, programs.path, where), mounts, tunnel, approved
        )
    elif use.credentials.ssh:
        asks = outside(given, programs.path, where)
        found = SshKey(use, programs, asks, job.root).opening(where, tunnel)
    else:
        home = os.path.realpath(os.path.expanduser("~"))
        made = packed_file(use, where) if begun else ""
        use = use.replace(argv=(*use.argv, made), operands=(made,)) if made else use
        found = TokenKey(use, programs, mounts, job.root).opening(where, home, given)
    around = [programs.named(word) if word in AROUND else word for word in use.around]
    return found.replace(argv=(*around, *found.argv), cwd=cwd, given=use.variables)


def _of_git(
    use: KeyUse,
    programs: Programs,
    asks: Outside,
    mounts: "tuple[Mount, ...]",
    tunnel: str,
    approved: bool,
) -> Opening:
    """The remote of a repository, of which the settings are as they were judged."""
    settings = judged(asks.cwd, mounts)
    if settings is None:
        raise NoKeyError("this is not a repository")
    environment = tuple({**dict(asks.environment), **dict(settings.variables)}.items())
    key = GitKey(use, programs, asks.replace(environment=environment))
    found = key.opening(tunnel, approved=approved)
    return found.replace(
        contents=((settings.config, settings.text),),
        variables=(*found.variables, *settings.variables),
    )


def _read_only(mounts: "tuple[Mount, ...]", config: str) -> "tuple[Mount, ...]":
    """The mounts with git's configuration as a file that is only read: a run with a key reads it as
    it was judged, and writes down nothing in it."""
    return (
        (*mounts, Mount(config, Wall.READ, "as it was judged", directory=False))
        if config
        else mounts
    )

"""One confined run from its decision to its end: look, plan, launch, look again."""

import os

from execpolicy.confinement import settle
from execpolicy.errors import ExecPolicyError
from execpolicy.sandbox import bubblewrap, git, prepare
from execpolicy.sandbox.launcher import Launcher, Outcome
from execpolicy.sandbox.plan import Approved, Plan, plan
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from execpolicy.store.snapshot import Snapshot
    from execpolicy.verdict import Verdict

BASH, SH = "/bin/bash", "/bin/sh"
DIRECTORIES = ("/usr/bin", "/bin", "/usr/local/bin")
"""Where bubblewrap may lie: not where PATH says, which an agent may have set."""


class NoSandboxError(ExecPolicyError):
    """No sandbox can be made here; the message says what to do."""


class Job(Value):
    """A command that was decided about, ready to be confined."""

    plan: Plan
    scene: prepare.Scene
    noted: "Mapping[str, object]"


def shell_words(text: str) -> tuple[str, ...]:
    """The words that run a script text: by the shell that it was read for."""
    return (BASH if os.path.exists(BASH) else SH, "-c", text)


def prepared(
    snapshot: "Snapshot",
    verdict: "Verdict",
    argv: "Sequence[str]",
    cwd: str,
    *,
    given: "Mapping[str, str] | None" = None,
    approved: "Iterable[Approved]" = (),
) -> Job:
    """The plan for words that were decided about, and what is compared after the run."""
    at = prepare.scene(snapshot.policy, cwd)
    walked = prepare.walk(at)
    seen = prepare.view(snapshot, cwd, at, walked, os.environ if given is None else given)
    settings = settle(snapshot.policy.sandbox)
    opened = git.may_write(verdict.judged)
    return Job(plan(argv, settings, seen, git=opened, approved=approved), at, walked.noted)


def launcher() -> str:
    """The path of bubblewrap. Raises `NoSandboxError` where it is not installed."""
    for directory in DIRECTORIES:
        path = f"{directory}/{bubblewrap.NAME}"
        if os.access(path, os.X_OK):
            return path
    raise NoSandboxError(
        "there is no sandbox: `bwrap` is not installed; install the package `bubblewrap`"
    )


def run(job: Job, given: tuple[int, int, int] = (0, 1, 2), *, forward: bool = True) -> Outcome:
    """Run to the end."""
    return Launcher(job.plan, launcher(), given, forward=forward).run()

"""No walls of one's own: the user said that the machine is a sandbox already, or wants none.

Limits, descriptors and the environment are settled all the same.
"""

import os

from execpolicy.sandbox.backends.backend import RunOutcome, Watching
from execpolicy.sandbox.backends.start.child import Start, prepare_process
from execpolicy.sandbox.backends.start.launch import launch_of
from execpolicy.sandbox.backends.start.launcher import Begin, Launcher
from execpolicy.sandbox.plan import Plan


class Unconfined:
    """Runs a plan as it is. `name` is `external` or `none`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, plan: "Plan", given: tuple[int, int, int], watching: Watching) -> RunOutcome:
        """Run the command to its end."""
        return Launcher(launch_of(plan), Begin(_become), given, watching, direct=True).run()


def _become(start: "Start") -> None:
    """Become the command. Never returns."""
    os.chdir(start.launch.cwd)
    if start.groups:
        start.groups.join()
    prepare_process(start.streams.inner, start.launch.settings, [])
    os.execvpe(start.launch.argv[0], start.launch.argv, dict(start.launch.environment))  # noqa: S606

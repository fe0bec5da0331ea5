"""What of a plan a launcher and its child need: the plan as a backend has worked it out.

A run that begins alike takes it as it was kept. So no module of a plan is imported for that.
"""

from execpolicy.model.confinement import SandboxSettings
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.plan import Plan


class Launch(Value):
    """A command, and how it is confined.

    `network`: it has that of the machine. `session`, `temporary`, `offline` and `shares` are as in
    a plan.
    `shell` is the path inside of the bash that a terminal needs. `contents` are files that
    `options` name by their path.
    `options` are the backend's words, `rules` the filter of system calls, where it takes them.
    """

    argv: tuple[str, ...]
    cwd: str
    environment: tuple[tuple[str, str], ...]
    settings: SandboxSettings
    network: bool = False
    session: str = ""
    temporary: str = ""
    options: tuple[str, ...] = ()
    rules: bytes = b""
    offline: bool = False
    shares: str = ""
    shell: str = "/bin/bash"
    contents: tuple[tuple[str, bytes], ...] = ()

    @property
    def hands_over(self) -> bool:
        """Whether its connections are judged one by one, so that it may have unix sockets."""
        return bool(self.rules) and self.settings.unix and not self.offline


def launch_of(plan: "Plan", options: tuple[str, ...] = (), rules: bytes = b"") -> Launch:
    """The launch of a plan, with what a backend makes of it."""
    more = plan.network, plan.session, plan.temporary, options, rules, plan.offline, plan.shares
    return Launch(plan.argv, plan.cwd, plan.environment, plan.settings, *more)

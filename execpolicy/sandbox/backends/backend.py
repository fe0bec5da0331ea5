"""What builds the walls of a plan: the protocol that every backend keeps, and those that ship."""

from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from execpolicy.sandbox.backends.way_out import Gate
    from execpolicy.sandbox.plan import Plan

    Standard = tuple[int, int, int]

    class Beside(Protocol):
        """Looks after a run while it lasts.

        `fd` tells that there is something to look at, `due` is the moment for the next look as
        `monotonic` counts; -1 and None where there is none.
        """

        fd: int
        due: float | None

        def begin(self) -> None:
            """The command is going to begin."""

        def follow(self) -> None:
            """The command takes longer than a moment."""

        def poll(self, init: int) -> bool:
            """See what happened to the run with this first process; whether it may go on."""

        def over(self) -> None:
            """Nothing runs inside any more, and what happens now was never open to it."""
else:
    Protocol = object


class RunOutcome(Value):
    """How a run ended.

    `code` is the command's own, 128 and the signal's number where one ended it. `started` tells
    whether the sandbox stood, `ran` whether the command itself began. `timed_out` says that the
    limit of time ended it, `full` that the `/tmp` of the session held more than it may. `lost` is
    why a file did not take all output; empty where each did. `said` is the end of what the command
    wrote to its standard error, `refused` the sockets of other programs that it was kept from.
    """

    code: int
    started: bool
    ran: bool
    timed_out: bool = False
    full: bool = False
    lost: str = ""
    said: bytes = b""
    refused: tuple[str, ...] = ()


class Watching(Value):
    """What goes on beside a run.

    `forward` hands signals of this process on; only a main thread may. `beside` looks after the
    run, which is ended where it may not go on. `held` is a descriptor that stays open as long as
    anything inside lives; -1 for none. `gate` makes the way out of the network inside, if there is
    one. `stop` is a descriptor that ends the run when there is something to read; -1 for none.
    """

    forward: bool = True
    beside: "Beside | None" = None
    held: int = -1
    gate: "Callable[[], Gate] | None" = None
    stop: int = -1


class Backend(Protocol):
    """A way to confine a command."""

    name: str

    def run(self, plan: "Plan", given: "Standard", watching: Watching) -> RunOutcome:
        """Run a plan to its end; `given` are the command's standard descriptors.

        Raises `NoSandboxError` where the walls cannot be built: never builds fewer.
        """

"""What every run gives at its end; nothing but its outcome where it left nothing."""

from execpolicy.sandbox.backends.backend import RunOutcome
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.leftovers.quarantine import Moved


class FinishedRun(Value):
    """How a run ended, what it made under protected names, and what of it could not be moved.

    `problems` are whole sentences for the user. The next process tries again. `lost` says why the
    run was ended before its end, `told` what else the user has to know.
    """

    outcome: RunOutcome
    moved: "tuple[Moved, ...]" = ()
    problems: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

"""What a run to its end gives."""

from execpolicy.sandbox.backends.backend import Outcome
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.leftovers.quarantine import Moved


class Done(Value):
    """How a run ended, and what it made under protected names."""

    outcome: Outcome
    moved: "tuple[Moved, ...]" = ()

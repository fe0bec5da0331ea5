"""What is known about each rules file of a snapshot."""

from execpolicy.support.record import Value


class Summary(Value):
    """What one file gave: its layer, its place, the number of rules and entries, and trust."""

    layer: str
    path: str
    rules: int
    programs: int
    trusted: bool
    real: str = ""

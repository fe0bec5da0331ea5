"""How much, and how long, a proxy waits for."""

from execpolicy.support.record import Value


class Limits(Value):
    """Numbers of connections, and seconds.

    `head` is what a request may take to arrive, `idle` how long nothing may move, `ask` how long a
    user may take, `linger` how long a refused client may go on sending.
    """

    connections: int = 256
    head: float = 30.0
    idle: float = 900.0
    lookup: float = 5.0
    connect: float = 10.0
    ask: float = 300.0
    linger: float = 2.0

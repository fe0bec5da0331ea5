"""A tunnel through a proxy on standard input and output, for the ProxyCommand of ssh."""

import os
import selectors
import socket

from execpolicy.model.errors import ExecPolicyError, printable

CHUNK = 65536
CONNECT_SECONDS = 30
"""How long the proxy may take to accept the connection."""


def tunnel(proxy: tuple[str, int], host: str, port: int) -> None:
    """Carry standard input to `host:port` and back, to the end. Raises `ExecPolicyError`."""
    with socket.create_connection(proxy, timeout=CONNECT_SECONDS) as connection:
        rest = _opened(connection, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        connection.settimeout(None)
        _write(rest)
        _carry(connection)


def _opened(connection: socket.socket, target: str) -> bytes:
    """Ask for a tunnel; what came after the answer."""
    connection.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    connection.settimeout(None)  # the user may be asked
    answer = b""
    while b"\r\n\r\n" not in answer:
        data = connection.recv(CHUNK)
        if not data:
            raise ExecPolicyError("the proxy closed the connection")
        answer += data
    head, _, rest = answer.partition(b"\r\n\r\n")
    if head.split(b" ")[1:2] != [b"200"]:
        raise ExecPolicyError(f"the proxy refuses it: {printable(rest.decode('utf-8', 'replace'))}")
    return rest


def _carry(connection: socket.socket) -> None:
    """Both directions, until the other side has sent all it will."""
    with selectors.PollSelector() as ready:  # of epoll(7) a file or `/dev/null` cannot be one
        ready.register(connection, selectors.EVENT_READ)
        ready.register(0, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                data = os.read(0, CHUNK) if key.fd == 0 else connection.recv(CHUNK)
                if key.fd == 0 and data:
                    connection.sendall(data)
                elif key.fd == 0:
                    ready.unregister(0)
                    connection.shutdown(socket.SHUT_WR)
                elif data:
                    _write(data)
                else:
                    return


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]

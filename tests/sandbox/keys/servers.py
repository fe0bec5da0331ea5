"""Servers on loopback that want a key: git over HTTP, and anything that wants a token."""

import base64
import os
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO, cast

from execpolicy.support.record import Value
from tests.waiting import HANG_SECONDS, until

Answer = tuple[int, dict[str, str], bytes]
Respond = Callable[["Asked"], Answer]


class Asked:
    """One request, and what it showed to prove who it is of."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.method, self.path, self.headers, self.body = method, path, headers, body
        self.key = headers.get("authorization", "")


class Server:
    """A server and all that it was asked."""

    def __init__(self, respond: Respond, certificate: Path | None = None) -> None:
        self.asked: list[Asked] = []
        self.respond = respond
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self.port = int(self._http.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def keys(self) -> list[str]:
        """What requests showed to prove who they are of."""
        return [one.key for one in self.asked if one.key]

    def wants_any(self, seconds: float) -> None:
        """Answer whoever shows any key, after some time."""
        respond = self.respond

        def answer(one: Asked) -> Answer:
            time.sleep(seconds)
            if one.key[:6] in ("token ", "Bearer"):
                return 200, {"Content-Type": "application/json"}, b'{"username": "somebody"}'
            return respond(one)

        self.respond = answer

    def redirects(self, url: str, *, asks: bool) -> None:
        """Send whoever asks to another server; with `asks` only who shows a key."""

        def answer(one: Asked) -> Answer:
            if asks and not one.key:
                return 401, {"WWW-Authenticate": 'Basic realm="x"'}, b""
            return 302, {"Location": f"{url}{one.path}"}, b""

        self.respond = answer

    def close(self) -> None:
        """End it."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(HANG_SECONDS)


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            if headers.get("transfer-encoding") == "chunked":
                body = _chunks(self.rfile.readline, self.rfile.read)
            one = Asked(self.command, self.path, headers, body)
            server.asked.append(one)
            code, given, content = server.respond(one)
            self.send_response(code)
            for name, value in {**given, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_HEAD = do_PATCH = do_DELETE = answer  # noqa: N815

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    return Handler


def _chunks(line: Callable[[], bytes], read: Callable[[int], bytes]) -> bytes:
    body = b""
    while size := int(line().strip() or b"0", 16):
        body += read(size)
        line()
    line()
    return body


@contextmanager
def serving(respond: Respond, certificate: Path | None = None) -> Iterator[Server]:
    """A server for as long as the block lasts; with a certificate and its key it speaks TLS."""
    server = Server(respond, certificate)
    try:
        yield server
    finally:
        server.close()


def certificate(path: Path) -> Path:
    """Make a certificate of this machine, with its key."""
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=127.0.0.1", "-keyout", str(path), "-out", str(path)]
    subprocess.run(words, check=True, capture_output=True)
    return path


def basic(user: str, password: str) -> str:
    """The header that shows a name and a password (RFC 7617)."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def wants(key: str, then: Respond, scheme: str = "Basic") -> Respond:
    """Answer only who shows this key."""

    def respond(one: Asked) -> Answer:
        if one.key != key:
            return 401, {"WWW-Authenticate": f'{scheme} realm="x"'}, b"a key is needed"
        return then(one)

    return respond


def says(content: bytes, code: int = 200, **headers: str) -> Respond:
    """Answer this, whatever is asked."""
    return lambda _one: (code, headers, content)


def git_backend(root: Path) -> Respond:
    """The repositories below a directory, by git-http-backend(1)."""
    core = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True)

    def respond(one: Asked) -> Answer:
        path, _, query = one.path.partition("?")
        variables = {
            "GIT_PROJECT_ROOT": str(root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": one.method,
            "CONTENT_TYPE": one.headers.get("content-type", ""),
            "HTTP_CONTENT_ENCODING": one.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": one.headers.get("git-protocol", ""),
            "REMOTE_USER": "user",
            "PATH": os.environ["PATH"],
            "HOME": str(root),
        }
        done = subprocess.run([f"{core.stdout.strip()}/git-http-backend"], input=one.body,
                              env=variables, capture_output=True, timeout=HANG_SECONDS)  # fmt: skip
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        lines = (line.partition(": ") for line in head.decode().splitlines())
        headers = {name: value for name, _, value in lines}
        return int(headers.pop("Status", "200")[:3]), headers, content

    return respond


class SshServer(Value):
    """An sshd(8), and who may log in there."""

    port: int
    log: Path


@contextmanager
def sshd(directory: Path, public_key: str) -> Iterator[SshServer]:
    """A server of ssh on loopback, for this user and this key."""
    directory.mkdir()
    keygen(directory / "host")
    (directory / "keys").write_text(public_key)
    (directory / "keys").chmod(0o600)
    port = _free_port()
    options = {
        "ListenAddress": f"127.0.0.1:{port}",
        "HostKey": directory / "host",
        "UsePAM": "no",
        "AuthorizedKeysFile": directory / "keys",
        "StrictModes": "no",
        "PidFile": "none",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "yes",
        "AcceptEnv": "GIT_PROTOCOL",
        "Subsystem": "sftp internal-sftp",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    log = directory / "log"
    Path("/run/sshd").mkdir(exist_ok=True)
    process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-E", str(log), "-f", "/dev/null", *words])
    try:
        until(lambda: log.exists() and "Server listening" in log.read_text())
        yield SshServer(port, log)
    finally:
        process.terminate()
        process.wait(HANG_SECONDS)


@contextmanager
def agent(path: Path, log: Path) -> Iterator[None]:
    """An ssh-agent(1) at a socket, which writes down what it is asked."""
    with log.open("w") as file:
        words = ["ssh-agent", "-d", "-a", str(path)]
        process = subprocess.Popen(words, stdout=file, stderr=file)
    try:
        until(lambda: "type = SOCKET" in log.read_text())
        yield
    finally:
        process.terminate()
        process.wait(HANG_SECONDS)


def keygen(path: Path) -> str:
    """Make a pair of keys; the public one."""
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(path)]
    subprocess.run(words, check=True)
    return path.with_suffix(".pub").read_text()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Postgres:
    """A server that speaks enough of PostgreSQL's protocol (3.0) to log in and answer one row."""

    def __init__(self, password: str) -> None:
        self.keys: list[str] = []
        self._password = password
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """End it."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            gone = suppress(OSError, ValueError)  # who only looks whether somebody is here
            with gone, connection, connection.makefile("rwb") as file:
                self._talk(cast(BinaryIO, file))

    def _talk(self, file: BinaryIO) -> None:
        def say(*messages: bytes) -> None:
            for one in messages:
                file.write(one[:1] + (len(one) + 3).to_bytes(4, "big") + one[1:])
            file.flush()

        start = _message(file)
        while start[:4] in (b"\x04\xd2\x16\x2f", b"\x04\xd2\x16\x30"):  # no TLS, no GSSAPI
            file.write(b"N")
            file.flush()
            start = _message(file)
        say(b"R\0\0\0\3")
        file.read(1)
        self.keys.append(_message(file).rstrip(b"\0").decode())
        if self.keys[-1] != self._password:
            say(b"ESFATAL\0C28P01\0Mno\0\0")
            return
        say(b"R\0\0\0\0", b"ZI")
        while file.read(1) == b"Q":
            _message(file)
            say(b"T\0\1x\0" + bytes(6) + b"\0\0\0\x19\xff\xff\0\0\0\0\0\0", b"D\0\1\0\0\0\5a row")
            say(b"CSELECT 1\0", b"ZI")


def _message(file: BinaryIO) -> bytes:
    return file.read(int.from_bytes(file.read(4), "big") - 4)

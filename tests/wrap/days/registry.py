"""What a project reaches, on this machine: registries of packages, with one of Python and one of
npm, the remote of its repository by git's own server for HTTP (git-http-backend(1)), and a forge,
which takes whatever comes with a token."""

import base64
import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from tests.wrap.days import approved

WHEEL = "idna-1-py3-none-any.whl"
TARBALL = "is-odd-1.0.0.tgz"
_INFO = {
    "METADATA": "Metadata-Version: 2.1\nName: idna\nVersion: 1\n",
    "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "RECORD": "",
}
_MANIFEST = {"name": "is-odd", "version": "1.0.0", "main": "index.js"}


def taken(repositories: str) -> str:
    """The file that has what was asked for with a token."""
    return f"{repositories}/taken"


@contextmanager
def served(address: str, repositories: str) -> Iterator[str]:
    """A server for all at an address; its URL."""
    _Handler.repositories = repositories
    server = ThreadingHTTPServer((address, 0), _Handler)
    url = f"http://{address}:{server.server_port}"
    _Handler.answers = _answers(url)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield url
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answers(url: str) -> dict[str, tuple[str, bytes]]:
    tarball = _tarball()
    digest = base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    dist = {"tarball": f"{url}/is-odd/-/{TARBALL}", "integrity": f"sha512-{digest}"}
    version = {**_MANIFEST, "dist": dist}
    packument = {"name": "is-odd", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    page = f'<a href="/files/{WHEEL}">{WHEEL}</a>'
    return {
        "/simple/idna/": ("text/html", page.encode()),
        f"/files/{WHEEL}": ("application/zip", _wheel()),
        "/is-odd": ("application/json", json.dumps(packument).encode()),
        f"/is-odd/-/{TARBALL}": ("application/octet-stream", tarball),
    }


def _wheel() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        made.writestr("idna.py", "x = 1\n")
        for name, text in _INFO.items():
            made.writestr(f"idna-1.dist-info/{name}", text)
    return held.getvalue()


def _tarball() -> bytes:
    held = io.BytesIO()
    files = {"package.json": json.dumps(_MANIFEST), "index.js": "module.exports = n => n % 2\n"}
    with tarfile.open(fileobj=held, mode="w") as made:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            made.addfile(entry, io.BytesIO(text.encode()))
    return gzip.compress(held.getvalue(), mtime=0)


class _Handler(BaseHTTPRequestHandler):
    answers: ClassVar[dict[str, tuple[str, bytes]]] = {}
    repositories: ClassVar[str] = ""

    def do_GET(self) -> None:
        if self.path.startswith("/origin.git"):
            self._git()
            return
        kind, data = self.answers.get(self.path.partition("?")[0], ("text/plain", self._taken()))
        self.send_response(200 if data else 404)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        self._git()

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200 if self._taken() else 401)
        self.send_header("content-length", "0")
        self.end_headers()

    def _taken(self) -> bytes:
        """Note what was asked for with a token, but for what Claude looks at by itself."""
        if approved.TOKEN not in self.headers.get("authorization", ""):
            return b""
        if "/view/" not in self.path:
            with open(taken(self.repositories), "a") as file:
                file.write(f"{self.command} {self.path}\n")
        return b"taken\n"

    def _git(self) -> None:
        path, _, query = self.path.partition("?")
        size = int(self.headers.get("content-length") or 0)
        given = {
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(size),
            "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
            "GIT_PROJECT_ROOT": self.repositories,
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH": os.defpath,
        }
        words = ["git", "http-backend"]
        done = subprocess.run(words, input=self.rfile.read(size), env=given, capture_output=True)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().splitlines()]
        status = next((value for name, value in headers if name == "Status"), "200")
        self.send_response(int(status.split()[0]))
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

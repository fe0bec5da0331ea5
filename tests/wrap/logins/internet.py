"""The servers of the agents' vendors, on a network of their own on which nothing else is.

`python -m tests.wrap.logins.internet DIR STATE WORDS` is started in namespaces by `words_in`. It
serves all names of `vendors`, writes to `DIR/asked` what was asked for, and ends as WORDS do. New
tokens are to be had where STATE is `given`.
"""

import json
import ssl
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from execpolicy.wrap.namespaces import die_with_parent
from tests.wrap.logins.vendors import HOSTS, answer

ADDRESS = "11.22.33.44"
"""Public, so that the proxy takes it for any other host."""
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
_MAKES = """
ip link set lo up && ip addr add "$1/32" dev lo &&
mount --bind "$2/hosts" /etc/hosts && mount --bind "$2/bundle" "$3" && shift 3 && exec "$@"
"""
_AUTHORITY = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=a")
_LEAF = ("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=b")
_SIGN = ("x509", "-req", "-CAcreateserial", "-days", "2", "-extensions", "v3")


def words_in(directory: Path, state: str, words: list[str]) -> list[str]:
    """The words that start others where the vendors are these, after their files were made."""
    directory.mkdir()
    (directory / "asked").touch()
    names = "".join(f"{ADDRESS} {host}\n" for host in HOSTS)
    (directory / "hosts").write_text(f"127.0.0.1 localhost\n{names}")
    _certify(directory)
    inside = [sys.executable, "-m", __name__, str(directory), state, *words]
    made = ["sh", "-c", _MAKES, "sh", ADDRESS, str(directory), BUNDLE, *inside]
    return ["unshare", "--user", "--map-root-user", "--mount", "--net", *made]


def _certify(at: Path) -> None:
    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=at, check=True, capture_output=True)

    (at / "names").write_text(f"[v3]\nsubjectAltName={','.join(f'DNS:{one}' for one in HOSTS)}\n")
    openssl(*_AUTHORITY, "-keyout", "authority", "-out", "bundle")
    openssl(*_LEAF, "-keyout", "key", "-out", "request")
    signed = ("-in", "request", "-CA", "bundle", "-CAkey", "authority", "-out", "certificate")
    openssl(*_SIGN, *signed, "-extfile", "names")


class _Vendor(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    directory: Path
    given: bool

    def _answered(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(size).decode("utf-8", "replace")
        host = (self.headers.get("host") or "").partition(":")[0]
        key = self.headers.get("authorization") or self.headers.get("x-api-key") or ""
        with (self.directory / "asked").open("a") as asked:
            asked.write(json.dumps([host, self.command, self.path, key, body]) + "\n")
        code, text = answer(host, self.path, key, body, given=self.given)
        self.send_response(code)
        is_stream = text.startswith("event:")
        self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self) -> None:
        self._answered()

    def do_POST(self) -> None:
        self._answered()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


def main(arguments: list[str]) -> int:
    """Serve all that is asked for until the words have ended; their exit code."""
    directory, given = Path(arguments[0]), arguments[1] == "given"
    handler = type("_One", (_Vendor,), {"directory": directory, "given": given})
    server = ThreadingHTTPServer((ADDRESS, 443), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "certificate", directory / "key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return subprocess.run(arguments[2:], preexec_fn=die_with_parent).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

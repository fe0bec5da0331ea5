"""An agent logs in from inside: its page opens outside, and leads back to its port."""

import fcntl
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from execpolicy.wrap.outside.browser import address_of
from tests.agents import real
from tests.sandbox.keys import servers
from tests.sandbox.keys.home import Home
from tests.sandbox.keys.servers import Server
from tests.terminal import Terminal
from tests.waiting import HANG_SECONDS, until
from tests.wrap.support import environment, words

# As agents do it (RFC 8252): a port of the loopback, a browser, a code for a token, a file.
AGENT = """
import http.server, pathlib, subprocess, sys, threading, urllib.parse, urllib.request
page, port, state, how = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
codes = []
class Back(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        codes.append(urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)["code"][0])
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"logged in")
    def log_message(self, *words): pass
back = urllib.parse.quote(f"http://localhost:{port}/callback", "")
server = http.server.HTTPServer(("127.0.0.1", port), Back)
server.timeout = 20
done = subprocess.run([*how, f"{page}?redirect_uri={back}&state=s"], capture_output=True)
print("opener", done.returncode, flush=True)
if done.returncode == 0:
    server.handle_request()
    with urllib.request.urlopen(f"{page}token?code={codes[0]}") as answer:
        pathlib.Path(state, "token").write_bytes(answer.read())
"""
BROWSER = """#!/bin/sh
echo "$1" >> ~/opened
env > ~/browser-env
exec curl -sS -L -m 20 "$1" > ~/shown 2>&1
"""


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        port: int = made.getsockname()[1]
        return port


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def pages(port: int) -> Iterator[Server]:
    """A host where the user is logged in: it gives a code, and a token for it."""

    def answer(asked: servers.Asked) -> servers.Answer:
        if asked.path.startswith("/token?code=one-code"):
            return 200, {}, b"fresh-token"
        return 302, {"Location": f"http://127.0.0.1:{port}/callback?code=one-code"}, b""

    with servers.serving(answer) as server:
        yield server


class LoginField:
    """An agent of a user with a browser."""

    def __init__(self, base: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = Home(base / "home", monkeypatch)
        self.home.program("browser", BROWSER)
        self.home.program("xdg-open", BROWSER)
        (project / "agent.py").write_text(AGENT)
        self.state = self.home.path / "state"
        self.state.mkdir()
        self.project = project

    def run(self, url: str, port: int, *how: str, own: bool = True, **given: str) -> str:
        """What a session says in which the agent logs in."""
        host = url.removeprefix("http://")
        options = ["--state", str(self.state)]
        options += ["--model-host", host] if own else ["--model-host", "other.example"]
        agent = ["/usr/bin/python3", "agent.py", f"{url}/", str(port), str(self.state), *how]
        return self._said(agent, options, given)

    def shell(self, text: str, url: str, **given: str) -> str:
        """What a session of a shell that runs this says."""
        options = ["--model-host", url.removeprefix("http://")]
        return self._said(["bash", "-c", text], options, given)

    def _said(self, agent: list[str], options: list[str], given: dict[str, str]) -> str:
        path = f"{self.home.programs}:{environment()['PATH']}"
        done = subprocess.run(
            words(self.project, agent, *options),
            capture_output=True,
            cwd=self.project,
            env={**environment(), "HOME": str(self.home.path), "PATH": path, **given},
            timeout=HANG_SECONDS,
        )
        return (done.stdout + done.stderr).decode()


@pytest.fixture
def field(base: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> LoginField:
    return LoginField(base, project, monkeypatch)


def opened(field: LoginField) -> list[str]:
    """What the user's browser was given."""
    file = field.home.path / "opened"
    return file.read_text().split() if file.exists() else []


@pytest.mark.parametrize("how", [["xdg-open"], ["sh", "/usr/share/open/xdg-open"]])
def test_a_login_opens_outside_and_comes_back(
    field: LoginField, pages: Server, port: int, how: list[str]
) -> None:
    said = field.run(pages.url, port, *how, BROWSER="browser")
    assert "opener 0" in said, said
    assert (field.state / "token").read_text() == "fresh-token", said
    back = quote(f"http://localhost:{port}/callback", "")
    assert opened(field) == [f"{pages.url}/?redirect_uri={back}&state=s"]
    assert opened(field)[0] in said
    assert f"port {port} of this machine leads to it" in said
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_the_browser_is_started_as_the_user_does(
    field: LoginField, pages: Server, port: int
) -> None:
    field.run(pages.url, port, "xdg-open", DISPLAY=":9", OF_USER="as before")
    seen = (field.home.path / "browser-env").read_text().splitlines()
    assert "OF_USER=as before" in seen
    assert not any(line.lower().startswith("http_proxy=") for line in seen)


def test_where_there_is_no_browser_the_address_is_shown(
    field: LoginField, pages: Server, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    said = field.run(pages.url, port, "xdg-open")
    assert "is to be opened in a browser by you" in said
    assert f"port {port} of this machine leads to it" in said
    assert f"{pages.url}/?redirect_uri=" in said
    assert ("opener 3" in said, opened(field)) == (True, [])


def test_a_host_that_is_not_the_agents_is_only_shown(
    field: LoginField, pages: Server, port: int
) -> None:
    said = field.run(pages.url, port, "xdg-open", own=False, BROWSER="browser")
    assert "is to be opened in a browser by you" in said
    assert ("opener 3" in said, opened(field)) == (True, [])


def test_a_host_that_a_rule_forbids_is_only_shown(
    field: LoginField, pages: Server, port: int
) -> None:
    rules = field.project.parent / "a.rules"
    rules.write_text(rules.read_text() + 'network_rule("127.0.0.1", "http", "forbidden")\n')
    said = field.run(pages.url, port, "xdg-open", BROWSER="browser")
    assert ("opener 3" in said, opened(field)) == (True, [])


def test_a_browser_that_the_project_writes_is_not_started(
    field: LoginField, pages: Server, port: int
) -> None:
    own = field.project / "browser"
    own.write_text(BROWSER)
    own.chmod(0o755)
    said = field.run(pages.url, port, "xdg-open", BROWSER=str(own))
    assert ("opener 3" in said, opened(field)) == (True, [])


def test_a_port_that_is_taken_is_told(field: LoginField, pages: Server, port: int) -> None:
    """Else the page would lead to what else listens there, with the code."""
    with socket.create_server(("127.0.0.1", port)):
        said = field.run(pages.url, port, "xdg-open", BROWSER="browser")
    assert f"once port {port} of this machine is free" in said
    assert ("opener 3" in said, opened(field)) == (True, [])


MANY = "for i in $(seq 17); do xdg-open URL/$i; done; bash -c 'xdg-open URL/18'; xdg-open a.pdf"


def test_a_shell_opens_pages_so_often_and_commands_none(
    field: LoginField, pages: Server, port: int
) -> None:
    text = MANY.replace("URL", pages.url).replace("bash -c", "/bin/bash -c")
    said = field.shell(text, pages.url, BROWSER="browser")
    assert "this session has asked for too many addresses" in said
    assert [url.rpartition("/")[2] for url in opened(field)] == [str(n) for n in range(1, 17)]


def test_commands_are_not_led_to_it(field: LoginField, pages: Server) -> None:
    """The variable would lead them into the project, where a name is looked for first."""
    said = field.shell("echo agent $BROWSER; bash -c 'echo command $BROWSER.'", pages.url)
    assert "agent xdg-open" in said
    assert "command .\n" in said


ADDRESSES = [
    "file:///etc/passwd",
    "javascript:alert(1)",
    "mailto:a@b.example",
    "vscode://a.example/",
    "HTTPS:/a.example",
    "https://a.example@b.example/",
    "https://a.example:x/",
    "https://a.example/ b",
    "https://a.example/\n",
    "https://a_b.example/",
    "a.pdf",
    "https://a.example/" + "x" * 9000,
]


@pytest.mark.parametrize("text", ADDRESSES)
def test_no_other_address_is_one(text: str) -> None:
    assert address_of(("/usr/bin/xdg-open", text)) is None


@pytest.mark.parametrize(
    "words",
    [
        ("/usr/bin/curl", "https://a.example/"),
        ("/usr/bin/xdg-open", "--help", "https://a.example/"),
        ("/bin/bash", "-c", "xdg-open https://a.example/"),
        ("/usr/bin/xdg-open",),
    ],
)
def test_no_other_command_opens_one(words: tuple[str, ...]) -> None:
    assert address_of(words) is None


BACK = {
    "http://localhost:1455/x": 1455,
    "http://127.0.0.1:8085/": 8085,
    "http://[::1]:8085": 8085,
    "https://localhost:1455/": 0,
    "http://localhost:80/": 0,
    "http://localhost.evil.example:1455/": 0,
    "http://192.168.1.1:1455/": 0,
    "http://localhost:70000/": 0,
}


@pytest.mark.parametrize(("back", "port"), BACK.items())
def test_where_a_page_leads_back_to(back: str, port: int) -> None:
    found = address_of(("xdg-open", f"https://a.example/?a=b&redirect_uri={quote(back, '')}#x"))
    assert found is not None
    assert found.back == port


# It goes back to the agent with a code, as the page does where the user is logged in.
GOES_BACK = """#!/usr/bin/python3
import pathlib, sys, urllib.parse, urllib.request
home = pathlib.Path.home()
home.joinpath("opened").write_text(sys.argv[1])
asked = urllib.parse.parse_qs(urllib.parse.urlsplit(sys.argv[1]).query)
back = asked["redirect_uri"][0] + "?code=one-code&state=" + asked["state"][0]
try:
    shown = urllib.request.urlopen(back, timeout=20).geturl()
except urllib.error.URLError as error:  # what the agent leads to then is not there
    shown = str(error)
home.joinpath("shown").write_text(shown)
"""
GCA = {"GOOGLE_GENAI_USE_GCA": "true"}
LOGINS = [
    pytest.param(("claude", "auth", "login"), {}, "", "https://claude.com/", id="claude"),
    pytest.param(("codex", "login"), {}, "", "https://auth.openai.com/", id="codex"),
    pytest.param(("copilot", "login"), {}, "", "https://github.com/login/", id="copilot"),
    pytest.param(("gemini", "-p", "x"), GCA, "[Y/n]", "https://accounts.google.com/", id="gemini"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "given", "chosen", "page"), LOGINS)
def test_the_page_of_an_agents_own_login_leads_back_to_it(
    field: LoginField,
    monkeypatch: pytest.MonkeyPatch,
    agent: tuple[str, ...],
    given: dict[str, str],
    chosen: str,
    page: str,
) -> None:
    """Its server of tokens is out of reach here; that its own page was reached shows the way."""
    field.home.program("browser", GOES_BACK)
    for name in ("CI", "DEBIAN_FRONTEND", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    path = f"{field.home.programs}:{environment()['PATH']}:{Path(sys.executable).parent}"
    started = {**environment(), "PATH": path, "DISPLAY": ":9", "BROWSER": "browser", **given}
    line = words(field.project, [real.program(agent[0]), *agent[1:]])
    shown = field.home.path / "shown"
    with Terminal(line, field.project, started) as terminal:
        size = struct.pack("4H", 40, 200, 0, 0)
        fcntl.ioctl(terminal.descriptor, termios.TIOCSWINSZ, size)
        if chosen:
            terminal.until(chosen)
            terminal.type("\r")
        until(shown.exists)
    assert (field.home.path / "opened").read_text().startswith(page)
    assert "refused" not in shown.read_text()

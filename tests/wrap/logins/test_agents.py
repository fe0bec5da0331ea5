"""Each agent logs in, or says how, where it has no login and where that is over, with and without a
terminal: its own program, against a stand-in for its vendor's servers.

What it was given is outside after the session, and the vendor is shown it.
"""

import fcntl
import json
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from execpolicy.hosts.agents.entries import agent
from execpolicy.support.record import Value
from tests.agents import real
from tests.sandbox.keys.home import Home
from tests.terminal import Terminal
from tests.waiting import Process, until
from tests.wrap.logins.internet import BUNDLE, words_in
from tests.wrap.logins.vendors import NEW, token
from tests.wrap.support import environment, words
from tests.wrap.test_browser import GOES_BACK

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


class AgentLogin(Value):
    """How an agent is started without a terminal, and how it logs in at one.

    `kept` is the file of its login and `over` that of one that is over, `files` are settings. What
    is `typed` comes after a text is shown. `says` is its sentence where no new token is given.
    """

    starts: tuple[str, ...]
    logs_in: tuple[str, ...]
    kept: str
    over: dict[str, object]
    files: dict[str, str] = {}  # noqa: RUF012 - the values of `Value` are frozen
    typed: tuple[str, str] = ("\0", "")
    variables: dict[str, str] = {}  # noqa: RUF012
    says: str = ""
    options: tuple[str, ...] = ()


OLD = {"access_token": "old", "refresh_token": "old", "expiry_date": 1000, "token_type": "Bearer"}
OF_OPENAI = {name: token(expires=1000, mark="old") for name in ("id_token", "access_token")}
USER = {"host": "https://github.com", "login": "a"}
LOGINS = {
    "claude": AgentLogin(
        ("claude", "-p", "go"),
        ("claude", "auth", "login"),
        ".claude/.credentials.json",
        {"claudeAiOauth": {"accessToken": "old", "refreshToken": "old", "expiresAt": 1000,
                           "scopes": ["user:inference", "user:profile"]}},
        says="Please run /login",
    ),
    "codex": AgentLogin(
        ("codex", "exec", "--skip-git-repo-check", "go"),
        ("codex", "login"),
        ".codex/auth.json",
        {"auth_mode": "chatgpt", "last_refresh": "2020-01-01T00:00:00Z",
         "tokens": {**OF_OPENAI, "refresh_token": "old", "account_id": "a"}},
        says="Please log out and sign in again",
    ),
    "copilot": AgentLogin(
        ("copilot", "-p", "go"),
        ("copilot", "login"),
        ".copilot/config.json",
        {"authTokens": {"https://github.com:a": {"token": "old"}}, "lastLoggedInUser": USER,
         "loggedInUsers": [USER]},
        typed=("(y/N)", "y\r"),
        says="run the '/login' command",
    ),
    "gemini": AgentLogin(
        ("gemini", "-p", "go"),
        ("gemini", "-p", "go"),
        ".gemini/oauth_creds.json",
        OLD,
        {".gemini/settings.json": '{"security": {"auth": {"selectedType": "oauth-personal"}}}'},
        ("[Y/n]", "\r"),
        says="in an interactive terminal to log in",
    ),
    "opencode": AgentLogin(
        ("opencode", "run", "-m", "openai/gpt-5.5", "go"),
        ("opencode", "auth", "login", "--provider", "openai"),
        ".local/share/opencode/auth.json",
        {"openai": {"type": "oauth", "refresh": "old", "access": "old", "expires": 1000,
                    "accountId": "a"}},
        typed=("Login method", "\x1b[B\r"),  # the one without a browser
        options=("--model-host", "chatgpt.com"),
    ),
    "qwen": AgentLogin(
        ("qwen", "-p", "go"),
        ("qwen", "auth", "qwen-oauth"),
        ".qwen/oauth_creds.json",
        OLD,
        {".qwen/settings.json": '{"security": {"auth": {"selectedType": "qwen-oauth"}}}'},
        says="Run /auth",
    ),
}  # fmt: skip
REFRESHES = [name for name in LOGINS if name != "copilot"]  # whose tokens do not end by themselves


class AgentField:
    """A user with this agent, a browser that goes back to it, and its vendor's servers."""

    def __init__(self, login: AgentLogin, base: Path, patch: pytest.MonkeyPatch) -> None:
        self.login, self.base, self.home = login, base, Home(base / "home", patch)
        for name in ("browser", "xdg-open"):
            self.home.program(name, GOES_BACK)
        for path, text in login.files.items():
            self.home.write(path, text)

    def is_over(self) -> None:
        """The user has a login that is over."""
        self.home.write(self.login.kept, json.dumps(self.login.over))

    def started(self, program: tuple[str, ...], state: str) -> tuple[list[str], dict[str, str]]:
        """The words and the variables of a session of the agent."""
        agent = [real.program(program[0]), *program[1:]]
        line = words(self.base / "project", agent, *self.login.options)
        given = environment()
        given |= {"PATH": f"{self.home.programs}:{given['PATH']}", "HOME": str(self.home.path)}
        given |= {"NODE_EXTRA_CA_CERTS": BUNDLE, "SSL_CERT_FILE": BUNDLE, **self.login.variables}
        return words_in(self.base / "internet", state, line), given

    def headless(self, state: str, says: str = "\0") -> str:
        """What the agent says without a terminal, until it ends, says this, or has a new login."""
        line, given = self.started(self.login.starts, state)
        file = self.base / "said"
        with file.open("wb") as out, Process(
            line, cwd=self.base / "project", env=given, stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT,
        ) as session:  # fmt: skip
            until(lambda: session.poll() is not None or self.is_shown or says in _text(file))
            session.kill()
        return _text(file)

    @property
    def is_shown(self) -> bool:
        """Whether the new login is outside, and its vendor was shown it."""
        return NEW in self.kept and any(NEW in key for key in self.keys)

    def logs_in(self) -> str:
        """What a terminal shows on which the agent logs in."""
        line, given = self.started(self.login.logs_in, "given")
        given |= {"DISPLAY": ":9", "BROWSER": "browser"}
        with Terminal(line, self.base / "project", given) as terminal:
            size = struct.pack("4H", 40, 200, 0, 0)
            fcntl.ioctl(terminal.descriptor, termios.TIOCSWINSZ, size)
            shown, keys = self.login.typed
            ended = lambda: terminal.process.poll() is not None  # noqa: E731
            return terminal.until_done(shown, keys, ended) + terminal.seen.decode()

    @property
    def kept(self) -> str:
        """The file of the login, outside."""
        file = self.home.path / self.login.kept
        return file.read_text() if file.exists() else ""

    @property
    def keys(self) -> list[str]:
        """What the vendor's servers were shown."""
        lines = (self.base / "internet/asked").read_text().splitlines()
        return [json.loads(line)[3] for line in lines]


def _text(file: Path) -> str:
    return file.read_text(errors="replace")


@pytest.fixture
def field(name: str, base: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> AgentField:
    unset = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CI", "DEBIAN_FRONTEND")
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", *agent(name).key_variables, *unset):
        monkeypatch.delenv(variable, raising=False)
    return AgentField(LOGINS[name], base, monkeypatch)


@pytest.mark.parametrize("state", ["none", "over"])
@pytest.mark.parametrize("name", LOGINS)
def test_at_a_terminal_it_logs_in(field: AgentField, name: str, state: str) -> None:
    if state == "over":
        field.is_over()
    shown = field.logs_in()
    assert NEW in field.kept, shown


@pytest.mark.parametrize("name", LOGINS)
def test_without_a_terminal_it_is_told_how(field: AgentField, name: str) -> None:
    how = f"`{agent(name).login}`, in a terminal of your own"
    assert how in field.headless("refused", how)


@pytest.mark.parametrize("name", REFRESHES)
def test_without_a_terminal_it_gets_a_new_token(field: AgentField, name: str) -> None:
    field.is_over()
    said = field.headless("given")
    assert NEW in field.kept, said
    assert name == "qwen" or field.is_shown, said


@pytest.mark.parametrize("name", [name for name, login in LOGINS.items() if login.says])
def test_where_there_is_no_new_token_it_says_how(field: AgentField, name: str) -> None:
    field.is_over()
    says = LOGINS[name].says
    assert says in field.headless("refused", says)

"""gh, npm and aws: where no login is, or one that is over, it is said how the user logs in."""

import subprocess
from pathlib import Path

import pytest

from tests.sandbox.keys.home import Home, allow
from tests.sandbox.test_run import ROOT, command
from tests.terminal import Terminal
from tests.waiting import HANG_SECONDS
from tests.wrap.support import environment, words

LOGINS = {
    "gh auth login": (".config/gh/hosts.yml", "github.com:\n    oauth_token: old\n"),
    "npm login": (".npmrc", "//registry.npmjs.org/:_authToken=old\n"),
    "aws sso login": (".aws/sso/cache/a.json", '{"accessToken": "old"}'),
}
"""What logs in, with a file of a login that is over."""
USES = {"gh pr view 4": "gh auth login", "npm whoami": "npm login", "aws s3 ls": "aws sso login"}
REST = pytest.mark.rest
STATES = ["none", pytest.param("over", marks=REST)]
WAYS = [pytest.param("run", marks=REST), "session"]


@pytest.fixture
def home(base: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A user with these programs, of which none has a login."""
    made = Home(base / "home", monkeypatch)
    for name in ("gh", "npm", "aws"):
        made.program(name, "#!/bin/sh\nexit 4\n")
    return made


class Started:
    """How a command is run, or a session of a shell that runs it."""

    def __init__(self, home: Home, project: Path, way: str, text: str) -> None:
        shell = words(project, ["bash", "-c", f"bash -c {text!r}"])
        self.line = command(project, "-c", text) if way == "run" else shell
        self.cwd = ROOT if way == "run" else project
        self.given = {**environment(), "PATH": f"{home.programs}:{environment()['PATH']}"}

    def headless(self) -> str:
        """All that is said without a terminal."""
        done = subprocess.run(self.line, cwd=self.cwd, env=self.given, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=HANG_SECONDS)  # fmt: skip
        return (done.stdout + done.stderr).decode()

    def shown(self) -> str:
        """All that a terminal shows."""
        with Terminal(self.line, self.cwd, self.given) as terminal:
            terminal.end()
            return terminal.seen.decode()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("text", LOGINS)
def test_what_logs_in_is_not_offered_inside(
    home: Home, project: Path, text: str, state: str, way: str
) -> None:
    """It would fail there, whatever the user says."""
    if state == "over":
        home.write(*LOGINS[text])
    started = Started(home, project, way, text)
    for said in (started.headless(), started.shown()):
        assert "do it in a terminal of your own, outside of the sandbox" in said
        assert "approve" not in said
        assert "run it?" not in said


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", USES)
def test_what_wants_a_login_says_how_to_get_one(
    home: Home, project: Path, text: str, way: str
) -> None:
    allow(project)
    started = Started(home, project, way, text)
    for said in (started.headless(), started.shown()):
        assert f"log in by `{USES[text]}`, in a terminal of your own" in said

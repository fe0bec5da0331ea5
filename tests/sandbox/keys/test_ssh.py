"""ssh, scp and rsync with a key of the user, which is never inside."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.keys.home import Home, allow, outcome
from tests.sandbox.keys.servers import SshServer
from tests.sandbox.keys.test_attacks import LOGS_IN
from tests.sandbox.keys.test_git_ssh import needs_sshd
from tests.sandbox.keys.test_git_ssh import ssh as ssh
from tests.wrap.support import environment, words

pytestmark = needs_sshd


@pytest.fixture
def there(base: Path, home: Home, project: Path, ssh: SshServer) -> Path:
    """A directory of the server, with a file; the user's ssh knows its key and the server's."""
    home.program("ssh", f'#!/bin/sh\nexec /usr/bin/ssh -F {home.path}/ssh-settings "$@"\n')
    settings = (home.path / "ssh-settings").read_text()
    host = f"Host there\n HostName 127.0.0.1\n Port {ssh.port}\n User root\n"
    home.write("ssh-settings", settings + host + f" HostKeyAlias [127.0.0.1]:{ssh.port}\n")
    made = base / "there"
    shown = f'path_rule(["{made}/*"], modes = ["read"], decision = "allow")\n'
    allow(project, more=LOGS_IN + shown + 'network_rule("there", "ssh", "allow")\n')
    made.mkdir()
    (made / "b").write_text("of there\n")
    (project / "d").mkdir()
    (project / "d/x y").write_text("of here\n")
    return made


CALLS = [
    # a text, its exit code, what it says, and which file has what afterwards
    ("ssh there cat AT/b", 0, "of there\n", ""),
    ("ssh -p PORT -q root@127.0.0.1 'cat AT/b; exit 3'", 3, "of there\n", ""),
    ("ssh -l root -o BatchMode=yes -oPort=PORT 127.0.0.1 true", 0, "", ""),
    ("ssh -i HOME/user-key -T there cat AT/b 2>&1 | wc -l", 0, "1\n", ""),
    ("timeout 60 ssh there 'echo no >&2; exit 9'", 9, "no\n", ""),
    ("ssh there 'head -c 300000 /dev/zero' | wc -c", 0, "300000\n", ""),
    ("scp -q 'd/x y' there:AT/c", 0, "", "there/c: of here"),
    ("scp -P PORT -q root@127.0.0.1:AT/b got", 0, "", "project/got: of there"),
    ("scp -rpq d there:AT", 0, "", "there/d/x y: of here"),
    ("sftp -q -P PORT root@127.0.0.1:AT/b got", 0, "", "project/got: of there"),
    ("sftp there:AT/b 2>&1 | tail -1", 0, "", "project/b: of there"),
    ("scp -q there:AT/none got", 1, "No such file", ""),
    ("rsync -a d there:AT/", 0, "", "there/d/x y: of here"),
    ("rsync -az --exclude=c there:AT/ got/", 0, "", "project/got/b: of there"),
    ("cd d && rsync -a root@there:AT/b .", 0, "", "project/d/b: of there"),
    ("rsync -a there:AT/none got", 23, "No such file", ""),
]


def _filled(text: str, there: Path, home: Home, ssh: SshServer) -> str:
    named = {"AT": str(there), "PORT": str(ssh.port), "HOME": str(home.path)}
    for name, value in named.items():
        text = text.replace(name, value)
    return text


@pytest.mark.rest
@pytest.mark.parametrize(("text", "code", "says", "has"), CALLS)
def test_it_logs_in_on_its_host(
    base: Path,
    home: Home,
    project: Path,
    ssh: SshServer,
    there: Path,
    text: str,
    code: int,
    says: str,
    has: str,
) -> None:
    if "rsync" in text and not shutil.which("rsync"):
        pytest.skip("NOT TESTED: no rsync here")
    ended, said = outcome(project, _filled(text, there, home, ssh))
    assert (ended, says in said) == (code, True), said
    path, _, content = has.partition(": ")
    assert not has or content in (base / path).read_text()


def test_a_command_of_a_session_logs_in(
    home: Home, project: Path, ssh: SshServer, there: Path
) -> None:
    """Also what it says to its error stream arrives where that leads."""
    text = f"bash -c 'ssh there \"cat {there}/b; echo no >&2; exit 4\" 2>&1'; echo $?"
    path = f"{home.programs}:{environment()['PATH']}"
    done = subprocess.run(words(project, ["bash", "-c", text]), capture_output=True, text=True,
                          cwd=project, env={**environment(), "PATH": path})  # fmt: skip
    said = done.stdout.splitlines()  # the two streams come by ways of their own
    assert (sorted(said[:-1]), said[-1:]) == (["no", "of there"], ["4"]), done.stderr


EVERY = LOGS_IN.replace('"write"', '"write", "execute", "system"') + (
    'network_rule("elsewhere", "ssh", "forbidden")\nnetwork_rule("127.0.0.1", "ssh", "forbidden")\n'
)
NO_KEY = [
    ("ssh there", "opens a shell on another machine"),
    ("ssh -L 1:a:2 there true", "opens more than the host"),
    ("ssh -A there true", "opens more than the host"),
    ("ssh -J other there true", "opens more than the host"),
    ("ssh -F d/x there true", "makes it run more than itself"),
    ("ssh -o ProxyCommand=x there true", "in the sandbox only"),
    ("ssh -o StrictHostKeyChecking=no there true", "makes it run more than itself"),
    ("ssh -i d/key there true", "can be written by what runs in the sandbox"),
    ("ssh ssh://there true", "needs no key"),
    ("scp there:a other:b", "one host at a time"),
    ("sftp there", "write `HOST:FILE`"),
    ("sftp -b d/x there:a", "makes it run more than itself"),
    ("scp -S ./x there:a b", "makes it run more than itself"),
    ("scp there:a /tmp/b", "is not a file of the project"),
    ("rsync -e 'ssh -p 1' there:a b", "makes it run more than itself"),
    ("rsync -a 'there:a;id' b", "is not a plain path"),
    ("rsync -a there::a b", "needs no key"),
    ("RSYNC_RSH=./x rsync -a there:a b", "`RSYNC_RSH` is set for it"),
    ("ssh elsewhere true", "in the sandbox only"),
]


@pytest.mark.rest
@pytest.mark.parametrize(("text", "why"), NO_KEY)
def test_it_says_why_it_does_not(
    project: Path, ssh: SshServer, there: Path, text: str, why: str
) -> None:
    allow(project, more=EVERY)
    code, said = outcome(project, text)
    assert (code == 0, why in said) == (False, True), said
    assert "Accepted" not in ssh.log.read_text()

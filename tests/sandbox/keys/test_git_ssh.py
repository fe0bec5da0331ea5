"""git over ssh with a key of the user, from a file and from an agent, in a sandbox."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.keys import servers
from tests.sandbox.keys.conftest import commit, refs
from tests.sandbox.keys.home import Home, allow, outcome
from tests.sandbox.keys.servers import SshServer

needs_sshd = pytest.mark.skipif(
    not Path("/usr/sbin/sshd").exists() or os.geteuid() != 0,
    reason="NOT TESTED: no sshd (openssh-server) here, or not root, who alone logs in without PAM",
)
pytestmark = needs_sshd


@pytest.fixture
def ssh(base: Path, home: Home, project: Path) -> Iterator[SshServer]:
    """A server of ssh; the project's `origin` is there, and has one commit more. The user's ssh
    knows its key and the server's, and no other."""
    bare = base / "served" / "a.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(project), str(bare)], check=True)
    commit(bare, "two")
    public = servers.keygen(home.path / "user-key")
    with servers.sshd(base / "sshd", public) as server:
        host = (base / "sshd/host.pub").read_text()
        home.write("known", f"[127.0.0.1]:{server.port} {host}")
        settings = f"IdentityFile {home.path}/user-key\nUserKnownHostsFile {home.path}/known\n"
        home.write("ssh-settings", settings + "GlobalKnownHostsFile /dev/null\n")
        home.git("core.sshCommand", f"ssh -F {home.path}/ssh-settings")
        git = ["git", "-C", str(project)]
        url = f"ssh://root@127.0.0.1:{server.port}{bare}"
        subprocess.run([*git, "remote", "add", "origin", url], check=True)
        rule = f'network_rule("127.0.0.1", "ssh", "allow", ports = [{server.port}])\n'
        allow(project, more=rule)
        yield server


def test_a_private_repository_is_fetched_with_a_key_file(project: Path, ssh: SshServer) -> None:
    code, said = outcome(project, "git fetch 2>&1")
    assert (code, refs(project)) == (0, "two\none\n"), said


def test_a_branch_is_pushed(base: Path, project: Path, ssh: SshServer) -> None:
    code, said = outcome(project, "git push origin HEAD:refs/heads/new")
    assert code == 0, said
    made = ["git", "-C", str(base / "served/a.git"), "rev-parse", "refs/heads/new"]
    assert subprocess.run(made, capture_output=True).returncode == 0


def test_an_agent_signs_and_is_not_there_inside(
    home: Home, project: Path, ssh: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servers.agent(home.path / "agent", home.path / "log"):
        monkeypatch.setenv("SSH_AUTH_SOCK", str(home.path / "agent"))
        subprocess.run(["ssh-add", "-q", str(home.path / "user-key")], check=True)
        (home.path / "user-key").unlink()
        code, said = outcome(project, "git fetch")
        assert (code, refs(project)) == (0, "two\none\n"), said


def test_an_unknown_host_key_ends_it(home: Home, project: Path, ssh: SshServer) -> None:
    (home.path / "known").write_text("")
    code, said = outcome(project, "git fetch")
    assert code == 128
    assert "Host key verification failed" in said

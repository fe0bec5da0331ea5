"""Operations with keys of the user, each against a server of this machine, in `run` and in a
session: they end as they do outside.

git, npm, kubectl and psql are the real ones, where they are there; the others are stand-ins that
read the file of their program and ask the host named there (`test_more_programs.py`).
"""

import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.keys import servers
from tests.sandbox.keys.conftest import PASSWORD
from tests.sandbox.keys.home import Home, allow, outcome
from tests.sandbox.keys.servers import Postgres, Server, SshServer
from tests.sandbox.keys.test_attacks import LOGS_IN
from tests.sandbox.keys.test_git_ssh import ssh as ssh
from tests.sandbox.keys.test_more_programs import KUBE, RULES, kube
from tests.sandbox.keys.test_more_programs import server as server
from tests.sandbox.keys.test_stand_ins import install
from tests.sandbox.keys.test_token_files import pack, registry
from tests.waiting import HANG_SECONDS
from tests.wrap.support import environment, words

__all__ = ["registry"]
pytestmark = pytest.mark.rest


TABLES: dict[str, str] = tomllib.loads((Path(__file__).parent / "operations.toml").read_text())
_EFFECTS = '"network", "remote", "read", "destroy"'
_MORE = "".join(
    f'prefix_rule(["{name}"], "allow", effects = [{_EFFECTS}, "write"])\n'
    for name in ("git", "gh", "glab", "aws", "az", "gcloud", "docker", "cargo", "uv", "mysql")
)
_MORE += "".join(
    f'prefix_rule(["{name}"], "allow", effects = [{_EFFECTS}])\n'
    for name in ("kubectl", "psql", "npm")
)


EVERY = [(name, text) for name, table in TABLES.items() for text in table.split("\n")[:-1]]


@pytest.fixture
def stand_ins(home: Home, project: Path, server: Server) -> dict[str, str]:
    """All stand-ins, and files to be sent."""
    install(home, project, server.port)
    (project / "dist").mkdir()
    for name in "ab":
        (project / f"dist/{name}.whl").write_text(f"the wheel {name}")
    return {}


@pytest.fixture
def git_http(home: Home, project: Path, remote: Server) -> dict[str, str]:
    """A remote of HTTP that wants the password which git's own helper keeps."""
    home.git("credential.helper", "store")
    home.write(".git-credentials", f"http://user:{PASSWORD}@127.0.0.1:{remote.port}\n")
    allow(project, remote.port)
    return _branch(project)


@pytest.fixture
def logins(home: Home, project: Path, ssh: SshServer) -> dict[str, str]:
    """A remote of ssh, and the same host."""
    home.program("ssh", f'#!/bin/sh\nexec /usr/bin/ssh -F {home.path}/ssh-settings "$@"\n')
    allow(project, more=LOGS_IN)
    return {"LOGIN": f"-p {ssh.port} root@127.0.0.1", **_branch(project)}


def _branch(project: Path) -> dict[str, str]:
    git = ["git", "-C", str(project), "branch", "--show-current"]
    done = subprocess.run(git, capture_output=True, text=True, check=True)
    return {"BRANCH": done.stdout.strip()}


@pytest.fixture
def npm(project: Path, registry: Server) -> dict[str, str]:
    """A registry, and a package to be published there."""
    pack(project / "a.tgz", {"name": "a-b", "version": "1.0.1"})
    return {}


@pytest.fixture
def kubectl(home: Home, project: Path) -> Iterator[dict[str, str]]:
    """A cluster."""
    made = servers.certificate(home.path / "certificate")
    with servers.serving(servers.wants(f"Bearer {PASSWORD}", kube), made) as cluster:
        home.write(".kube/config", KUBE.replace("PORT", str(cluster.port)).replace("KEY", PASSWORD))
        allow(project, cluster.port, more=RULES)
        yield {}


@pytest.fixture
def psql(home: Home, project: Path) -> Iterator[dict[str, str]]:
    """A database."""
    database = Postgres(PASSWORD)
    home.write(".pgpass", f"127.0.0.1:{database.port}:*:me:{PASSWORD}\n")
    allow(project, database.port, more=RULES)
    yield {"WHERE": f"-h 127.0.0.1 -p {database.port} -U me -d a"}
    database.close()


def _texts(request: pytest.FixtureRequest, project: Path, table: str, *texts: str) -> list[str]:
    """These operations, where all is there that they need."""
    program = table if table in ("npm", "kubectl", "psql") else "git"
    if not shutil.which(program) or (table == "logins" and not Path("/usr/sbin/sshd").exists()):
        pytest.skip(f"NOT TESTED: no {program} or no sshd here")
    names = request.getfixturevalue(table)
    allow(project, more=_MORE)
    for name, value in names.items():
        texts = tuple(text.replace(name, value) for text in texts)
    return [*texts]


@pytest.mark.parametrize(("table", "text"), EVERY)
def test_it_works(request: pytest.FixtureRequest, project: Path, table: str, text: str) -> None:
    (asked,) = _texts(request, project, table, text)
    code, said = outcome(project, asked)
    assert code == 0, said
    assert PASSWORD not in said


@pytest.mark.parametrize("table", TABLES)
def test_it_works_in_a_session(
    request: pytest.FixtureRequest, home: Home, project: Path, table: str
) -> None:
    texts = _texts(request, project, table, *TABLES[table].split("\n")[:-1])
    script = [
        f"x=$(bash -c {shlex.quote(one)} 2>&1) || echo {shlex.quote(one)}: $x" for one in texts
    ]
    path = f"{home.programs}:{environment()['PATH']}"
    done = subprocess.run(words(project, ["bash", "-c", "\n".join(script)]), cwd=project, text=True,
                          env={**environment(), "PATH": path}, capture_output=True,
                          timeout=len(texts) * HANG_SECONDS)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stdout

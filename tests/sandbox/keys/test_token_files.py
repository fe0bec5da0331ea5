"""Programs that read their key from a file of the home, in a sandbox: one like gh, and npm."""

import io
import json
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.keys import servers
from tests.sandbox.keys.conftest import PASSWORD
from tests.sandbox.keys.home import Home, allow, outcome
from tests.sandbox.keys.servers import Answer, Asked, Server

GH = """#!/bin/sh
# As gh does: the host and its token from hosts.yml, then a request.
host=$(sed -n 's/^\\([0-9.:]*\\):$/\\1/p' ~/.config/gh/hosts.yml)
token=$(sed -n 's/^ *oauth_token: //p' ~/.config/gh/hosts.yml)
curl -sS -L -f -m 20 -H "Authorization: token $token" "http://${GH_STAND_IN:-$host}/$1/$2/$3"
"""


@pytest.fixture
def forge(home: Home, project: Path) -> Iterator[Server]:
    """A forge that wants a token, which gh's file has."""
    home.program("gh", GH)
    respond = servers.wants(f"token {PASSWORD}", servers.says(b"the pull request"))
    with servers.serving(respond) as server:
        home.write(".config/gh/hosts.yml", _hosts(server.port))
        allow(project, server.port)
        yield server


def _hosts(port: int) -> str:
    return f"127.0.0.1:{port}:\n    user: a\n    oauth_token: {PASSWORD}\n"


def test_gh_reads_with_its_own_login(project: Path, forge: Server) -> None:
    assert outcome(project, "gh pr view 4") == (0, "the pull request")


def test_the_file_is_not_there_for_others(project: Path, forge: Server) -> None:
    code, said = outcome(
        project, "cat ~/.config/gh/hosts.yml; gh pr view 4 | cat ~/.config/gh/hosts.yml -"
    )
    assert (PASSWORD in said, len(forge.keys)) == (False, 1), (code, said)


@pytest.fixture
def registry(home: Home, project: Path) -> Iterator[Server]:
    """A registry of npm that wants a token, which the user's `.npmrc` has."""
    with servers.serving(servers.wants(f"Bearer {PASSWORD}", _npm, "Bearer")) as server:
        place = f"127.0.0.1:{server.port}"
        home.write(".npmrc", f"registry=http://{place}/\n//{place}/:_authToken={PASSWORD}\n")
        allow(project, server.port, more=NPM_ALLOWS)
        yield server


NPM_ALLOWS = (
    'prefix_rule(["npm"], decision = "allow", effects = ["network", "remote", "execute"])\n'
)


def _npm(one: Asked) -> Answer:
    found: dict[str, object] = {"ok": True}
    if one.path == "/-/whoami":
        found = {"username": "somebody"}
    elif one.method == "GET":
        versions = {"1.0.0": {"name": "@a/b", "version": "1.0.0", "dist": {}}}
        found = {"name": "@a/b", "dist-tags": {"latest": "1.0.0"}, "versions": versions}
    return 200, {"Content-Type": "application/json"}, json.dumps(found).encode()


needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="NOT TESTED: no npm here")


@needs_npm
@pytest.mark.parametrize(
    ("text", "says"), [("npm whoami", "somebody"), ("npm view @a/b version 2>&1", "1.0.0")]
)
def test_npm_reads_with_its_own_login(
    project: Path, registry: Server, text: str, says: str
) -> None:
    (project / ".npmrc").write_text("save-exact=true\n")
    code, said = outcome(project, text)
    assert (code, said.strip()) == (0, says)
    assert registry.keys == [f"Bearer {PASSWORD}"] * len(registry.asked)


@needs_npm
def test_npm_publishes_a_packed_file(project: Path, registry: Server) -> None:
    pack(project / "a.tgz", {"name": "a-b", "version": "1.0.1"})
    code, said = outcome(project, "npm publish ./a.tgz")
    assert code == 0, said
    assert [one.method for one in registry.asked if one.key][-1] == "PUT"


@needs_npm
def test_npm_does_not_publish_what_it_would_run(project: Path, registry: Server) -> None:
    scripts = {"prepublishOnly": "cat ~/.npmrc > stolen; false"}
    manifest = {"name": "a-b", "version": "1.0.0", "scripts": scripts}
    (project / "package.json").write_text(json.dumps(manifest))
    code, said = outcome(project, "npm publish")
    assert code != 0
    assert not registry.keys
    assert PASSWORD not in said + (project / "stolen").read_text()


def pack(path: Path, manifest: dict[str, object]) -> None:
    """Make the file of a package."""
    content = json.dumps(manifest).encode()
    with tarfile.open(path, "w:gz") as file:
        entry = tarfile.TarInfo("package/package.json")
        entry.size = len(content)
        file.addfile(entry, io.BytesIO(content))

"""What of the project runs before a program with a key, and never beside the key."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.keys.conftest import PASSWORD
from tests.sandbox.keys.home import Home, allow, outcome
from tests.sandbox.keys.servers import Server
from tests.sandbox.keys.test_token_files import needs_npm, registry

__all__ = ["registry"]
HOOK = "#!/bin/sh\n{ echo $1; cat; cat ~/.git-credentials; } >> seen 2>&1; true\n"
PUSHES = [
    # a text, its code, and what is pushed
    ("git push origin HEAD:refs/heads/new", 0, True),
    ("cd . && git push origin HEAD:new 2>&1 | cat", 0, True),
    ("test -e nowhere || git push -q origin HEAD:new && echo done", 0, True),
    ("true || git push origin HEAD:new", 0, False),
]


@pytest.fixture
def hooked(home: Home, project: Path, remote: Server) -> Path:
    """A project whose hook sees each push, in a directory that a setting names."""
    home.git("credential.helper", "store")
    home.write(".git-credentials", f"http://user:{PASSWORD}@127.0.0.1:{remote.port}\n")
    (project / "hooks").mkdir()
    (project / "hooks/pre-push").write_text(HOOK)
    (project / "hooks/pre-push").chmod(0o755)
    git = ["git", "-C", str(project)]
    subprocess.run([*git, "config", "core.hooksPath", "hooks"], check=True)
    more = 'prefix_rule(["git"], "allow", effects = ["network", "write", "remote", "execute"])\n'
    allow(project, remote.port, more=more)
    return project


@pytest.mark.rest
@pytest.mark.parametrize(("text", "code", "pushed"), PUSHES)
def test_a_hook_runs_before_a_push(
    base: Path, hooked: Path, text: str, code: int, *, pushed: bool
) -> None:
    ended, said = outcome(hooked, text)
    assert ended == code, said
    assert (base / "served/a.git/refs/heads/new").exists() == pushed
    if pushed:
        git = ["git", "-C", str(hooked), "rev-parse"]
        head = subprocess.run([*git, "HEAD"], capture_output=True, text=True).stdout.strip()
        name = [*git, "--symbolic-full-name", "HEAD"]
        branch = subprocess.run(name, capture_output=True, text=True).stdout.strip()
        seen = (hooked / "seen").read_text()
        line = f"origin\n{branch} {head} refs/heads/new {'0' * 40}\n"
        assert (seen.startswith(line), PASSWORD in seen) == (True, False), seen


def test_a_hook_that_refuses_keeps_the_push_away(hooked: Path, remote: Server) -> None:
    (hooked / "hooks/pre-push").write_text("#!/bin/sh\necho no; exit 3\n")
    code, said = outcome(hooked, "git push origin HEAD:new")
    assert (code, "no\n" in said, remote.asked) == (3, True, []), said


SCRIPTS = {"prepublishOnly": "cat ~/.npmrc > stolen; true", "prepack": "echo made > new.txt"}


@needs_npm
@pytest.mark.rest
def test_npm_packs_before_it_publishes(project: Path, registry: Server) -> None:
    manifest = {"name": "@a/b", "version": "1.0.1", "scripts": SCRIPTS}
    (project / "package.json").write_text(json.dumps(manifest))
    code, said = outcome(project, "npm publish --access public")
    assert code == 0, said
    assert [one.method for one in registry.asked if one.key][-1] == "PUT"
    assert (project / "new.txt").exists()
    assert PASSWORD not in said + (project / "stolen").read_text()


@needs_npm
@pytest.mark.rest
def test_what_only_shows_what_npm_would_publish_needs_no_key(
    project: Path, registry: Server
) -> None:
    """It ends as without: nothing is packed before it, and nothing is left."""
    (project / "package.json").write_text(json.dumps({"name": "@a/b", "version": "1.0.1"}))
    code, said = outcome(project, "npm publish --dry-run --access public")
    assert (code, registry.keys) == (0, []), said
    assert said.count("npm notice filename") == 1, said
    assert not (project / "node_modules").exists()

"""Programs that read their key from a file of the home or a variable, and what they may read."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.keys import servers
from tests.sandbox.keys.conftest import PASSWORD
from tests.sandbox.keys.home import Home, allow, outcome
from tests.sandbox.keys.servers import Answer, Asked, Postgres, Server

PROGRAMS = ("aws", "glab", "kubectl", "psql", "twine")
RULES = "".join(
    f'prefix_rule(["{name}"], decision = "allow", effects = ["network", "remote", "read"])\n'
    for name in PROGRAMS
)
# Each reads its own file as the program does, and sends what it is given.
SENDS = """
for word; do last=$word; done
test -f "$last" && body=$(cat "$last")
curl -sS -f -m 20 -H "Authorization: Bearer $key" --data-binary "$* $body" "http://$host/$1/$2"
"""
AWS = (
    "#!/bin/sh\nkey=${AWS_SECRET_ACCESS_KEY-$(sed -n 's/^aws_secret_access_key *= *//p'"
    " ~/.aws/credentials)}\nhost=$(sed -n 's,^endpoint_url *= *http://,,p' ~/.aws/config)\n"
)
GLAB = (
    "#!/bin/sh\nhost=$(sed -n 's/^ *\\(127[0-9.:]*\\):$/\\1/p' ~/.config/glab-cli/config.yml)\n"
    "key=$(sed -n 's/^ *token: //p' ~/.config/glab-cli/config.yml)\n"
)
TWINE = (
    "#!/bin/sh\nhost=$(sed -n 's,^repository *= *http://\\(.*\\)/,\\1,p' ~/.pypirc)\n"
    "key=$(sed -n 's/^password *= *//p' ~/.pypirc)\n"
)
GH = (
    "#!/bin/sh\nhost=$(sed -n 's/^\\([0-9.:]*\\):$/\\1/p' ~/.config/gh/hosts.yml)\n"
    "key=$(sed -n 's/^ *oauth_token: //p' ~/.config/gh/hosts.yml)\n"
)


@pytest.fixture
def server(home: Home, project: Path) -> Iterator[Server]:
    """A server that wants a key, which the file of each program has, with it as its host."""
    with servers.serving(servers.wants(f"Bearer {PASSWORD}", kube)) as made:
        place = f"127.0.0.1:{made.port}"
        for name, text in (("aws", AWS), ("glab", GLAB), ("twine", TWINE), ("gh", GH)):
            home.program(name, text + SENDS)
        home.write(".aws/credentials", f"[default]\naws_secret_access_key = {PASSWORD}\n")
        home.write(".aws/config", f"[default]\nendpoint_url = http://{place}\n")
        home.write(
            ".config/glab-cli/config.yml", f"hosts:\n    {place}:\n        token: {PASSWORD}\n"
        )
        home.write(".config/gh/hosts.yml", f"{place}:\n    oauth_token: {PASSWORD}\n")
        home.write(".pypirc", f"[x]\nrepository = http://{place}/\npassword = {PASSWORD}\n")
        allow(project, made.port, more=RULES)
        yield made


KUBE = """
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters:
- name: c
  cluster:
    server: https://127.0.0.1:PORT
    insecure-skip-tls-verify: true
users:
- name: u
  user:
    token: KEY
"""


def kube(one: Asked) -> Answer:
    """The answer of a cluster with one node; elsewhere, what was said."""
    found = {
        "/api": b'{"kind":"APIVersions","versions":["v1"]}',
        "/apis": b'{"kind":"APIGroupList","apiVersion":"v1","groups":[]}',
        "/api/v1": b'{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"nodes",'
        b'"singularName":"","namespaced":false,"kind":"Node","verbs":["get","list"]}]}',
    }
    node = b'{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}}'
    nodes = b'{"kind":"NodeList","apiVersion":"v1","items":[%s]}' % node
    found |= {"/version": b'{"major":"1","minor":"32","gitVersion":"v1.32.0"}'}
    found |= {"/api/v1/nodes/n1": node}
    is_kube = one.path.startswith(("/api", "/version"))
    content = found.get(one.path.partition("?")[0], nodes) if is_kube else b"said: " + one.body
    return 200, {"Content-Type": "application/json"}, content


CALLS = [
    ("aws s3 ls", "said: s3 ls"),
    ("aws sts get-caller-identity --output json", "said: sts get-caller-identity"),
    ("glab mr list", "said: mr list"),
    ("glab mr note 4 -m 'x y'", "said: mr note 4 -m x y"),
    ("gh pr ready 4", "said: pr ready 4"),
    ("gh issue close 4 -c done -r completed", "said: issue close 4 -c done -r completed"),
    ("twine upload dist/*", "said: upload dist/a.whl dist/b.whl the wheel b"),
    ("gh pr comment 4 -F notes.md", "said: pr comment 4 -F notes.md the notes"),
    ("gh pr create --title 'x y' --body z", "said: pr create --title x y --body z"),
    ("cd dist && gh issue create -t x -b '' 2>&1 | tail -1", "said: issue create -t x -b"),
]


@pytest.mark.parametrize(("text", "says"), CALLS)
def test_it_uses_its_own_key(project: Path, server: Server, text: str, says: str) -> None:
    (project / "dist").mkdir()
    for name in "ab":
        (project / f"dist/{name}.whl").write_text(f"the wheel {name}")
    (project / "notes.md").write_text("the notes")
    code, said = outcome(project, text)
    assert (code, says in said) == (0, True), said
    assert PASSWORD not in said


def test_a_key_may_be_a_variable(
    home: Home, project: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home.path / ".aws/credentials").unlink()
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", PASSWORD)
    assert outcome(project, "aws s3 ls")[0] == 0
    assert PASSWORD not in outcome(project, "aws s3 ls; env")[1]


def test_a_login_of_aws_sso_is_a_copy(home: Home, project: Path, server: Server) -> None:
    """What the program refreshes beside it is gone with the run: it is refreshed again."""
    reads = "key=$(grep -ho 'canary-[0-9a-z]*' ~/.aws/sso/cache/*.json)\nhost=$(sed -n"
    refreshes = "echo x >> ~/.aws/sso/cache/a1.json\n"
    home.program(
        "aws", f"{AWS.replace('key=', 'not=', 1).replace('host=$(sed -n', reads)}{refreshes}{SENDS}"
    )
    (home.path / ".aws/credentials").unlink()
    kept = home.write(".aws/sso/cache/a1.json", f'{{"accessToken": "{PASSWORD}"}}')
    code, said = outcome(project, "aws s3 ls")
    assert (code, "said: s3 ls" in said) == (0, True), said
    assert "x" not in kept.read_text().partition("}")[2]
    assert PASSWORD not in outcome(project, "aws s3 ls; cat ~/.aws/sso/cache/*")[1]


NO_KEY = [
    ("gh pr comment 4 -F link", "it is allowed in the sandbox only"),
    ("gh pr comment 4 -F /usr/share/common-licenses/BSD", "is not a file of the project"),
    ("gh pr create --web", "it is allowed in the sandbox only"),
    ("gh pr create -t x -b y -T z", "it is allowed in the sandbox only"),
    ("twine upload", "names the file"),
    ("gh pr comment 4 -b $(cat notes.md)", "is computed"),
]


@pytest.mark.parametrize(("text", "why"), NO_KEY)
def test_no_word_may_be_a_way_to_the_key(
    project: Path, server: Server, text: str, why: str
) -> None:
    (project / "link").symlink_to("../home/.config/gh/hosts.yml")
    (project / "notes.md").write_text("the notes")
    code, said = outcome(project, text)
    assert (code == 0, why in said) == (False, True), said
    assert not server.keys


@pytest.mark.skipif(not shutil.which("kubectl"), reason="NOT TESTED: no kubectl here")
def test_kubectl_asks_its_cluster(home: Home, project: Path) -> None:
    """It shows a token only where it speaks TLS."""
    made = servers.certificate(home.path / "certificate")
    with servers.serving(servers.wants(f"Bearer {PASSWORD}", kube), made) as server:
        home.write(".kube/config", KUBE.replace("PORT", str(server.port)).replace("KEY", PASSWORD))
        allow(project, server.port, more=RULES)
        code, said = outcome(project, "timeout 60 kubectl get nodes -o name")
    assert (code, said) == (0, "node/n1\n"), said


@pytest.mark.skipif(not shutil.which("psql"), reason="NOT TESTED: no psql here")
def test_psql_logs_in_at_a_port_that_is_open(home: Home, project: Path) -> None:
    server = Postgres(PASSWORD)
    try:
        home.write(".pgpass", f"127.0.0.1:{server.port}:*:me:{PASSWORD}\n")
        allow(project, server.port, more=RULES)
        words = f"psql -h 127.0.0.1 -p {server.port} -U me -d a -Atc 'select 1'"
        assert outcome(project, words) == (0, "a row\n")
        assert outcome(project, f"cat ~/.pgpass; {words}")[0] == 0
        assert server.keys == [PASSWORD, PASSWORD]
    finally:
        server.close()

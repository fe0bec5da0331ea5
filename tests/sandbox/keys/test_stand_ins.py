"""Programs that are not everywhere, each as one that reads the same file of the home and asks the
host named there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.keys import servers
from tests.sandbox.keys.conftest import PASSWORD
from tests.sandbox.keys.home import Home, allow, outcome
from tests.sandbox.keys.servers import Server
from tests.sandbox.keys.test_more_programs import SENDS

FILES = {
    "az": (".azure/msal_token_cache.json", "http://PLACE/ KEY"),
    "cargo": (".cargo/credentials.toml", 'token = "KEY" # http://PLACE/'),
    "docker": (".docker/config.json", '{"auths": {"PLACE": {"auth": "KEY"}}}'),
    "gcloud": (".config/gcloud/credentials.db", "storage = http://PLACE/ KEY"),
    "mysql": (".my.cnf", "[client]\nhost=127.0.0.1\nport=PORT\npassword=KEY\n# PLACE"),
    "pip": (".config/pip/pip.conf", "index-url = http://u:KEY@PLACE/simple"),
    "pnpm": (".npmrc", "//PLACE/:_authToken=KEY\nregistry=http://PLACE/"),
    "terraform": (".terraformrc", 'credentials "PLACE" {\n  token = "KEY"\n}'),
    "uv": (".local/share/uv/credentials/credentials.toml", "http://user:KEY@PLACE/"),
}
STAND_IN = (
    "#!/bin/sh\nkey=$(grep -o 'canary-[0-9a-z]*' ~/FILE)\n"
    "host=$(grep -o -m 1 '127[.0-9]*:[0-9]*' ~/FILE || sed -n 's/^port=/127.0.0.1:/p' ~/FILE)\n"
)
RULES = "".join(
    f'prefix_rule(["{name}"], "allow", effects = ["network", "remote", "read", "execute"])\n'
    for name in FILES
)


def install(home: Home, project: Path, port: int) -> None:
    """Put the programs there, and their keys for the server at this port."""
    for name, (file, text) in FILES.items():
        text = text.replace("PLACE", f"127.0.0.1:{port}").replace("PORT", str(port))
        home.write(file, text.replace("KEY", PASSWORD))
        home.program(name, STAND_IN.replace("FILE", file) + SENDS)
    allow(project, port, more=RULES)


@pytest.fixture
def server(home: Home, project: Path) -> Iterator[Server]:
    """A server that wants a key, which the file of each program has, with it as its host."""
    answer = servers.wants(f"Bearer {PASSWORD}", lambda one: (200, {}, b"said: " + one.body))
    with servers.serving(answer) as made:
        install(home, project, made.port)
        yield made


CALLS = [
    ("az vm list", "said: vm list"),
    ("cargo owner --list serde", "said: owner --list serde"),
    ("cargo search serde", "said: search serde"),
    ("docker manifest inspect x.example/a/b", "said: manifest inspect"),
    ("gcloud compute instances list", "said: compute instances list"),
    ("gcloud storage ls", "said: storage ls"),
    ("mysql -h 127.0.0.1 -e 'select 1'", "said: -h 127.0.0.1 -e select 1"),
    ("pip index versions a", "said: index versions a"),
    ("pnpm publish ./dist/a.tgz", "said: publish ./dist/a.tgz the file"),
    ("terraform state list", "said: state list"),
    ("uv publish dist/a.tgz", "said: publish dist/a.tgz the file"),
]
CLOSED = [
    ("az login", "a terminal of your own"),
    ("cargo publish", "is up to the project"),
    ("docker login x.example", "a terminal of your own"),
    ("docker push x.example/a", "a service of this machine"),
    ("gcloud auth login", "a terminal of your own"),
    ("gcloud run deploy x", "is up to the project"),
    ("terraform apply", "is up to the project"),
    ("pip install a", "is up to the project"),
    ("pnpm publish", "names the file"),
    ("uv sync", "is up to the project"),
    ("gcloud storage ls --x=file://$HOME/.config", "a word of it is computed"),
    ("gcloud compute instances list --filter=a:../home/.config", "names the key"),
]


@pytest.mark.rest
@pytest.mark.parametrize(("text", "says"), CALLS)
def test_it_uses_its_own_key(project: Path, server: Server, text: str, says: str) -> None:
    (project / "dist").mkdir()
    (project / "dist/a.tgz").write_text("the file")
    code, said = outcome(project, text)
    assert (code, says in said) == (0, True), said
    assert PASSWORD not in said


@pytest.mark.rest
@pytest.mark.parametrize(("text", "why"), CLOSED)
def test_it_says_why_it_gets_none(project: Path, server: Server, text: str, why: str) -> None:
    code, said = outcome(project, text)
    assert (code == 0, why in said) == (False, True), said
    assert not server.keys


AGENTS = """
prefix_rule([["claude", "codex", "copilot"]], "allow", effects = ["execute", "network"])
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [("codex exec 'mend it'", True), ("copilot -p x", True), ("claude --version", False)],
)
def test_an_agent_that_an_agent_starts_says_how(
    home: Home, project: Path, text: str, *, says: bool
) -> None:
    home.program(text.partition(" ")[0], "#!/bin/sh\nexit 1\n")
    allow(project, more=AGENTS)
    code, said = outcome(project, text)
    assert (code, "`execpolicy wrap -- AGENT`" in said) == (1, says), said


@pytest.mark.parametrize(("text", "says"), [("sudo -n true", True), ("sudo -V", False)])
def test_what_takes_other_rights_says_how(
    home: Home, project: Path, text: str, *, says: bool
) -> None:
    home.program("sudo", "#!/bin/sh\nexit 1\n")
    allow(project, more='prefix_rule(["sudo"], "allow", effects = ["privilege", "read"])\n')
    code, said = outcome(project, text)
    assert (code, "a terminal of your own" in said) == (1, says), said

"""Names of files that hold keys, passwords or what people said, and of those that do not."""

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.policy.backups import originals
from execpolicy.policy.place_index import MANY
from execpolicy.store.snapshot import Snapshot
from tests.places.machine import Machine
from tests.places.named import HOME

KEPT = """
    .env  .env.local  prod.env  docker/app.env  .dev.vars  .dev.vars.staging  secrets.yml
    config/secrets.yaml  secret.yaml  .streamlit/secrets.toml  terraform.tfstate
    terraform.tfstate.backup  env/prod.tfstate  prod.auto.tfvars  prod.tfvars.json
    credentials.json  config/credentials.yml  client_secret_12.json  serviceAccountKey.json
    my-service-account.json  app-firebase-adminsdk-x1.json  .npmrc  .pypirc  kubeconfig
    kubeconfig.yaml  prod.kubeconfig  wp-config.php  ssh_host_rsa_key  local.settings.json
    android/key.properties  .vault_pass.txt  vpn.ovpn  wallet.dat  ~/.kaggle/kaggle.json
    ~/.databrickscfg  ~/.dbt/profiles.yml  ~/.config/ngrok/ngrok.yml  ~/.railway/config.json
    ~/.cursor/auth.json  ~/.kube/config  ~/.kube/config.prod  ~/.huggingface/token
    ~/.supabase/access-token  ~/.mozilla/firefox/x/places.sqlite
    ~/.config/google-chrome/Default/History  ~/.config/Slack/storage/x
    ~/.local/share/TelegramDesktop/tdata/key_datas  ~/.config/Signal/sql/db.sqlite
    ~/.bitcoin/wallet.dat  ~/.ethereum/keystore/UTC--x  ~/.config/solana/id.json
    ~/.thunderbird/x/logins.json  ~/.lesshst  ~/.python_history  ~/.claude/projects/p/s.jsonl
    ~/.claude/history.jsonl  ~/.codex/sessions/2026/r.jsonl  ~/.gemini/tmp/h/chats/s.json
    ~/.local/share/opencode/storage/s.json  ~/.copilot/session-state/x.jsonl
    ~/.factory/sessions/a.jsonl  /dev/sda  /dev/sda1  /dev/nvme0n1p2  /dev/mapper/root  /dev/mem
    /dev/input/event0  /dev/video0  /dev/vcs1  /dev/pts/3  /dev/disk/by-uuid/x
    /etc/wireguard/wg0.conf  /etc/NetworkManager/system-connections/home.nmconnection
"""
COPIES = """
    .env~  .env.bak  prod.env~  prod.env.old  #prod.env#  id_rsa.bak  id_rsa.bak2
    id_ed25519.old  tls.key.orig  .npmrc~  .npmrc.save  credentials.json.bak
    credentials.bak.json  .secrets.yml.swp  secrets.yml~  secrets.yml.gz  kubeconfig_old
    server.pem.2024~  ~/.ssh.bak/work  ~/.kube/config.bak  ~/.pgpass.dpkg-old  wp-config.php.swp
    .#prod.env  terraform.tfstate.1.backup  .netrc.orig~
"""
FREE = """
    .env.example  .env.sample  .env.template  .env.dist  example.env  sample.env
    .dev.vars.example  secrets.yml.example  secrets.example.yml  credentials.example.json
    credentials.json.sample  terraform.tfvars.example  example.tfvars
    charts/x/templates/secret.yaml  tsconfig.json  tsconfig.json.bak  main.tf  variables.tf
    environment.ts  env.ts  env.py  src/environments/environment.prod.ts  secrets.py
    credentials.py  credentials.ts  docs/secrets.md  token.ts  tokens.json  auth.ts
    package-lock.json  a.txt~  a.bak  README.md.orig  backup.sh  ~/.claude/settings.json
    ~/.claude/CLAUDE.md  ~/.claude/projects/p/memory/MEMORY.md  ~/.codex/config.toml
    ~/.gemini/settings.json  /dev/null  /dev/zero  /dev/urandom  /dev/stdin  /dev/tty
    /dev/shm/x  id_rsa.pub  id_rsa.pub.bak  ~/.ssh/config  ~/.config/kitty/kitty.conf
    ~/.local/share/applications/x.desktop  kubernetes/deploy.yaml  .nvmrc  .env.d.ts.example
"""


def decision(snapshot: Snapshot, path: str) -> Decision:
    request = Request(text=f"cat '{path}'" if path[:1] != "~" else f"cat {path}", cwd="/p")
    return decide(request, snapshot, Machine(root="/p")).decision


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Engine.load(rules=[]).snapshot.replace(home=HOME)


@pytest.mark.parametrize("path", KEPT.split() + COPIES.split())
def test_what_may_hold_a_secret_asks(snapshot: Snapshot, path: str) -> None:
    assert decision(snapshot, path) is Decision.PROMPT


@pytest.mark.parametrize("path", FREE.split())
def test_what_holds_none_is_free(snapshot: Snapshot, path: str) -> None:
    assert decision(snapshot, path) is Decision.ALLOW


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("x~", ("x",)),
        (".x.swp", (".x", "x")),
        ("x.bak.old~", ("x",)),
        ("x copy.json", ("x.json",)),
        ("x (1).json", ("x.json",)),
        ("x.~12~", ("x",)),
        ("d.bak", ("d",)),
        ("x.py", ()),
        ("backup", ()),
        ("~", ()),
    ],
)
def test_what_a_name_is_a_copy_of(name: str, found: tuple[str, ...]) -> None:
    assert originals(name) == found


def test_names_that_tell_are_found_among_many(snapshot: Snapshot) -> None:
    told = [f"/p/src/{name}" for name in KEPT.split() + COPIES.split() if name[:1] not in "/~"]
    plain = [f"/p/src/d{number}/f{number}.py" for number in range(MANY)]
    index = snapshot.policy.places
    assert [*index.telling([*plain, *told, "/p/src/Ä/.ENV", "/p/.ssh/a/b"])] == [
        *told,
        "/p/src/Ä/.ENV",
        "/p/.ssh/a/b",
    ]
    assert [*index.telling(plain)] == []

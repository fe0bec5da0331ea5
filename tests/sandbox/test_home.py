"""The home in a sandbox: of its hidden entries a list of what tools need, and no other name."""

import os
from pathlib import Path

import pytest

from execpolicy.support.resources import words_of
from tests.repositories import new_repository
from tests.sandbox.test_run import run

HIDDEN = [
    *(".claude/projects/p/s.jsonl", ".codex/sessions/s", ".gemini/tmp/t", ".cursor/chats/c"),
    *(".config/Code/User/globalStorage/state.vscdb", ".config/Slack/Cookies", ".config/unheard/of"),
    *(".mozilla/firefox/p/places.sqlite", ".config/google-chrome/Default/History", ".unheard-of"),
    *(".muttrc", ".electrum/wallets/w", ".config/solana/id.json", ".aws/config", ".azure/config"),
    *(".cache/huggingface/token", ".cache/unheard-of/x", ".kaggle/kaggle.json", ".viminfo"),
    *(".local/share/unheard-of/x", ".local/state/execpolicy/audit.jsonl", ".ssh/id_ed25519"),
    *(
        ".bash_history",
        ".npmrc",
        ".config/pip/pip.conf",
        ".cargo/credentials.toml",
        ".docker/config",
    ),
    *("notes.txt", "Documents/letter", ".config/gh/config.yml", ".jupyter/config", ".vault_pass"),
]
SHOWN = [
    *(
        ".bashrc",
        ".profile",
        ".zshrc",
        ".gitconfig",
        ".config/git/ignore",
        ".config/fish/config.fish",
    ),
    *(".cargo/config.toml", ".cargo/registry/index/x", ".rustup/toolchains/x/bin/cc", ".npm/x"),
    *(".nvm/nvm.sh", ".nvm/versions/node/v22/bin/node", ".pyenv/shims/python", ".volta/bin/node"),
    *(".asdf/shims/go", ".local/share/mise/installs/x", ".sdkman/candidates/x", ".cache/uv/x"),
    *(".cache/pip/x", ".cache/go-build/x", "go/pkg/mod/x", ".local/bin/tool", ".local/lib/x.py"),
    *(".local/share/uv/python/x", ".local/share/pipx/venvs/x/bin/x", ".m2/repository/x", ".vimrc"),
    *("code/other/README.md", "code/other/.git/index", ".ssh/known_hosts", ".local/share/fnm/x"),
]


@pytest.fixture
def mine(base: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home full of files, of which each has its own name as its text."""
    home = base / "home"
    monkeypatch.setenv("HOME", str(home))
    for name in (*HIDDEN, *SHOWN):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(name)
    new_repository(home / "code/other")
    return home


def _seen(mine: Path, project: Path, names: list[str]) -> list[str]:
    """Those of some names that a program of the project can read, which names none of them."""
    (project / "a.sh").write_text(f"while read f; do cat {mine}/$f && echo; done < names")
    (project / "names").write_text("\n".join((*names, "")))
    done = run(project, "--", "sh", "a.sh")
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.split()


def test_what_nothing_needs_is_not_there(mine: Path, project: Path) -> None:
    assert _seen(mine, project, HIDDEN) == []


def test_what_tools_need_is(mine: Path, project: Path) -> None:
    assert _seen(mine, project, SHOWN) == SHOWN


def test_the_names_of_all_else_are_not_there_either(mine: Path, project: Path) -> None:
    names = run(project, "-c", f"d={mine}; ls -A $d $d/.config $d/.local").stdout.split()
    assert ".gitconfig" in names
    assert not {".claude", "notes.txt", "Documents", "Slack", ".unheard-of"}.intersection(names)


def test_nothing_of_it_can_be_written(mine: Path, project: Path) -> None:
    names = (".gitconfig", ".new", ".npm/new", ".local/bin/new", ".config/new")
    made = "; ".join(f"echo x >> $d/{name} && echo written" for name in names)
    assert run(project, "-c", f"d={mine}; {made}").stdout == ""


OPENED = [
    ('path_rule(["~/.claude/projects/*"], modes = ["read"], decision = "allow")', HIDDEN[0], True),
    ('path_rule(["~/.unheard*"], modes = ["read"], decision = "allow")', ".unheard-of", True),
    ('path_rule(["~/.vault_pass"], modes = ["read"], decision = "allow")', ".vault_pass", True),
    ('path_rule(["~/.unheard*"], modes = ["remove"], decision = "allow")', ".unheard-of", False),
    ('path_rule(["~/.unheard*"], modes = ["read"], programs = ["cat"], decision = "allow")',
     ".unheard-of", False),
    ('path_rule(["~/.config/*"], modes = ["read"], decision = "allow")',
     ".config/unheard/of", True),
    ('path_rule(["~/.config/*"], modes = ["read"], decision = "allow")',
     ".config/Slack/Cookies", False),
    ('place("tools", ["~/.unheard-of"])', ".unheard-of", True),
    ('posture(read = {"personal": "allow"})', "notes.txt", True),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "name", "seen"), OPENED)
def test_rules_open_more(mine: Path, project: Path, rule: str, name: str, seen: bool) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write(f"{rule}\n")
    assert _seen(mine, project, [name]) == ([name] if seen else [])


def test_what_a_command_names_and_may_read_is_there_for_it(mine: Path, project: Path) -> None:
    assert run(project, "-c", "cat ~/.unheard-of").stdout == ".unheard-of"
    assert run(project, "-c", f"cat {mine}/.config/unheard/of").stdout == ".config/unheard/of"
    assert run(project, "-c", "ls ~/.config/unheard; cat a.txt").stdout == "hello\n"


def test_links_stand_as_they_are(mine: Path, project: Path) -> None:
    """Managers of dotfiles link the home's names into a directory of their own."""
    (mine / ".gitconfig").rename(mine / "kept")
    (mine / ".gitconfig").symlink_to("kept")
    (mine / "bin").mkdir()
    (mine / ".local/share/unheard-of/bin").mkdir()
    (mine / ".local/share/unheard-of/lib").mkdir()
    program = mine / ".local/share/unheard-of/bin/program"
    program.write_text(f"#!/bin/sh\ncat {mine}/.local/share/unheard-of/lib/part\n")
    program.chmod(0o755)
    (mine / ".local/share/unheard-of/lib/part").write_text("found\n")
    (mine / ".local/bin/program").symlink_to("../share/unheard-of/bin/program")
    path = f"{mine}/.local/bin:{os.environ['PATH']}"
    (project / "a.sh").write_text("program; readlink ~/.gitconfig; cat ~/.gitconfig")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path)
        done = run(project, "--", "sh", "a.sh")
    assert done.stdout.split() == ["found", "kept", ".gitconfig"], done.stderr


def test_each_name_of_the_list_is_one() -> None:
    names = [name for each in words_of("home").values() for name in each]
    assert len(names) == len(set(names))
    assert not [name for name in names if name[:1] != "." or name.endswith("/") or "*" in name]

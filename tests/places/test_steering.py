"""Variables of the environment that lead into the project: what they lead to decides what runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.places.steering import found
from execpolicy.support.resources import words_of
from tests.sandbox.test_run import MODULE

ROOT = Path(__file__).parents[2]
RULES = """
posture(write = {"project": "allow"})
posture(confined = {"write": {"project": "allow"}, "execute": "allow"})
"""

VARIABLES = [
    # variable, value, program that obeys it, one that does not
    ("GIT_CONFIG_GLOBAL", "{p}/led", "git status", "ls"),
    ("GIT_CONFIG_SYSTEM", "led", "git status", "ls"),
    ("GIT_EXEC_PATH", "{p}/led", "git status", "ls"),
    ("GIT_TEMPLATE_DIR", "{p}/led", "git status", "ls"),
    ("GIT_EXTERNAL_DIFF", "led/run", "git diff", "ls"),
    ("GIT_SSH_COMMAND", "ssh -F {p}/led", "git status", "ls"),
    ("XDG_CONFIG_HOME", "{p}/led", "git status", "ls"),
    ("LD_PRELOAD", "{p}/led/x.so", "ls", ""),
    ("LD_PRELOAD", "/usr/lib/none.so {p}/led/x.so", "ls", ""),
    ("LD_LIBRARY_PATH", "/opt/lib:{p}/led", "git status", ""),
    ("LD_AUDIT", "led/x.so", "wc -l a", ""),
    ("BASH_ENV", "led", "ls", ""),
    ("ENV", "{p}/led", "ls", ""),
    ("GCONV_PATH", "led", "ls", ""),
    ("PYTHONPATH", "led", "python3 --version", "git status"),
    ("PYTHONPATH", "/opt:{p}/led", "pip list", "git status"),
    ("PYTHONPATH", "led", "python3.12 --version", "ls"),
    ("PYTHONSTARTUP", "led/x.py", "python3 --version", "ls"),
    ("PYTHONUSERBASE", "led", "pip list", "ls"),
    ("PYTHONHOME", "led", "yamllint --version", "ls"),
    ("NODE_OPTIONS", "--require={p}/led/x.js", "node --version", "git status"),
    ("NODE_OPTIONS", "--require ./led/x.js", "npm --version", "git status"),
    ("NODE_PATH", "led", "node --version", "ls"),
    ("NPM_CONFIG_USERCONFIG", "{p}/led", "npm --version", "ls"),
    ("npm_config_userconfig", "{p}/led", "npm --version", "ls"),
    ("RIPGREP_CONFIG_PATH", "led", "rg x src", "grep -r x src"),
    ("KUBECONFIG", "/a:{p}/led", "kubectl version --client", "ls"),
    ("PERL5LIB", "led", "perl --version", "ls"),
    ("PERL5OPT", "-I{p}/led -Mx", "perl --version", "ls"),
    ("RUBYLIB", "led", "ruby --version", "ls"),
    ("RUBYOPT", "-r./led/x", "ruby --version", "ls"),
    ("PAGER", "{p}/led/p -x", "git log", "ls"),
    ("LESSOPEN", "|{p}/led/p %s", "less a", "ls"),
    ("LESSOPEN", "||led/p %s", "git log", "ls"),
    ("JAVA_TOOL_OPTIONS", "-javaagent:{p}/led/x.jar", "java --version", "ls"),
    ("CURL_HOME", "{p}/led", "curl --version", "ls"),
    ("GNUPGHOME", "led", "gpg --version", "ls"),
    ("AWS_CONFIG_FILE", "led", "aws --version", "ls"),
    # by how the names of a program's variables begin
    ("GIT_CONFIG_VALUE_0", "{p}/led/x", "git status", "ls"),
    ("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='{p}/led/x'", "git status", "ls"),
    ("GIT_TRACE2_EVENT", "{p}/led/x", "git status", "ls"),
    ("npm_config_node_options", "--require=./led/x.js", "npm ls", "ls"),
    ("DOTNET_STARTUP_HOOKS", "{p}/led/x", "dotnet --info", "ls"),
    ("R_PROFILE_USER", "{p}/led/x", "Rscript --version", "ls"),
    ("LUA_INIT_5_4", "@{p}/led/x", "lua -v", "ls"),
    ("CLOUDSDK_PYTHON", "{p}/led/x", "gcloud config list", "ls"),
    ("OPENSSL_CONF", "{p}/led/x", "git status", ""),
    ("SHELL", "{p}/led/x", "ls", ""),
    ("GROFF_BIN_PATH", "{p}/led", "man ls", "ls"),
    ("NVM_DIR", "{p}/led", "node --version", "ls"),
    ("DBUS_SYSTEM_BUS_ADDRESS", "unixexec:path={p}/led/x", "systemctl status", "ls"),
    # what the table does not have may obey each of them
    ("KUBECONFIG", "{p}/led", "oc whoami", "rg x src"),
    ("XDG_CONFIG_HOME", "{p}/led", "direnv status", "ls"),
]

OWN = [
    # a variable named after the program that obeys it
    ("FOSSIL_HOME", "{p}/led", "fossil status", "ls"),
    ("YQ_CONFIG_FILE", "./led/x", "yq . src/a", "git status"),
    ("MIX2_HOME", "led/x", "mix2 --version", "git status"),
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in a home, so that it lies in no temporary directory."""
    (tmp_path / "a.rules").write_text(RULES)
    root = tmp_path / "p"
    for name in (".git", "led", "src"):
        (root / name).mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


def decided(project: Path, text: str) -> str:
    engine = Engine.load([project.parent / "a.rules"], cwd=project)
    return engine.check(text, cwd=project).decision.word


@pytest.mark.parametrize(("name", "value", "obeys", "other"), VARIABLES)
def test_a_program_that_obeys_it_asks(
    name: str, value: str, obeys: str, other: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = decided(project, other) if other else ""
    monkeypatch.setenv(name, value.format(p=project))
    verdict = Engine.load([project.parent / "a.rules"], cwd=project).check(obeys, cwd=project)
    assert verdict.decision.word == "prompt"
    assert any(f"`{name}` of the environment leads to" in m.sentence for m in verdict.matches)
    assert not other or decided(project, other) == before == "allow"
    assert decided(project, "echo x > src/a") == ("allow" if other else "prompt")


@pytest.mark.parametrize(("name", "value", "obeys", "other"), OWN)
def test_a_program_obeys_variables_of_its_own_name(
    name: str, value: str, obeys: str, other: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they lead to may be data: only the program asks."""
    (project / "led/x").write_text("")
    monkeypatch.setenv(name, value.format(p=project))
    assert decided(project, obeys) == "prompt"
    assert decided(project, other) == decided(project, "echo x > led/x") == "allow"


@pytest.mark.parametrize(("name", "value"), sorted({(n, v) for n, v, _, _ in VARIABLES}))
def test_what_it_leads_to_is_control(
    name: str, value: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = next(
        piece
        for piece in ("led/x.so", "led/x.jar", "led/x.js", "led/x.py", "led/run", "led/p", "led/x")
        if piece in value or piece == "led/x"
    )
    assert decided(project, f"echo x > {path}") == "allow"
    monkeypatch.setenv(name, value.format(p=project))
    engine = Engine.load([project.parent / "a.rules"], cwd=project)
    verdict = engine.check(f"echo x > {path}", cwd=project)
    assert verdict.decision.word == verdict.confined.word == "prompt"
    assert "control" in {place for match in verdict.matches for place in match.places}


@pytest.mark.parametrize(
    ("text", "path", "decision"),
    [
        ("use flake", "flake.nix", "prompt"),
        ("use flake ./nix#dev", "nix/flake.nix", "prompt"),
        ("use flake github:a/b", "flake.nix", "prompt"),
        ("use_nix", "shell.nix", "prompt"),
        ("use nix a.nix", "a.nix", "prompt"),
        ("has nix && use devenv", "devenv.nix", "prompt"),
        ('eval "$(devbox generate direnv --print-envrc)"', "devbox.json", "prompt"),
        ("source_env_if_exists .envrc.local", ".envrc.local", "prompt"),
        ('[[ -f x.sh ]] && . "x.sh"', "x.sh", "prompt"),
        ("export A=1", "flake.nix", "allow"),
        ("use flake", "shell.nix", "allow"),
        ("source_env ..", "src/a", "allow"),
    ],
)
def test_what_direnv_leads_to_is_control(
    text: str, path: str, decision: str, project: Path
) -> None:
    assert decided(project, f"echo x > {path}") == "allow"
    (project / ".envrc").write_text(f"# direnv\n{text}\n")
    verdict = Engine.load([project.parent / "a.rules"], cwd=project).check(f"echo x > {path}")
    assert verdict.decision.word == verdict.confined.word == decision


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTHONPATH", "/opt/lib"), ("PYTHONPATH", "."), ("PYTHONPATH", ""), ("KUBECONFIG", "/k"),
        ("LD_LIBRARY_PATH", "/opt/lib"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("PAGER", "cat"),
        ("VIRTUAL_ENV", "{p}/.venv"), ("CLAUDE_PROJECT_DIR", "{p}"), ("PWD", "{p}"),
        ("PYTEST_ADDOPTS", "-q src"), ("GIT_PAGER", "delta"), ("MAKEFLAGS", "-j4"), ("ENV", "/e"),
        ("CARGO_TARGET_DIR", "{p}/target"), ("GIT_BRANCH", "origin/main"), ("GIT_TAG", "who"),
        ("TEST_FILE", "{p}/src/a"), ("DATABASE_FILE", "{p}/db"), ("GIT_SSL_CAINFO", "/etc/ca"),
        ("NODE_OPTIONS", "--max-old-space-size=4096"), ("EDITOR", "vim"), ("LESS", "-R"),
    ],
)  # fmt: skip
def test_what_leads_elsewhere_changes_nothing(
    name: str, value: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value.format(p=project))
    if value != ".":
        assert decided(project, "git status") == "allow"
    assert decided(project, "echo x > src/a") == decided(project, "ls") == "allow"


def test_a_link_from_elsewhere_leads_there_too(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = project.parent / "link"
    link.symlink_to(project / "led")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(link / "cfg"))
    assert decided(project, "git status") == decided(project, "echo x > led/cfg") == "prompt"


def test_every_variable_of_the_table_is_known_to_change_what_runs() -> None:
    variables = Engine.load(rules=[]).snapshot.variables
    words = {word for words in words_of("steering").values() for word in words}
    named = {word for word in words if word[1:2].isupper() and "*" not in word}
    assert len(named) >= 100
    assert not [name for name in named if variables.harmless(name)]


@pytest.mark.parametrize("name", ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE"])
def test_the_start_script_is_apart_from_the_environment(name: str, project: Path) -> None:
    """An installer puts the script beside a Python; a link to it may be elsewhere."""
    folder = project.parent / "bin"
    folder.mkdir()
    script = folder / "execpolicy"
    script.write_bytes((ROOT / "bin/execpolicy").read_bytes())
    script.chmod(0o755)
    (folder / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "python3").chmod(0o755)
    link = project.parent / "linked"
    link.symlink_to("bin/execpolicy")
    tell = "open('loaded', 'w')\n"
    for module in ("execpolicy", "sitecustomize", "usercustomize", "os", "json"):
        (project / f"{module}.py").write_text(tell)
    for path in (script, link):
        done = subprocess.run(
            [path, "check", "--", "rm", "-rf", "/"],
            env={**os.environ, name: str(project)}, cwd=project, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
    assert not (project / "loaded").exists()


def test_the_hook_and_doctor_tell_of_the_loader(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    payload = json.dumps({**call, "cwd": str(project)})
    environment = {**os.environ, "LD_LIBRARY_PATH": str(project / "led"), "PYTHONPATH": str(ROOT)}
    hook = subprocess.run([*MODULE, "hook", "claude"], input=payload, env=environment,
                          capture_output=True, text=True)  # fmt: skip
    assert "`LD_LIBRARY_PATH` leads to" in hook.stderr
    doctor = subprocess.run([*MODULE, "doctor"], env=environment, capture_output=True, text=True)
    assert "WRONG `LD_LIBRARY_PATH` leads to" in doctor.stdout


def test_relative_values_start_where_the_process_does(project: Path) -> None:
    led = {one.path for one in found({"PYTHONPATH": "led::"}, str(project))}
    assert led == {str(project / "led"), str(project)}

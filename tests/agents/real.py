"""The hosts' own programs and packages, where they are installed.

A program is found in PATH, or below the directory that `EXECPOLICY_TEST_HOSTS` names: one with the
`node_modules` of `tests/agents/hosts`, and of its folders (CONTRIBUTING.md has the lines for it).
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.agents.paper import Paper
from tests.store.support import write

INSTALLED = Path(os.environ.get("EXECPOLICY_TEST_HOSTS") or "/nowhere")
SECONDS = 120


def program(name: str, line: str = "") -> str:
    """The path of a program, of a line of its versions; the test is skipped where there is none."""
    folders = str(INSTALLED / line / "node_modules/.bin"), *((os.environ["PATH"],) * (not line))
    path = shutil.which(name, path=os.pathsep.join(folders))
    if path is None:
        pytest.skip(f"`{name}` is not installed {line}".rstrip())
    return path


def package(name: str) -> Path:
    """The directory of a package from npm; the test is skipped where there is none."""
    path = INSTALLED / "node_modules" / name
    if not path.is_dir():
        pytest.skip(f"the package `{name}` is not below EXECPOLICY_TEST_HOSTS")
    return path


def ourselves(folder: Path) -> str:
    """This program as an executable file, for hosts to start. It keeps the payload of a hook."""
    run = f'{sys.executable} -m execpolicy "$@"'
    text = f'#!/bin/sh\n[ "$1" = hook ] || exec {run}\ntee "$0.payload" | {run}\n'
    path = write(folder / "execpolicy", text)
    path.chmod(0o755)
    return str(path)


def kept(program: str) -> dict[str, object]:
    """The last payload that a program made by `ourselves` was sent."""
    payload: dict[str, object] = json.loads(Path(f"{program}.payload").read_text())
    return payload


def outside(paper: Paper) -> dict[str, str]:
    """Variables that leave a program no way to the network but the model's."""
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    return dict.fromkeys(names, paper.url) | dict.fromkeys(("no_proxy", "NO_PROXY"), "")


@dataclass(frozen=True)
class Start:
    """How a host is started without the user, with the model of paper.

    `files` are written below the home directory before the hook is installed, `{url}` in a value is
    the model's address. `program` differs from the host's name where the same host has two modes.
    `line` is the folder of its version.
    """

    program: str
    arguments: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    line: str = ""

    @property
    def path(self) -> str:
        """The path of its program; the test is skipped where there is none."""
        return program(self.program, self.line)

    def run(self, paper: Paper, work: Path) -> "subprocess.CompletedProcess[bytes]":
        """Let the host work in a directory until it has no more to do."""
        filled: Callable[[str], str] = lambda text: text.replace("{url}", paper.url)  # noqa: E731
        variables = {name: filled(value) for name, value in self.variables.items()}
        environment = {**os.environ, **outside(paper), "PWD": str(work), **variables}
        return subprocess.run(
            [self.path, *map(filled, self.arguments)],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )

    def prepare(self, paper: Paper, home: Path) -> None:
        """Write the host's files."""
        for name, text in self.files.items():
            write(home / name, text.replace("{url}", paper.url))


CODEX = (
    "exec",
    "--skip-git-repo-check",
    "--dangerously-bypass-hook-trust",
    "-c",
    'model_provider="paper"',
    "-c",
    'model_providers.paper={name="paper",base_url="{url}/v1",wire_api="responses"}',
    "-s",
    "danger-full-access",
)
_GEMINI = """\
{
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false}, // a comment stays
  "general": {"enableAutoUpdate": false}
}
"""
_OPENCODE = """\
{"provider": {"paper": {
  "npm": "@ai-sdk/openai-compatible", "name": "paper", "models": {"paper": {"name": "paper"}},
  "options": {"baseURL": "{url}/v1", "apiKey": "none"}}}}
"""
# opencode installs types of plugins beside its configuration, unless this says it did.
_TYPES = '{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}'

STARTS = {
    "claude": Start(
        "claude",
        ("-p", "go"),
        {
            "ANTHROPIC_BASE_URL": "{url}",
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    ),
    "codex": Start("codex", (*CODEX, "-m", "paper", "go")),
    # A model that this version knows, whose tools are called by programs that it writes.
    "codex with programs": Start("codex", (*CODEX, "-m", "gpt-6.1-sol", "go")),
    "copilot": Start(
        "copilot",
        ("-p", "go", "--allow-all-tools"),
        {
            "COPILOT_PROVIDER_BASE_URL": "{url}/v1",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "paper",
            "COPILOT_OFFLINE": "true",
        },
    ),
    "gemini": Start(
        "gemini",
        ("-p", "go", "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "--skip-trust"),
        {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": "{url}", "CI": "true"},
        {".gemini/settings.json": _GEMINI},
    ),
    "opencode": Start(
        "opencode",
        ("run", "-m", "paper/paper", "go"),
        {
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        },
        {
            ".config/opencode/opencode.json": _OPENCODE,
            ".config/opencode/package-lock.json": _TYPES,
            ".config/opencode/node_modules/.keep": "",
        },
    ),
    "qwen": Start(
        "qwen",
        ("-p", "go", "--approval-mode", "yolo"),
        {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "{url}/v1", "OPENAI_MODEL": "paper"},
        {".qwen/settings.json": '{"privacy": {"usageStatisticsEnabled": false}}'},
    ),
}
"""Each host that runs without an account. Where there is a mode that asks nothing, it is that."""

NEWEST = ("claude", "codex", "qwen")
"""Of these there is a newer version than the one that npm chooses on Node 20, or that was tested
first: `newest/package.json` has it."""
LINES = STARTS | {f"{name} newest": replace(STARTS[name], line="newest") for name in NEWEST}
"""Both lines of each host."""

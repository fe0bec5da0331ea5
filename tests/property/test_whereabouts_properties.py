"""Where bash stands when it runs a command is one of the directories that were found for it."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from execpolicy.engine.engine import Engine
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.operation import Exec, Operation, Request
from tests.waiting import HANG_SECONDS

ENGINE = Engine.load(rules=[])
COMMANDS = st.sampled_from(
    ("cd a", "cd b", "cd ..", "cd a/b", "cd link", "cd gone", "true", "false", "! cd a", "pwd")
)
JOINED = st.sampled_from((" && ", " && ", " && ", "; ", " || ", " | ", "\n", " & "))


DIRECTORIES = st.sampled_from(("a", "b", "..", "a/b", "link", ".", "~/a"))
TELLS = "echo HERE $(pwd -P)"


@st.composite
def texts(draw: st.DrawFn, tells: str = TELLS) -> str:
    """Commands side by side, some in a shell of their own; the last one tells where it is."""
    made = ""
    for _ in range(draw(st.integers(1, 5))):
        command = draw(COMMANDS)
        command = draw(st.sampled_from(("%s", "%s", "%s", "(%s)", "{ %s; }"))) % command
        made += command + draw(JOINED)
    return made + tells


@st.composite
def texts_in_wrappers(draw: st.DrawFn) -> str:
    """The same with shells in other directories around the last commands, one or two of them."""
    text = draw(texts())
    for _ in range(draw(st.integers(1, 2))):
        inside = f"env -C {draw(DIRECTORIES)} bash -c {shlex.quote(text)}"
        text = draw(texts(tells=inside))
    return text


def is_last(operation: Operation) -> bool:
    return isinstance(operation, Exec) and operation.argv[:2] == ("echo", "HERE")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for name in ("a/b", "a/a", "b/a/b", "b/b"):
        (root / name).mkdir(parents=True)
    (root / "link").symlink_to(root / "b/a")
    return root


def stood(text: str, root: Path) -> set[str]:
    """The directories in which bash ran the last command, none where it did not."""
    done = subprocess.run(
        ["bash", "-c", text],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
        env={**os.environ, "HOME": str(root / "b")},
    )
    return {line[5:] for line in done.stdout.splitlines() if line.startswith("HERE ")}


@given(text=texts())
@settings(max_examples=100)
def test_it_is_where_bash_stands(text: str, tree: Path) -> None:
    holds_where_bash_stands(text, tree)


@given(text=texts_in_wrappers())
@settings(max_examples=100)
def test_it_is_where_a_shell_in_another_directory_stands(text: str, tree: Path) -> None:
    holds_where_bash_stands(text, tree)


def holds_where_bash_stands(text: str, tree: Path) -> None:
    request = Request(text=text, cwd=str(tree))
    snapshot = ENGINE.snapshot.replace(home=str(tree / "b"))
    steps = unwrap(request, snapshot)
    scene = Scene(request, steps, snapshot, ENGINE.resolver)
    last = [n for n, step in enumerate(steps) if is_last(step.operation)]
    assume(last)  # `a | ! b` is not a command
    found = scene.where.of(last[0])
    assert found is None or stood(text, tree) <= set(found), found

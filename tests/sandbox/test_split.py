"""The entries of a split policy are walls of a real run: carve-outs, and what is not there."""

from pathlib import Path

import pytest

from execpolicy.places import SplitPolicy, split_policy
from tests.sandbox.test_execute import sandbox

ENTRIES = (
    (":root", "read"),
    (":cwd", "write"),
    ("docs", "read"),
    ("docs/gen", "write"),
    ("secret", "none"),
)
READ_ONLY = ((":root", "read"),)

ROWS = [
    # the entries, a command, and whether it succeeds
    (ENTRIES, "echo x > a", True),
    (ENTRIES, "cat docs/x", True),
    (ENTRIES, "echo x > docs/y", False),
    (ENTRIES, "rm docs/x", False),
    (ENTRIES, "mv docs other", False),
    (ENTRIES, "echo x > docs/gen/y", True),
    (ENTRIES, "cat secret/x", False),
    (ENTRIES, "echo x > docsx", True),
    (READ_ONLY, "cat docs/x", True),
    (READ_ONLY, "echo x > a", False),
    # what the rules do not let be written is not opened, nor what they hide
    (((":root", "write"),), "echo x > ../outside", False),
    (((":root", "write"),), "echo x > .git/config", False),
    ((), "cat docs/x", False),
]


@pytest.fixture
def folder(project: Path) -> Path:
    for name in ("docs/gen", "secret"):
        (project / name).mkdir(parents=True)
    for name in ("docs/x", "secret/x"):
        (project / name).write_text("x")
    return project


@pytest.mark.parametrize(("entries", "text", "expected"), ROWS)
def test_entries(
    folder: Path, entries: tuple[tuple[str, str], ...], text: str, expected: bool
) -> None:
    box = sandbox(folder).replace(split=split_policy(entries, str(folder)))
    result = box.execute(f"({text}) 2>/dev/null", cwd=str(folder))
    assert (result.code == 0) is expected


def test_another_sandbox_says_nothing_here(folder: Path) -> None:
    box = sandbox(folder).replace(split=SplitPolicy(kind="external"))
    assert box.execute("echo x > a", cwd=str(folder)).code == 0

"""Options and files of a command line."""

import pytest

from execpolicy.commands.arguments import read
from execpolicy.errors import UsageError

VALUES = {"--format": "format"}
FLAGS = {"--fix": ("fix", True), "--no-builtin": ("builtin", False)}


@pytest.mark.parametrize(
    ("line", "paths", "fields"),
    [
        ("", (), {}),
        ("a b", ("a", "b"), {}),
        ("a --fix b", ("a", "b"), {"fix": True}),
        ("--no-builtin", (), {"builtin": False}),
        ("--format json a", ("a",), {"format": "json"}),
        ("--format=json", (), {"format": "json"}),
        ("--format=", (), {"format": ""}),
        ("--format --fix", (), {"format": "--fix"}),
        ("--fix -- --fix -", ("--fix", "-"), {"fix": True}),
    ],
)
def test_options_may_stand_anywhere_before_the_dashes(
    line: str, paths: tuple[str, ...], fields: dict[str, object]
) -> None:
    assert read("lint", line.split(), VALUES, FLAGS) == (paths, fields)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--format", "option `--format` needs a value"),
        ("--fix=yes", "unknown option `--fix=yes` (`execpolicy lint --help`)"),
        ("-x", "unknown option `-x` (`execpolicy lint --help`)"),
        ("-\x1b", "unknown option `-\\x1b` (`execpolicy lint --help`)"),
    ],
)
def test_what_is_wrong_is_named(line: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        read("lint", line.split(), VALUES, FLAGS)
    assert str(raised.value) == says

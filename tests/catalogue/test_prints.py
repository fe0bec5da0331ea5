"""What the shipped entries say of outputs: `plain`, `number`, `path` and `input` have to hold."""

import shlex

import pytest

from execpolicy.catalogue.read import read
from tests.catalogue import shipped

PRINTS = [
    ("wc -l", "number"),
    ("wc -l --files0-from=list", ""),  # the names of files
    ("date +%s", "plain"),
    ("date -d yesterday +%F", "plain"),
    ("date -d 1960-01-01 +%s", ""),  # -315619200
    ("date -r a +%s", ""),
    ("date -v-7d +%F", "plain"),
    ("git merge-base --all HEAD main", "plain"),
    ("git merge-base -h", ""),  # usage
    ("git rev-parse --short HEAD", "plain"),
    ("git rev-parse HEAD --all", ""),
    ("git rev-parse -- -x", ""),
    ("git rev-list -5 HEAD", "plain"),
    ("git rev-list --boundary a..b", ""),  # -NUMBER
    ("grep -c x", "plain"),
    ("rgrep -c x", ""),  # searches the directory and prints names
    ("pwd", "path"),
    ("head -2", "input"),
    ("head -2 a", ""),
]


@pytest.mark.parametrize(("command", "prints"), PRINTS)
def test_what_is_printed(command: str, prints: str) -> None:
    assert read(tuple(shlex.split(command)), shipped.everything()[0]).prints == prints

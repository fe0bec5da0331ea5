"""A verdict says for which commands the sandbox has no key, no host and no socket."""

from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.catalogue.services import lacking
from execpolicy.engine.wire import to_wire

POLICY = """
posture(confined = {"network": "allow", "write": "allow"})
prefix_rule(["gh", "issue", "list"])
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("gh pr view 1 | head", ("gh pr view",)),
        ("git fetch origin && git status", ("git fetch origin",)),
        ("kubectl get pods; kubectl get pods", ("kubectl get pods",)),
        ("gh issue list", ()),  # a rule opens it
        ("gh pr --help", ()),
        ("git status", ()),
        ("gh pr merge 3", ()),  # asks there, too
    ],
)
def test_lacking(text: str, found: tuple[str, ...], tmp_path: Path) -> None:
    rules = tmp_path / "a.rules"
    rules.write_text(POLICY)
    verdict = Engine.load(rules=[rules]).check(text, cwd=tmp_path)
    assert lacking(verdict) == found
    assert to_wire(verdict).get("lacking", []) == [*found]

"""How far a tree is looked through that is not part of a project."""

from pathlib import Path

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.places.disk import Disk
from tests.places.machine import Machine

ALLOW, PROMPT, FORBIDDEN = Decision
PACKED = Machine(["/usr/share/x/k.pem", "/srv/x/k.pem", "/p/a"], root="/p")


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("", "grep -rn x /usr/share", ALLOW),
        ("", "grep -rn x /srv", PROMPT),
        ("", "find /usr/share -type f | xargs cat", ALLOW),
        ('place("credentials", ["/usr/share/x/*"])', "grep -rn x /usr/share", PROMPT),
        (
            'path_rule(["/usr/share/x/*"], modes = ["read"], decision = "forbidden")',
            "grep -rn x /usr/share",
            PROMPT,
        ),
        (
            'path_rule(["**/*.pem"], modes = ["write"], decision = "forbidden")',
            "chmod -R 644 /usr/share",
            PROMPT,
        ),
    ],
)
def test_what_packages_put_there_is_not_looked_through(
    tmp_path: Path, rule: str, text: str, expected: Decision
) -> None:
    (tmp_path / "a.rules").write_text(f"{rule}\n")
    snapshot = Engine.load(rules=[tmp_path / "a.rules"]).snapshot.replace(home="/home/me")
    found = decide(Request(text=text, cwd="/p"), snapshot, PACKED)
    assert found.decision is expected
    names_rule = any(
        m.origin is not None and m.origin.file.endswith("a.rules") for m in found.matches
    )
    assert names_rule is bool(rule)


@pytest.mark.parametrize(("inside", "expected"), [(True, ALLOW), (False, PROMPT)])
def test_few_entries_are_looked_at_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: bool, expected: Decision
) -> None:
    monkeypatch.setattr("execpolicy.places.disk.MAX_NEARBY", 3)
    other, root = tmp_path / "other", tmp_path / "root"
    for directory in (other / ".git/objects", other / ".git/refs", root):
        directory.mkdir(parents=True)
    for number in range(5):
        (other / str(number)).write_text("")
    if inside:
        (other / ".git/HEAD").write_text("ref: refs/heads/main\n")
    snapshot = Engine.load(rules=[]).snapshot.replace(home="/home/me")
    request = Request(text=f"grep -rn x {other}", cwd=str(root), root=str(root))
    assert decide(request, snapshot, Disk()).decision is expected

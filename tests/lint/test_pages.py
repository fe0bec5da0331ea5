"""Every check has a page, and its examples are so."""

import re
from pathlib import Path

import pytest

from execpolicy.lint.checks import CHECKS
from execpolicy.lint.run import lint
from execpolicy.store.files import RulesFile

PAGES = Path(__file__).parents[2] / "docs" / "lint"
BLOCK = re.compile(r"^```starlark (bad|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Nothing that can be written into a page shows these.
WITHOUT_EXAMPLE = {"encoding", "host-writable", "limit", "read", "size"}

BLOCKS = [
    pytest.param(code, kind, text, id=f"{code}-{kind}")
    for code in CHECKS
    for kind, text in BLOCK.findall((PAGES / f"{code}.md").read_text())
]


def codes(text: str, code: str = "") -> dict[str, str]:
    layer = "project" if code == "project-loosens" else "user"
    found = lint([RulesFile(layer, "x.rules", text.encode())], codex=code == "portable-codex")
    return {f.code: f.diagnostic.severity for f in found}


@pytest.mark.parametrize(("code", "kind", "text"), BLOCKS)
def test_an_example_is_as_its_page_says(code: str, kind: str, text: str) -> None:
    found = codes(text, code)
    assert (code in found) == (kind == "bad"), found
    if kind == "good":
        assert "error" not in found.values(), found


def test_every_check_has_examples() -> None:
    shown = {(b.values[0], b.values[1]) for b in BLOCKS}
    for code in CHECKS.keys() - WITHOUT_EXAMPLE:
        assert {(code, "bad"), (code, "good")} <= shown, code


def test_every_page_is_about_a_check_and_in_the_index() -> None:
    index = (PAGES / "README.md").read_text()
    pages = {p.stem for p in PAGES.glob("*.md")} - {"README"}
    assert pages == set(CHECKS)
    for code, (severity, what) in CHECKS.items():
        assert f"| [`{code}`]({code}.md) | {severity} | {what} |" in index

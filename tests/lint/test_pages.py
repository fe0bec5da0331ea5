"""Every check has a page, and its examples are so."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from execpolicy.language.limits import MAX_BYTES
from execpolicy.lint.registry import CHECKS
from execpolicy.lint.run import lint
from execpolicy.store.sources.files import RulesFile, read_rules

PAGES = Path(__file__).parents[2] / "docs" / "lint"
# A text, bytes with escapes, an expression for a text, or what makes `deploy.rules` in an empty
# directory.
BLOCK = re.compile(
    r"^```(starlark|bytes|python|sh) (bad|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)

BLOCKS = [
    pytest.param(code, language, kind, text, id=f"{code}-{kind}")
    for code in CHECKS
    for language, kind, text in BLOCK.findall((PAGES / f"{code}.md").read_text())
]


def written(language: str, text: str) -> bytes:
    """The bytes of a rules file that an example stands for."""
    if language == "bytes":
        return ast.literal_eval(f"b'''{text}'''")  # type: ignore[no-any-return]
    if language == "python":
        line, count = text.split(" * ")
        return str(ast.literal_eval(line)).encode() * int(count)
    return text.encode()


def made(directory: Path, text: str) -> RulesFile:
    """The file that a script makes in an empty directory."""
    subprocess.run(["sh", "-euc", text], cwd=directory, check=True)
    return read_rules("user", str(directory / "deploy.rules"), MAX_BYTES)


@pytest.mark.parametrize(("code", "language", "kind", "text"), BLOCKS)
def test_an_example_is_as_its_page_says(
    code: str, language: str, kind: str, text: str, tmp_path: Path
) -> None:
    layer = "project" if code == "project-loosens" else "user"
    if language == "sh":
        file = made(tmp_path, text)
    else:
        file = RulesFile(layer, "x.rules", written(language, text))
    reported = lint([file], codex=code == "portable-codex")
    found = {f.code: f.diagnostic.severity for f in reported}
    assert (code in found) == (kind == "bad"), found
    if kind == "good":
        assert "error" not in found.values(), found


def test_every_check_has_examples() -> None:
    shown = {(b.values[0], b.values[2]) for b in BLOCKS}
    for code in CHECKS:
        assert {(code, "bad"), (code, "good")} <= shown, code


def test_every_page_is_about_a_check_and_in_the_index() -> None:
    index = (PAGES / "README.md").read_text()
    assert {check.severity for check in CHECKS.values()} == {"error", "warning", "note"}
    pages = {p.stem for p in PAGES.glob("*.md")} - {"README"}
    assert pages == set(CHECKS)
    for code, check in CHECKS.items():
        assert f"| [`{code}`]({code}.md) | {check.severity} | {check.finds} |" in index

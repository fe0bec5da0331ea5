"""Lint answers about any file, and reports all that loading reports."""

import re
from pathlib import Path

import pytest

from execpolicy.language.compile import compile_text
from execpolicy.lint.finding import apply_edits
from execpolicy.lint.run import lint
from execpolicy.model.errors import PolicyError
from execpolicy.store.sources.files import RulesFile

ROOT = Path(__file__).parents[2]
CARD = (ROOT / "grammar" / "REFERENCE.md").read_text()
TEXTS = [
    *re.findall(r"^```starlark[^\n]*\n(.*?)^```$", CARD, re.MULTILINE | re.DOTALL),
    *(
        chunk
        for path in sorted((ROOT / "tests" / "rules").glob("*.rules"))
        for chunk in path.read_text().split("---\n")
    ),
    'prefix_rule(["a", ["b"] * 300, ["c"] * 300], "prompt")\n',
    'prefix_rule([str(x) for x in range(9)], unless = [[str(x) for x in range(9)] + ["z"]])\n',
    'f = prefix_rule; f(["a"]); f(["a"]); f(["a b"])\n',
    "[prefix_rule([a, b]) for a in ['x', 'y'] for b in ['p', 'q', 'p']]\n",
    'prefix_rule(pattern = ["a", "-", "--", "--x=", "-é"], decision = "forbidden")\n',
    'prefix_rule(["\\x00", "\\u202e", "\\n"])\n',
    "prefix_rule([*'a'])\n",
    "\ufeffprefix_rule(['a'])\n",
]


def problems(text: str) -> set[tuple[str, int]]:
    try:
        compile_text(text, "x.rules")
    except PolicyError as error:
        return {(d.message, d.span.line) for d in error.diagnostics}
    return set()


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_lint_finds_at_least_what_loading_does(text: str) -> None:
    found = lint([RulesFile("user", "x.rules", text.encode())], codex=True)
    told = {(f.diagnostic.message, f.span.line) for f in found}
    loading = problems(text)
    assert loading <= told or any(f.diagnostic.severity == "error" for f in found)
    assert bool(loading) == any(f.diagnostic.severity == "error" for f in found)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_repairing_breaks_nothing(text: str) -> None:
    found = lint([RulesFile("user", "x.rules", text.encode())])
    assert len(problems(apply_edits(text, found))) <= len(problems(text))

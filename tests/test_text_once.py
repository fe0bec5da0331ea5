"""A text is read once: who holds one after that shows it, or tells it from others, and no more."""

import ast
from pathlib import Path

import pytest

from tests.test_architecture import FILES, PACKAGE

# Files outside of `shell` that take the text of a request, each with what for.
HOLDERS = {
    "approvals/questions/question.py": "shows it",
    "approvals/situation.py": "tells it from others",
    "approvals/subject.py": "tells it from others",
    "commands/hook.py": "keeps no answer where it holds a secret",
    "commands/render/explain_text.py": "shows it",
    "commands/run_keys.py": "hands it to the parser",
    "commands/run_network.py": "shows it",
    "commands/wrap_hook.py": "looks whether there is one",
    "commands/wrap_keys.py": "compares it with the one of the model",
    "engine/audit.py": "shows it",
    "engine/memory/recent.py": "tells it from others",
    "engine/requests.py": "looks whether there is one",
    "engine/unwrap.py": "hands it to the reader",
    "hosts/transcripts/call.py": "shows it, and tells it from others",
    "replay/requests.py": "names directories of another machine as they are here",
    "sandbox/api.py": "hands it to the shell",
}
# Files of `shell` beside the parser that have the text of a script, each with what for.
READERS = {
    "shell/analysis/collect.py": "looks whether a line follows, in which an alias counts",
    "shell/analysis/variants.py": "shows a command, and hands it to the words",
    "shell/expansion/word_expander.py": "shows a word",
    "shell/lower.py": "shows a spot",
    "shell/reader.py": "hands it to the parser",
}
SEARCHES = frozenset(("find", "rfind", "index", "count", "startswith", "endswith", "split"))


def attributes(path: Path, name: str) -> list[ast.Attribute]:
    """Each `x.name` in a file."""
    tree = ast.parse(path.read_text())
    return [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == name]


def short(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


OUTSIDE = [p for p in FILES if not short(p).startswith(("shell/", "commands/render/"))]


def test_the_files_that_hold_the_text_of_a_request() -> None:
    found = {
        short(path)
        for path in FILES
        for node in attributes(path, "text")
        if ast.unparse(node.value).endswith("request")
    }
    assert found == HOLDERS.keys()


def test_the_files_that_hold_the_text_of_a_script_after_it_was_parsed() -> None:
    found = {
        short(path)
        for path in FILES
        if short(path).startswith("shell/") and "/syntax/" not in short(path)
        for node in attributes(path, "text")
        if ast.unparse(node.value).endswith(("script", "expander", "self"))
    }
    assert found - {"shell/fast/plain_words.py"} == READERS.keys()


@pytest.mark.parametrize("path", OUTSIDE, ids=short)
def test_no_text_of_a_request_is_searched(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            assert not _is_text(node.comparators[0]), f"line {node.lineno}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            searched = node.func.attr in SEARCHES and _is_text(node.func.value)
            assert not searched, f"line {node.lineno}"


def _is_text(node: ast.expr) -> bool:
    return ast.unparse(node).endswith(("request.text", "operation.text"))


def test_what_makes_the_facts_has_no_text() -> None:
    path = PACKAGE / "shell/analysis/facts.py"
    names = {ast.unparse(node.value) for node in attributes(path, "text")}
    assert names == {"word", "part", "r.target"}
    parameters = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.arg)]
    kinds = {ast.unparse(n.annotation) for n in parameters if n.annotation is not None}
    assert "str" not in kinds

"""Which texts are rewritten before evaluation, and which no grammar need look at."""

import pytest

from execpolicy.language.evaluate.evaluate import rewrite
from execpolicy.language.syntax import syntax

PLAIN = [
    "",
    'prefix_rule(["git", "push", "-f"])\n',
    "prefix_rule(['ls', '-b', \"-R\"])  # rm -f\"x\"\n",
    'prefix_rule(["a\\"f", "b\\\\", """-f" and r" """, \'\'\'b"\'\'\'])\n',
    'x = "f" + "b" if True else ""\n',
    "# don't\nx = 1\n",
]
REWRITTEN = [
    ('x = f"{1 + 1}"\n', 'f"'),
    ('x = "-f" + b"a"\n', 'b"'),
    ("# it's\nx = [b'\\x41']\n", "b'"),
    ('x = """\n-f" """ + f"{1}"\n', 'f"{'),
]


@pytest.mark.parametrize("text", PLAIN)
def test_a_text_without_prefixed_strings_is_not_parsed(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(text: str, file: str = "") -> None:
        raise AssertionError(f"parsed: {text} {file}")

    monkeypatch.setattr(syntax, "parse", refuse)
    assert rewrite(text) is text


@pytest.mark.parametrize(("text", "literal"), REWRITTEN)
def test_what_the_evaluator_does_not_have_is_rewritten(text: str, literal: str) -> None:
    assert literal not in rewrite(text)
    assert rewrite(text).count("\n") == text.count("\n")

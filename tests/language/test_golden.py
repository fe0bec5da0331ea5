"""The files in `tests/rules` are the manual of rules and of what is wrong with them.

Chunks are separated by `---`. A line that has a problem says so: `### COLUMN MESSAGE | HINT`, the
message and the hint being regular expressions. Missing and surplus problems both fail.
"""

import re
from pathlib import Path

import pytest

from execpolicy.language.compile import compile_text
from execpolicy.model.errors import Diagnostic, PolicyError

FILES = sorted((Path(__file__).parents[1] / "rules").glob("*.rules"))
EXPECTED = re.compile(r"### (?P<column>\d+) (?P<message>.*?)(?: \| (?P<hint>.*))?$")


def chunks(path: Path) -> list[tuple[int, str]]:
    """Each chunk with its line ends before it, so that lines count as in the file."""
    found, start, lines = [], 0, path.read_text().split("\n")
    for number, line in enumerate([*lines, "---"]):
        if line == "---":
            found.append((start + 1, "\n" * start + "\n".join(lines[start:number])))
            start = number + 1
    return found


CASES = [
    pytest.param(path, text, id=f"{path.stem}:{line}")
    for path in FILES
    for line, text in chunks(path)
]


def problems(text: str, file: str) -> tuple[Diagnostic, ...]:
    try:
        compile_text(text, file)
    except PolicyError as error:
        return error.diagnostics
    return ()


@pytest.mark.parametrize(("path", "text"), CASES)
def test_golden(path: Path, text: str) -> None:
    bare = re.sub(r" *### .*", "", text)
    found = list(problems(bare, path.name))
    for number, line in enumerate(text.split("\n"), 1):
        if expected := EXPECTED.search(line):
            here = [d for d in found if d.span.line == number]
            assert here, f"{path.name}:{number}: no problem where one is expected"
            assert here[0].span.column == int(expected["column"]), here[0].render()
            assert re.match(expected["message"], here[0].message), here[0].render()
            assert re.match(expected["hint"] or "", here[0].hint or ""), here[0].render()
            found.remove(here[0])
    assert not found, "\n".join(d.render() for d in found)


def test_a_diagnostic_shows_its_line_and_a_caret() -> None:
    with pytest.raises(PolicyError) as caught:
        compile_text('\nprefix_rule(["git"], decison = "prompt")\n', "a.rules")
    assert str(caught.value) == (
        "a.rules:2:22: error[signature]: `prefix_rule` has no argument `decison`\n"
        '    prefix_rule(["git"], decison = "prompt")\n'
        "                         ^~~~~~~\n"
        "  hint: did you mean `decision`?"
    )

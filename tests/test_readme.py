"""What the README shows is what happens, and so is what the pages of docs show."""

import re
import shlex
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import COMMANDS
from execpolicy.commands.exit_codes import ExitCode, run
from tests.pages import DOCS, blocks
from tests.shown import is_what_was_printed

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
RULES = "\n".join(re.findall(r"```starlark\n(.*?)```", README, re.DOTALL))


def examples(page: str) -> list[tuple[str, str]]:
    """Each command of a console block, with the lines shown below it."""
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    parts = [part for block in blocks for part in block.split("$ ")[1:]]
    found = [(c.strip(), shown) for c, _, shown in (part.partition("\n") for part in parts)]
    return [(command, shown) for command, shown in found if shown]


PAGES = ("README.md", *(page for page in DOCS if page != "docs/tutorial.md"))
EXAMPLES = [example for page in PAGES for example in examples(page)]


@pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=[c for c, _ in EXAMPLES])
def test_an_example(
    command: str,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.rules").write_text(RULES)
    (tmp_path / "shipit.rules").write_text(blocks("docs/program.md", "starlark")[-1])
    program, *arguments = shlex.split(command, comments=True)
    assert program == "execpolicy"
    run(dispatch, arguments)
    captured = capsys.readouterr()
    printed = (captured.out + captured.err).splitlines()
    assert is_what_was_printed(shown.splitlines(), printed), printed


def test_the_exit_codes_are_those_of_the_enum() -> None:
    table = dict(re.findall(r"^\| (\S+) \| (\d+) \|", README, re.MULTILINE))
    assert table["allow"] == str(int(ExitCode.ALLOW))
    assert table["prompt"] == str(int(ExitCode.PROMPT))
    assert table["forbidden"] == str(int(ExitCode.FORBIDDEN))
    assert f"| {int(ExitCode.ERROR)} | could not decide" in README
    assert f"| {int(ExitCode.USAGE)} | the command line" in README


def test_every_command_is_named() -> None:
    assert [name for name in COMMANDS if f"`{name}`" not in README] == []


def test_every_file_it_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_test_line_is_the_one_of_ci() -> None:
    assert ".venv/bin/pytest -q -n 2" in README
    assert ".venv/bin/pytest -q -n 2\n" in (ROOT / ".ci/run").read_text()

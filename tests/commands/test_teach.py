"""`execpolicy teach` reads help texts in the sandbox and writes what they say as an entry."""

from pathlib import Path

import pytest

from execpolicy.commands import teach
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.errors import ExecPolicyError
from execpolicy.sandbox.api import Result, Sandbox

TEXTS = {
    ("shop", "--help"): "Commands:\n  list   L\n  dep    D\n  push   P\n",
    ("shop", "dep", "--help"): "Commands:\n  add    A\n  remove   R\n",
    **dict.fromkeys(
        (("till", "--help"), ("till", "open", "--help"), ("till", "push", "--help")),
        "Commands:\n  open   O\n  push   P\n",
    ),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    monkeypatch.chdir(tmp_path)

    def execute(self: Sandbox, words: list[str], **given: object) -> Result:
        assert given["cwd"] != str(tmp_path)  # not where the user is
        text = TEXTS.get(tuple(words))
        return Result(0 if text else 1, (text or "").encode(), b"")

    monkeypatch.setattr(Sandbox, "execute", execute)
    return tmp_path


def test_the_entry_is_shown_and_written_on_demand(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert teach.main(["shop"]) == ExitCode.ALLOW
    shown = capsys.readouterr().out
    assert '["shop", "shop list", "shop dep", "shop dep add"]' in shown
    assert '["shop push", "shop dep remove"]' in shown
    rules = home / "c/execpolicy/rules/default.rules"
    assert not rules.exists()  # no terminal to ask at
    for _ in range(2):  # the second time there is nothing new
        teach.main(["--write", "shop"])
        assert rules.read_text().count("program(") == 2


def test_one_help_text_for_all_sub_commands_is_read_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    teach.main(["till"])
    shown = capsys.readouterr().out
    assert '["till", "till open"]' in shown
    assert '["till push"]' in shown


@pytest.mark.parametrize(
    ("name", "why"), [("git", "is not a name of a tool"), ("cart", "lists no sub-commands")]
)
def test_what_cannot_be_taught(name: str, why: str) -> None:
    with pytest.raises(ExecPolicyError, match=why):
        teach.main([name])

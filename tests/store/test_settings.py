"""Settings are few; a wrong one is told and changes nothing."""

from pathlib import Path

import pytest

from execpolicy.store.sources.settings import Settings, load, path
from tests.store.support import write

ROWS = [
    ("", Settings()),
    ("audit = false\naudit_bytes = 100", Settings(audit=False, audit_bytes=100)),
    ('codex = true\nundecided = "deny"', Settings(codex=True, undecided="deny")),
]


@pytest.mark.parametrize(("text", "settings"), ROWS)
def test_the_file(text: str, settings: Settings, home: Path) -> None:
    write(Path(path()), text)
    assert load() == settings
    assert load() == settings, "the second time from the cache"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("audt = true", "unknown setting `audt`", "did you mean `audit`?"),
        ("audit = 1", "`audit` must be true or false, not `1`", None),
        ("audit_bytes = true", "`audit_bytes` must be a number, not `True`", None),
        ('undecided = "allow"', "`undecided` must be `ask` or `deny`, not `allow`", None),
        ("[table]\nx = 1", "unknown setting `table`", "the settings are "),
        ("audit = ", "not TOML: Invalid value", "correct the file"),
    ],
)
def test_a_problem_is_told_and_the_default_holds(
    text: str, message: str, hint: str | None, home: Path
) -> None:
    write(Path(path()), text)
    settings = load()
    (problem,) = settings.problems
    assert problem.message.startswith(message)
    assert problem.hint == hint or (hint and str(problem.hint).startswith(hint))
    assert settings.replace(problems=()) == Settings()


def test_variables_override_the_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(Path(path()), "audit = true")
    monkeypatch.setenv("EXECPOLICY_AUDIT", "0")
    monkeypatch.setenv("EXECPOLICY_UNDECIDED", "deny")
    assert load() == Settings(audit=False, undecided="deny")


def test_a_wrong_variable_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXECPOLICY_AUDIT", "maybe")
    (problem,) = load().problems
    assert str(problem.span) == "EXECPOLICY_AUDIT"


def test_the_documentation_names_every_setting() -> None:
    text = (Path(__file__).parents[2] / "docs/settings.md").read_text()
    for name in Settings.__fields__:
        assert name == "problems" or f"| `{name}` |" in text

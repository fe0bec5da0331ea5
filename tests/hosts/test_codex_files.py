"""The file policy of Codex as path rules: no more than it allows, and nothing lost in silence."""

from pathlib import Path

import pytest

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.import_ import main

WORK = '":project_roots" = { "." = "write" }'

# What stands in the profile, the rules in short, and what is said about the rest.
ROWS = [
    (WORK, "allow write ./*", ""),
    ('":workspace_roots" = "write"', "allow write ./*", ""),
    ('":root" = "read"\n' + WORK, "allow write ./*", ""),
    ('"/data/git" = "write"', "allow write /data/git /data/git/*", ""),
    ('"~/key" = "none"', "forbidden ~/key ~/key/*", ""),
    ('"/x" = "deny"', "forbidden /x /x/*", ""),
    (
        '":project_roots" = { "." = "write", "docs" = "read", "**/*.env" = "none" }',
        "allow write ./*; prompt write remove ./docs ./docs/*; forbidden ./**/*.env",
        "",
    ),
    (
        '":project_roots" = { "." = "write", "docs" = "read", "docs/gen" = "write" }',
        "allow write ./*; prompt write remove ./docs ./docs/*",
        "`./docs` around it is stricter",
    ),
    ('"/x" = "none"\n"/x/y" = "write"', "forbidden /x /x/*", "`/x` around it is stricter"),
    ('"/opt/ref" = "read"', "", ""),
    ('":root" = "write"', "", "every path"),
    ('":root" = "none"', "", "every path"),
    ('":minimal" = "read"', "", "only codex knows"),
    ('":tmpdir" = "write"', "allow write /tmp /tmp/*", ""),
    ('"rel" = "write"', "", "relative path"),
    ('"/x/../y" = "write"', "", "no rule can express the path"),
    ('"/x" = "all"', "", "invalid access: `all`"),
]


@pytest.fixture
def codex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    return tmp_path / "config.toml"


def short(text: str) -> str:
    """The rules of a file in few words."""
    said = []

    def path_rule(paths: list[str], decision: str, modes: list[str] = [], **_: str) -> None:  # noqa: B006
        said.append(" ".join([decision, *modes, *paths]))

    for line in text.splitlines():
        if line.startswith("path_rule("):
            eval(line, {"path_rule": path_rule})  # noqa: S307
    return "; ".join(said)


@pytest.mark.parametrize(("listed", "rules", "remark"), ROWS)
def test_permissions(
    codex: Path, capsys: pytest.CaptureFixture[str], listed: str, rules: str, remark: str
) -> None:
    codex.write_text(f'default_permissions = "p"\n[permissions.p.filesystem]\n{listed}\n')
    assert main(["codex", "--dry-run"]) is ExitCode.ALLOW
    out = capsys.readouterr().out
    assert short(out) == rules
    assert remark in out
    assert bool(remark) is ("left out" in out or "invalid" in out)


def test_the_older_form(codex: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codex.write_text(
        'sandbox_mode = "workspace-write"\n'
        '[sandbox_workspace_write]\nwritable_roots = ["/out"]\nexclude_slash_tmp = true\n'
    )
    assert main(["codex", "--dry-run"]) is ExitCode.ALLOW
    assert short(capsys.readouterr().out) == "allow write ./*; allow write /out /out/*"


@pytest.mark.parametrize("text", ["", 'sandbox_mode = "read-only"', 'default_permissions = ":x"'])
def test_a_configuration_without_entries(
    codex: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    codex.write_text(text)
    assert main(["codex", "--dry-run"]) is ExitCode.ALLOW
    assert short(capsys.readouterr().out) == ""


def test_a_profile_that_is_not_there(codex: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codex.write_text('default_permissions = "p"')
    main(["codex", "--dry-run"])
    assert "there are no permissions called `p`" in capsys.readouterr().out

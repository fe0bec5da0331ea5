"""`execpolicy check`, as the user and as a program call it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.commands.options import MAX_BYTES
from tests.waiting import HANG_SECONDS

RULES = """
prefix_rule(["git", "push"], "prompt", justification = "talks to a remote")
prefix_rule(["git", "push", "--force"], "forbidden", justification = "rewrites what others have")
prefix_rule(["mytool"])
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "team.rules"
    path.write_text(RULES)
    return path


def check(*arguments: str) -> int:
    return run(dispatch, ["check", *arguments])


def process(*arguments: str | bytes, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The real program, as a process of its own."""
    command = [sys.executable, "-m", "execpolicy", *arguments]
    return subprocess.run(
        command, input=stdin, capture_output=True, timeout=HANG_SECONDS, check=False
    )


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        (["ls", "-la"], ExitCode.ALLOW, "allow: `ls -la` only reads"),
        (["mytool", "x"], ExitCode.ALLOW, "allow: `mytool x`: a rule for `mytool` says allow"),
        (["git", "push"], ExitCode.PROMPT, "prompt: `git push`: talks to a remote"),
        (["git", "push", "--force"], ExitCode.FORBIDDEN, "forbidden: `git push --force`: rewrites"),
        (["/opt/x/git", "push", "--force"], ExitCode.FORBIDDEN, "forbidden: "),
        (["./mytool"], ExitCode.PROMPT, "prompt: "),
        (["no-such-program"], ExitCode.PROMPT, "prompt: "),
        (
            ["rm", "a b", "", "it's", "$(id)"],
            ExitCode.PROMPT,
            "prompt: `rm 'a b' '' 'it'\\''s' '$(id)'` removes",
        ),
    ],
)
def test_the_decision_is_the_exit_code(
    argv: list[str], code: int, says: str, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("--rules", str(rules), "--", *argv) == code
    assert capsys.readouterr().out.startswith(says)


def test_a_script_given_as_a_word_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--", "git status") == ExitCode.PROMPT
    said = capsys.readouterr()
    assert said.out.startswith("prompt: `'git status'`: what `git status` does")
    assert "write `-c TEXT`" in said.err


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ls; ls && ls | wc -l", ExitCode.ALLOW),
        ("ls; mytool x", ExitCode.ALLOW),
        ("ls && git push", ExitCode.PROMPT),
        ("ls | wc -l; git push --force", ExitCode.FORBIDDEN),
        ("timeout 5 git push --force", ExitCode.FORBIDDEN),
        ("bash -c 'git push --force'", ExitCode.FORBIDDEN),
        ("ls > out", ExitCode.PROMPT),
        ("ls > /dev/null", ExitCode.ALLOW),
        ("eval ls", ExitCode.PROMPT),
        ("", ExitCode.ALLOW),
        ("ls \0", ExitCode.PROMPT),
    ],
)
def test_a_script_is_as_strict_as_its_strictest_command(text: str, code: int, rules: Path) -> None:
    assert check("--rules", str(rules), "-c", text) == code


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "no command: write `execpolicy check -- COMMAND…`, `-c TEXT` or `-`"),
        (["--"], "no command"),
        (["--bogus", "ls"], "unknown option `--bogus`"),
        (["--rule", "x", "ls"], "did you mean `--rules`?"),
        (["--format", "xml", "ls"], "unknown format `xml`: use text, json, codex or requirement"),
        (["--shell", "fish", "-c", "ls"], "unknown shell `fish`: use bash, sh or zsh"),
        (["--rules"], "option `--rules` needs a value"),
        (["-c", "ls", "ls"], "only one of them"),
        (["--jsonl", "ls"], "only one of them"),
        (["-c", "a", "-c", "b"], "option `-c` is given twice"),
    ],
)
def test_usage_errors_are_64(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(*arguments) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "says"),
    [([""], "the program name is empty"), (["ls", "a\0b"], r"`a\x00b` contains a NUL")],
)
def test_a_command_that_is_none_is_1(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("--", *argv) == ExitCode.ERROR
    assert says in capsys.readouterr().err


def test_a_word_that_is_not_utf8_is_shown_in_one_line_and_can_be_typed_again() -> None:
    done = process("check", "--", "touch", b"\xff\xfe")
    assert done.returncode == ExitCode.PROMPT
    assert done.stdout.splitlines() == [
        rb"prompt: `touch \udcff\udcfe` writes `\udcff\udcfe`",
        rb"  to allow it: execpolicy amend -- touch $'\xff\xfe'",
    ]


BAD_FILES = {
    "missing": (None, "cannot read the file: no such file or directory"),
    "binary": (b"\x7fELF\xff\x00", "byte 0xff is not UTF-8"),
    "with a BOM": (b"\xef\xbb\xbfprefix_rule(['a'])", "without a byte order mark"),
    "broken": (b"prefix_rule(", "`(` is never closed"),
}


@pytest.mark.parametrize(("data", "says"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_rules_file_named_and_not_usable_is_1(
    data: bytes | None, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.rules"
    if data is not None:
        path.write_bytes(data)
    assert check("--rules", str(path), "--", "ls") == ExitCode.ERROR
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"execpolicy: {path}")
    assert says in captured.err


def test_a_directory_is_no_rules_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--rules", str(tmp_path), "--", "ls") == ExitCode.ERROR
    assert "is a directory" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_1(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules.chmod(0)
    assert check("--rules", str(rules), "--", "ls") == ExitCode.ERROR
    assert "permission denied" in capsys.readouterr().err


@pytest.mark.parametrize("data", [b"", b"# nothing\n", b"prefix_rule(['mytool'])\r\n\r\n"])
def test_empty_files_and_other_line_ends_are_fine(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_bytes(data)
    assert check("--rules", str(path), "--", "ls") == ExitCode.ALLOW


def test_several_files_are_all_in_force(rules: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.rules"
    other.write_text('prefix_rule(["mytool"], "forbidden")')
    both = ["--rules", str(rules), f"--rules={other}"]
    assert check(*both, "--", "mytool") == ExitCode.FORBIDDEN
    assert check(*reversed([f"-r{p}" for p in (rules, other)]), "mytool") == ExitCode.FORBIDDEN


def test_without_builtin_nothing_is_known(rules: Path) -> None:
    bare = ["--no-builtin", "--rules", str(rules), "--"]
    assert check(*bare, "ls") == ExitCode.PROMPT
    assert check(*bare, "mytool") == ExitCode.ALLOW


def test_json_on_one_line(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("--rules", str(rules), "--format", "json", "--", "git", "push")
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    verdict = json.loads(out)
    assert verdict["decision"] == "prompt"
    (match,) = verdict["operations"][0]["matches"]
    assert match["source"] == "rule"
    assert match["matched_prefix"] == ["git", "push"]
    assert match["confined"] == verdict["operations"][0]["confined"] == verdict["confined"]
    assert match["justification"] == "talks to a remote"
    assert match["origin"] == {"layer": "user", "file": str(rules), "line": 2}


def test_a_closed_pipe_is_no_traceback(rules: Path) -> None:
    lines = b'{"command": "ls"}\n' * 3000
    shell = f"{sys.executable} -m execpolicy check --rules {rules} --jsonl | head -1"
    done = subprocess.run(
        ["sh", "-c", shell], input=lines, capture_output=True, timeout=HANG_SECONDS
    )
    assert json.loads(done.stdout)["decision"] == "allow"
    assert done.stderr == b""


def test_help_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--help") == ExitCode.ALLOW
    assert "execpolicy check -- git push --force" in capsys.readouterr().out


def test_control_characters_are_shown_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    check("--", "rm", "\x1b[2K\u202e\r")
    out = capsys.readouterr().out
    assert r"\x1b[2K\u202e\r" in out
    assert not set(out) & set("\x1b\u202e\r")


class TestStandardInput:
    """A script from stdin: `-c -`, or `-` alone."""

    @pytest.mark.parametrize("dash", [["-"], ["-c", "-"]])
    @pytest.mark.parametrize(
        ("script", "code"),
        [
            (b"ls | wc -l\n", ExitCode.ALLOW),
            (b"#!/bin/bash\nset -eu\nls\ngit push --force\n", ExitCode.FORBIDDEN),
            (b"cat <<'E'\nrm -rf /\nE\n", ExitCode.ALLOW),
            (b"if true; then", ExitCode.PROMPT),
            (b"", ExitCode.ALLOW),
            (b"-", ExitCode.PROMPT),
            (b"ls \0", ExitCode.PROMPT),
            (b"ls \xff\r\n", ExitCode.PROMPT),
        ],
    )
    def test_it_is_decided_as_a_script(
        self, dash: list[str], script: bytes, code: int, rules: Path
    ) -> None:
        done = process("check", "--rules", str(rules), *dash, stdin=script)
        assert done.returncode == code, done.stderr

    def test_all_options_hold(self, rules: Path) -> None:
        more = ["--format=json", "--shell", "zsh", "--host=claude", "--rules", str(rules)]
        done = process("check", *more, "-", stdin=b"mytool")
        wire = json.loads(done.stdout)
        assert (wire["decision"], wire["host"]["answer"]) == ("allow", "grant")

    def test_explain_reads_it_too(self, rules: Path) -> None:
        done = process("explain", "--rules", str(rules), "-", stdin=b"timeout 5 git push --force")
        assert done.returncode == ExitCode.FORBIDDEN
        assert b"rewrites what others have" in done.stdout

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (["--", "-"], ExitCode.PROMPT),
            (["--", "ls", "-"], ExitCode.ALLOW),
            (["-c", "ls -"], ExitCode.ALLOW),
            (["--format", "codex", "-"], ExitCode.ALLOW),
        ],
    )
    def test_other_dashes_are_words(self, arguments: list[str], code: int, rules: Path) -> None:
        done = process("check", "--rules", str(rules), *arguments, stdin=b"git push --force")
        assert done.returncode == code

    @pytest.mark.parametrize(
        "arguments", [["-", "ls"], ["-c", "-", "ls"], ["-c", "-", "-"], ["--jsonl", "-"]]
    )
    @pytest.mark.parametrize("name", ["check", "explain"])
    def test_it_is_all_there_is(self, name: str, arguments: list[str]) -> None:
        assert process(name, *arguments, stdin=b"ls").returncode == ExitCode.USAGE

    @pytest.mark.parametrize("name", ["check", "explain"])
    @pytest.mark.parametrize("dash", [["-"], ["-c", "-"]])
    def test_a_terminal_is_not_waited_for(self, name: str, dash: list[str]) -> None:
        outer, inner = os.openpty()
        command = [sys.executable, "-m", "execpolicy", name, *dash]
        done = subprocess.run(command, stdin=inner, capture_output=True, timeout=HANG_SECONDS)
        os.close(inner)
        os.close(outer)
        assert done.returncode == ExitCode.USAGE
        assert b"`-` reads a script from stdin: `execpolicy check - < script.sh`" in done.stderr

    def test_one_that_is_too_long_is_not_decided(self) -> None:
        done = process("check", "-", stdin=b"#" * (MAX_BYTES + 1))
        assert done.returncode == ExitCode.ERROR
        assert b"the script on stdin is longer than" in done.stderr

    def test_without_a_dash_nothing_is_read(self) -> None:
        done = process("check", stdin=b"ls")
        assert done.returncode == ExitCode.USAGE
        assert b"write `execpolicy check -- COMMAND" in done.stderr

"""The tutorial is a test: its files are written, its commands run, and they print what it says."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shown import is_what_was_printed
from tests.waiting import HANG_SECONDS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "tutorial.md").read_text()
BLOCK = re.compile(r"^```(starlark file=(?P<file>\S+)|console)\n(?P<text>.*?)^```$", re.M | re.S)


def steps(console: str) -> list[tuple[str, list[str], int]]:
    """Each command of a block, the lines that it prints, and its exit code."""
    found = []
    for part in re.split(r"^\$ ", console, flags=re.M)[1:]:
        command, *lines = part.splitlines()
        code = 0
        if lines and (exit_code := re.fullmatch(r"\[(\d+)\]", lines[-1])):
            code = int(exit_code[1])
            lines.pop()
        found.append((command, lines, code))
    return found


def run(command: str, directory: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(command)
    assert program == "execpolicy"
    return subprocess.run(
        [sys.executable, "-m", "execpolicy", *arguments],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )


def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    count = 0
    for block in BLOCK.finditer(TEXT):
        if block["file"]:
            (tmp_path / block["file"]).write_text(block["text"])
            continue
        for command, lines, code in steps(block["text"]):
            done = run(command, tmp_path)
            assert done.returncode == code, (command, done.stdout, done.stderr)
            printed = done.stdout.splitlines() + done.stderr.splitlines()
            assert is_what_was_printed(lines, printed), (command, printed)
            count += 1
    assert count == 9


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("terraform plan -lock=false", 0),
        ("terraform apply -auto-approve", 3),
        ("terraform apply -destroy", 3),
        ("terraform destroy -auto-approve", 2),
        ("TF_LOG=1 terraform destroy", 2),
        ("bash -c 'terraform destroy'", 2),
        ("/usr/local/bin/terraform destroy", 2),
        ("x=destroy; terraform $x", 2),
    ],
)
def test_the_rules_of_the_tutorial_hold(command: str, decision: int, tmp_path: Path) -> None:
    rules = next(b["text"] for b in BLOCK.finditer(TEXT) if b["file"] == "terraform.rules")
    (tmp_path / "terraform.rules").write_text(rules)
    line = f"execpolicy check --rules terraform.rules -c {shlex.quote(command)}"
    assert run(line, tmp_path).returncode == decision

"""Entries are not invented: installed programs know the long options that theirs name.

    pytest -m options_exist tests/catalogue/test_options_exist.py

An entry covers many versions and lookalikes, and a help can be short: at least half of the options
of an entry must be in the help of the program it is named after.
"""

import os
import shutil
import subprocess

import pytest

from execpolicy.catalogue.grammar.declaration import Declaration
from execpolicy.model.written.program import Program
from tests.catalogue.shipped import RULES, programs

_TOPICS = ("coreutils", "findutils", "wrappers", "text", "archives")
# Programs whose `--help` runs nothing like a help, or shows a selection only.
_SILENT = frozenset(("[", "test", "echo", "true", "false", "printf", "expr", "busybox", "toybox"))
_BRIEF = frozenset(("zcat", "xz", "xzcat", "lz4", "jq", "yq", "hexyl", "csvclean"))

INSTALLED = [
    pytest.param(name, program, id=name)
    for path in RULES
    if path.stem in _TOPICS
    for program in programs(path)
    for name in program.names[:1]
    if " " not in name and name not in _SILENT | _BRIEF and shutil.which(name)
]


def long_options(program: Program) -> set[str]:
    return {name for name in Declaration(program).options if name[:2] == "--" and len(name) > 3}


@pytest.mark.options_exist
@pytest.mark.parametrize(("name", "program"), INSTALLED)
def test_the_options_of_an_entry_exist(name: str, program: Program) -> None:
    done = subprocess.run(
        [name, "--help"],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=10,
        env={**os.environ, "LC_ALL": "C"},
    )
    shown = (done.stdout + done.stderr).decode(errors="replace").replace("[no-]", "")
    named = long_options(program)
    if shown.count("--") < 5:
        pytest.skip("its help lists no long options")
    missing = {n for n in named if n not in shown and n.replace("--no-", "--") not in shown}
    assert len(missing) * 2 <= len(named), sorted(missing)

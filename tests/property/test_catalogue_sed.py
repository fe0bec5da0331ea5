"""GNU sed itself finds no `e`, `r` or `w` in a script of which the catalogue says it only prints.

`sed --sandbox` refuses scripts with these commands when it parses them, so nothing is run.
"""

import shutil
import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from execpolicy.catalogue.scripts.sed import effects
from tests.examples import examples
from tests.waiting import HANG_SECONDS

SED = next((path for name in ("gsed", "sed") if (path := shutil.which(name))), "sed")


def _has_sandbox() -> bool:
    command = [SED, "--sandbox", "p"]
    done = subprocess.run(command, input=b"", capture_output=True, check=False)
    return done.returncode == 0


pytestmark = pytest.mark.skipif(not _has_sandbox(), reason="needs GNU sed")

_PIECES = (
    *("s/a/b/", "s/[/]/x/", "s|a|b|", "y/ab/cd/", "/a/", "1,", "2", "$", "!", "{", "}", ";", "\n"),
    *("p", "d", "w x", "r x", "e", "e id", "W x", "a x", "a\\\n", "i\\", ":a", "ba", "t", "#", "q"),
    *("g", "e", "w", "I", "\\", "[", "]", "/", "|", ",", "~", "+", " ", "n", "N", "x", "\\,a,"),
)
scripts = st.lists(st.sampled_from(_PIECES), max_size=8).map("".join)


@examples(300)
@given(scripts)
@example("s/[\\]/]/e;p")
@example("s/a/b/;e id")
@example("a x\\\n;e id\ne id")
@example(":a;e")
@example("ba;e")
@example("y/a\\/b/c/;e/")
@example("}e")
def test_a_script_that_prints_passes_the_sandbox_of_sed(script: str) -> None:
    if not effects(script):
        command = [SED, "--sandbox", "-n", script]
        done = subprocess.run(
            command, input=b"", capture_output=True, check=False, timeout=HANG_SECONDS
        )
        assert b"sandbox" not in done.stderr

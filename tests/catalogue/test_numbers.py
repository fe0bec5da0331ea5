"""sed scripts with computed numbers: of which it is sure that they only print."""

import itertools
import shutil
import subprocess

import pytest

from execpolicy.catalogue.scripts.numbers import only_prints
from execpolicy.catalogue.scripts.sed import effects
from execpolicy.model.operation import Hole, Template

PRINTS = ["\0p", "\0,\0p", "1,\0p", "\0,+5p", "\0q", "\0!d", "\0,$p", "\0p;\0p", "\0{p;q;}", "$="]
OTHERS = [
    "",
    "\0w f",
    "\0e",
    "\0r f",
    "s/a/\0/e",
    "\0,\0w f",
    "\0i x",
    "\0c x",
    "\0s/x/y/w f",
    "\0F",
]

"""Scripts, with a NUL for each number that is computed."""

NUMBERS = ["", "5", "12", "-5", " 7", "3\n4", "grep", "Binary file a matches"]


@pytest.mark.parametrize("script", PRINTS)
def test_only_prints(script: str) -> None:
    assert only_prints("sed", template(script))
    assert not only_prints("awk", template(script))


@pytest.mark.parametrize("script", OTHERS)
def test_may_do_more(script: str) -> None:
    assert not only_prints("sed", template(script))


def template(script: str) -> Template:
    """The script with holes in it."""
    first, *rest = script.split("\0")
    parts = [first, *(part for text in rest for part in (Hole.NUMBER, text))]
    return tuple(part for part in parts if part != "")


def filled(script: str) -> list[str]:
    """The script with every choice of numbers in its holes."""
    first, *rest = script.split("\0")
    return [
        first + "".join(number + part for number, part in zip(numbers, rest, strict=True))
        for numbers in itertools.product(NUMBERS, repeat=len(rest))
    ]


@pytest.mark.parametrize("script", PRINTS)
def test_whatever_the_numbers_are(script: str) -> None:
    for text in filled(script):
        strong = {each for each in effects(text) if getattr(each, "effect", "") != "unknown"}
        assert not strong, text


@pytest.mark.skipif(shutil.which("sed") is None, reason="needs sed")
def test_sed_writes_nothing(tmp_path: "pytest.TempPathFactory") -> None:
    for text in itertools.chain.from_iterable(map(filled, PRINTS[:4])):
        subprocess.run(
            ["sed", "-n", text], input="a\nb\n", text=True, cwd=str(tmp_path), capture_output=True
        )
    assert subprocess.run(["ls", "-A", str(tmp_path)], capture_output=True).stdout == b""

"""What is read of makefiles and scripts, against what GNU make and npm run of them."""

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy.engine.texts import makefile, package
from tests import confined
from tests.waiting import HANG_SECONDS

PIECES = [
    "{t}:",
    "{t}: {t}",
    "{t} {t}:",
    "{t}: {t} {t} # why",
    "{t} : ## {t}: why",
    "{t}:: {t}",
    "{t}: | {t}",
    "{t}: X = 1",
    "{t}: ; {c}",
    "{t}: missing",
    ".PHONY: {t}",
    ".PHONY: {t} {t}",
    ".ONESHELL:",
    ".DEFAULT:",
    ".SILENT:",
    ".POSIX:",
    ".DEFAULT_GOAL := {t}",
    "%:",
    "\t{c}",
    "\t{c}",
    "\t{c}",
    "\t@{c}",
    "\t- @{c}",
    "\t+{c}",
    "\t  {c}",
    "\t{c}; {c}",
    "\t{c} && \\",
    "\t{c} \\",
    "\t{c} \\\\",
    "\ttrue; # {c}",
    "\t# {c}",
    "\t$(X)",
    "\t${{Y}}",
    "\t$(X)$(Y)",
    "\t$X",
    "\t$$X; {c}",
    "\t'$$'; {c}",
    "\t$(info x){c}",
    "\t$(if $(X),{c},{c})",
    "\t$(shell {c})",
    "\t$(MAKE) {t}",
    "\t",
    "",
    "# {c}",
    "  # {c}",
    "# {c} \\",
    "X = {c}",
    "X := {c}",
    "Y ?= {c}",
    "Y += {c}",
    "X = $(Y)",
    "Y = a # {c}",
    "X != {c}",
    "export X = {c}",
    "export",
    "define X",
    "endef",
    "ifdef X",
    "ifndef X",
    "ifeq ($(X),)",
    "else",
    "endif",
    "include other.mk",
    "-include other.mk",
    "$(eval {t}: {t})",
    "{t}: \\",
    "  {t}",
    "SHELL = /bin/false",
    "MAKEFLAGS += -n",
    ".RECIPEPREFIX = >",
    ">{c}",
    "vpath %.c src",
    "VPATH = src",
    "undefine X",
    "override X = {c}",
    "unexport X",
]
"""Lines of makefiles: `{t}` is a target, `{c}` a command that leaves its number in a log."""

RULES = ["{0}:", "{0}: {1}", "{0} : {1} # why", "{0}: # {1}"]
RECIPES = [p for p in PIECES if p[:1] == "\t" and "{c}" in p and "$(" not in p and p[-1:] != "\\"]
VARIABLES = ["X = {c}", "Y := {c}", "X ?= {c}"]
COUNT = 600


def written(rng: random.Random) -> str:
    """A plain makefile, in most cases with some lines that are not."""
    lines = [".PHONY: a b c d"] if rng.random() < 0.7 else []
    lines += [each for each in VARIABLES if rng.random() < 0.3]
    for name in rng.sample("abcd", rng.randint(1, 4)):
        lines.append(rng.choice(RULES).format(name, rng.choice("abcd")))
        lines += rng.choices([*RECIPES, "\t$(X)", "\t@${{Y}}", "", "# {c}"], k=rng.randint(0, 3))
    for _ in range(rng.choice((0, 1, 1, 2))):
        lines.insert(rng.randint(0, len(lines)), rng.choice(PIECES))
    number = iter(range(1000))
    text = re.sub("{t}", lambda _: rng.choice("abcd"), "\n".join(lines) + "\n")
    text = re.sub("{c}", lambda _: f"echo _{next(number)}_ >> log", text)
    return text.replace("{{", "{").replace("}}", "}")


def numbers(text: str) -> set[str]:
    """The numbers of commands in a text."""
    return {*re.findall(r"_\d+_", text)}


def ran(directory: Path, words: list[str]) -> set[str]:
    """The numbers of the commands that ran."""
    log = directory / "log"
    log.unlink(missing_ok=True)
    prefix = confined.words(directory)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(directory)}
    subprocess.run(
        [*prefix, *words],
        cwd=directory,
        env=environment,
        capture_output=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    return numbers(log.read_text()) if log.exists() else set()


@pytest.mark.skipif(shutil.which("make") is None, reason="NOT TESTED: no make")
def test_make_runs_nothing_but_what_was_read(tmp_path: Path) -> None:
    rng = random.Random(7)  # noqa: S311
    known = alike = 0
    for _ in range(COUNT):
        text = written(rng)
        found = makefile.read(text, "Makefile")
        targets = rng.choice([(), ("a",), ("b",), ("c", "a")])
        lines = None if found is None else found.lines(targets)
        if lines is None:
            continue
        (tmp_path / "Makefile").write_text(text)
        done = ran(tmp_path, ["make", "-k", *targets])
        read = numbers("\n".join(lines))
        assert done <= read, text
        known, alike = known + 1, alike + (done == read)
    assert known > COUNT / 8
    assert alike > known / 2


@pytest.mark.skipif(shutil.which("make") is None, reason="NOT TESTED: no make")
def test_a_makefile_is_made_anew_by_implicit_rules(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("a:\n\techo _1_ >> log\n")
    (tmp_path / "Makefile.sh").write_text("a:\n\techo _2_ >> log\n")
    os.utime(tmp_path / "Makefile", (1, 1))
    assert ran(tmp_path, ["make", "a"]) == {"_2_"}


SCRIPTS = [
    ({"a": "echo _1_ >> log"}, "a"),
    ({"a": "echo _1_ >> log", "prea": "echo _2_ >> log", "posta": "echo _3_ >> log"}, "a"),
    ({"a": "echo _1_ >> log", "prepr": "echo _9_ >> log", "preprea": "echo _8_ >> log"}, "a"),
    ({"a": "echo _1_ >> log; false", "posta": "echo _3_ >> log"}, "a"),
    ({"prea": "echo _2_ >> log"}, "a"),
    ({"a": "npm run b && echo _1_ >> log", "b": "echo _2_ >> log"}, "a"),
]


@pytest.mark.skipif(shutil.which("npm") is None, reason="NOT TESTED: no npm")
@pytest.mark.parametrize(("scripts", "name"), SCRIPTS)
def test_npm_runs_nothing_but_what_was_read(
    tmp_path: Path, scripts: dict[str, str], name: str
) -> None:
    text = json.dumps({"name": "x", "scripts": scripts})
    (tmp_path / "package.json").write_text(text)
    found = package.scripts(text, name)
    read = numbers("\n".join(found or ()))
    nested = {"_2_"} if "npm run b" in text else set()
    assert ran(tmp_path, ["npm", "run", name, "--offline"]) <= read | nested

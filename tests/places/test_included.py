"""What a program shows of the files that its file includes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy import Decision, Engine

FILES = {
    "a.c": '#include <stdio.h>\n#include "b.h"\nint main;\n',
    "b.h": "int x;\n",
    "e.c": '#include "{key}"\n',
    "c.c": '#include "e.c"\n',
    "d.c": '#define P "{key}"\n#include P\n',
    "l.c": '#include "l.h"\n',
    "x.1": ".TH x\n.so {key}\n",
    "y.1": ".TH y\ntext\n",
    "g.cfg": "[include]\n\tpath = {key}\n[a]\n\tb = c\n",
    "h.cfg": "[a]\n\tb = c\n",
    "s.sh": "#!/bin/sh\n. {key}\n",
    "t.sh": "#!/bin/sh\n. ./s2.sh\n",
}
SHOWS = [
    "gcc -E e.c",
    "gcc -E c.c",
    "gcc -E d.c",
    "gcc -E l.c",
    "gcc -fsyntax-only e.c",
    "clang -E e.c",
    "cpp e.c",
    "man -l x.1",
    "nroff -man x.1",
    "groff -Tutf8 -man x.1",
    "git config -f g.cfg --includes --list",
    "git config --includes --file=g.cfg a.b",
    "shellcheck -x s.sh",
]
KEEPS = [
    "gcc -E a.c",
    "cpp a.c",
    "gcc -fsyntax-only a.c",
    "man -l y.1",
    "man ls",
    "nroff -man y.1",
    "git config -f h.cfg --list",
    "shellcheck s.sh",
    "shellcheck -x t.sh",
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("included")
    key = top / "keys/tls.key"
    key.parent.mkdir()
    key.write_text("[k]\n\tmark = of-the-key\n")
    (top / "p").mkdir()
    for name, text in FILES.items():
        (top / "p" / name).write_text(text.replace("{key}", str(key)))
    (top / "p/l.h").symlink_to(key)
    return top / "p"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.mark.parametrize("text", SHOWS)
def test_what_is_included_is_read(engine: Engine, project: Path, text: str) -> None:
    verdict = engine.check(text, cwd=str(project))
    assert verdict.decision is Decision.PROMPT
    assert "tls.key" in verdict.reason


@pytest.mark.parametrize("text", KEEPS)
def test_what_includes_none_is_free(engine: Engine, project: Path, text: str) -> None:
    assert engine.check(text, cwd=str(project)).decision is Decision.ALLOW


@pytest.mark.parametrize("text", ["gcc -E c.c", "cpp e.c", "git config -f g.cfg --includes --list"])
def test_the_programs_show_it(project: Path, text: str) -> None:
    if shutil.which(text.split()[0]) is None:
        pytest.skip("not installed")
    done = subprocess.run(["sh", "-c", text], cwd=project, capture_output=True)
    assert b"of-the-key" in done.stdout

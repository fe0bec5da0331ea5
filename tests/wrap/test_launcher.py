"""The launcher finds a program as execvp(3) does: it is linked with no library that has that."""

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from execpolicy.support.resources import compiled
from execpolicy.wrap.programs import has_static_shim
from execpolicy.wrap.start.calls import Calls
from execpolicy.wrap.start.launching import PATH, tried

NAMES = (
    *("script", "said", "closed", "broken", "directory", "here", "empty", "none", "", "true"),
    *("./here", "/bin/true", "x/script", "first/script", "first/closed", "first/directory"),
)
PATHS = (
    *(None, "", ":", "first", "first:second", "second:first:third", "first:", ":first"),
    *("none:third", "first/script:second", "first::/bin", f"/{'x' * 300}:/bin"),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directories with programs, and what is none."""
    made = tmp_path_factory.mktemp("launcher")
    files = {
        "first/script": "echo first $0 $*",
        "first/closed": "echo closed",
        "first/empty": "",
        "second/script": "#!/bin/sh\necho second $*",
        "second/said": "#!/bin/sh\necho said $*; exit 7",
        "second/broken": "#!/nonexistent/x\n",
        "third/closed": "#!/bin/sh\necho third",
        "here": "#!/bin/sh\necho here",
    }
    for name, text in files.items():
        path = made / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o644 if name == "first/closed" else 0o755)
    (made / "first/directory").mkdir()
    return made


def become(words: tuple[str, ...], environment: dict[str, str], cwd: Path) -> tuple[int, bytes]:
    """What the launcher does where it becomes a command."""
    program = os.open(compiled("shim"), os.O_RDONLY)
    listed, calls = (os.memfd_create("words"), os.memfd_create("calls"))
    paths = tried(words[0], environment.get("PATH", PATH))
    os.write(listed, b"".join(os.fsencode(word) + b"\0" for word in (*paths, *words)))
    os.write(calls, Calls().encoded())
    given = program, listed, calls
    done = subprocess.run(
        ["execpolicy", *map(str, given), str(len(paths))],
        executable=f"/proc/self/fd/{program}",
        env=environment,
        cwd=cwd,
        capture_output=True,
        pass_fds=given,
        check=False,
    )
    for each in given:
        os.close(each)
    return done.returncode, done.stdout


@pytest.mark.skipif(not has_static_shim(), reason="it was built without a compiler")
@pytest.mark.parametrize("path", PATHS)
def test_a_program_is_found_as_execvp_finds_it(path: str | None, place: Path) -> None:
    environment = {} if path is None else {"PATH": path}
    for name, more in itertools.product(NAMES, ((), ("one", "two words"))):
        words = (name, *more)
        env = ["/usr/bin/env", "-i", *(f"{n}={v}" for n, v in environment.items()), *words]
        known = subprocess.run(env, cwd=place, capture_output=True, check=False)
        if name:  # without a name it prints the variables
            assert become(words, environment, place) == (known.returncode, known.stdout), words
        else:
            assert become(words, environment, place) == (127, b""), words

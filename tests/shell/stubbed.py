"""What a script does in a real shell, where each program is a stub that writes down its call.

A script runs as `bash -c TEXT` in a copy of a small home with two repositories, confined as all
hostile texts are. PATH has the stubs, the shells, `env` and `xargs`.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from execpolicy.support.record import Value
from tests import confined
from tests.waiting import HANG_SECONDS

SECRET = "value-of-the-token"  # noqa: S105
"""What the variable `GITHUB_TOKEN` holds."""
STUBS = ("git", "cat", "head", "wc", "ls", "rm", "cp", "sort", "printenv", "rg", "A", "B", "C")
REAL = ("bash", "zsh", "dash", "env", "xargs")
_STUB = r"""#!/bin/sh
data=
case NAME,$#,$1 in
cat,0,*|head,0,*|wc,0,*|sort,0,*|head,1,-*|wc,1,-*)
    data=$(/bin/cat; echo x) ;;
cat,1,/dev/fd/*|cat,1,/proc/*|head,1,/dev/fd/*|head,1,/proc/*|cat,1,*/tmp/*)
    data=$(/bin/cat "$1" 2>/dev/null; echo x) ;;
esac
{
    printf '%s\0' "$#" NAME "$@" "$(pwd -P)" "$GITHUB_TOKEN,$GIT_DIR,$BASHOPTS" "$data"
    printf '\n\0'
} >&9
case NAME,$1 in
git,ls-files|git,diff|ls,-a) printf '%s\n' a.txt .env list ;;
ls,*) printf '%s\n' a.txt list ;;
rg,*) echo list ;;
esac
case NAME in git) echo 'warning: gc' >&2 ;; esac
printf '%s' "${data%x}"
"""
"""It writes down the number of its words, the words, and what it was given beside."""
_NUMBERED = re.compile(r"(~~/tmp/|/dev/fd/|/proc/self/fd/)\w+")
"""Names that a shell makes up for a pipe."""
_SHELLS = {"bash": "bash", "zsh": "zsh -f", "dash": "dash"}


class Call(Value):
    """A program that was called: its words, its directory, what it was given beside."""

    argv: tuple[str, ...]
    cwd: str
    given: tuple[str, ...] = ()


class Record(Value):
    """The calls of one script, and the lines that it printed, both sorted."""

    calls: tuple[Call, ...] = ()
    printed: tuple[str, ...] = ()

    @property
    def shows_secret(self) -> bool:
        """Whether what was printed holds the value of the secret variable."""
        return any(SECRET in line for line in self.printed)


def make_home(home: Path) -> Path:
    """A home with the repositories `proj` and `other`, whose configuration starts a program."""
    for name in ("proj", "other"):
        place = home / name
        for inside in ("sub", ".git/objects", ".git/refs"):
            (place / inside).mkdir(parents=True)
        (place / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (place / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n")
        for file in ("a.txt", "sub/c.txt"):
            (place / file).write_text("text\n")
    (home / "other/.git/config").write_text("[core]\n\tfsmonitor = ./x\n")
    (home / "proj/list").write_text("a.txt\n.env\n")
    (home / "proj/.env").write_text("K=1\n")
    (home / "tmp").mkdir()
    (home / ".netrc").write_text("machine x\n")
    return home / "proj"


def run(scripts: list[str], shell: str) -> list[Record]:
    """What each script does; nothing of one that does not end in time."""
    directory = Path(tempfile.mkdtemp(prefix="spell"))
    try:
        return _run(directory, scripts, shell)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _run(directory: Path, scripts: list[str], shell: str) -> list[Record]:
    stubs = directory / "bin"
    stubs.mkdir()
    for name in STUBS:
        (stubs / name).write_text(_STUB.replace("NAME", name))
        (stubs / name).chmod(0o755)
    for name in REAL:
        found = shutil.which(name)
        if found:
            (stubs / name).symlink_to(found)
    make_home(directory / "tree")
    lines = []
    for number, script in enumerate(scripts):
        where = directory / str(number)
        shutil.copytree(directory / "tree", where)
        lines += [
            f"cd {where}/proj; HOME={where} TMPDIR={where}/tmp TMPPREFIX={where}/tmp/"
            f" /usr/bin/timeout -k 1 4 {_SHELLS[shell]} -c {_quoted(_limits(shell) + script)} sh"
            f" </dev/null 2>/dev/null >{directory}/{number}.out 9>{directory}/{number}.log",
        ]
    driver = directory / "driver"
    driver.write_bytes(
        "\n".join(["ulimit -f 2000 -t 30", *lines, ""]).encode(errors="surrogateescape")
    )
    subprocess.run(
        [*confined.words(directory), "/bin/sh", str(driver)],
        cwd=directory,
        env={
            "PATH": str(stubs),
            "HOME": str(directory),
            "LC_ALL": "C.UTF-8",
            "GITHUB_TOKEN": SECRET,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        timeout=HANG_SECONDS + 5 * len(scripts),
        check=False,
    )
    return [_record(directory, number) for number in range(len(scripts))]


def _limits(shell: str) -> str:
    zsh = "FUNCNEST=20; TMPPREFIX=$TMPDIR/; setopt no_nomatch\n"
    return {"bash": "FUNCNEST=20\n", "zsh": zsh, "dash": ""}[shell]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _record(directory: Path, number: int) -> Record:
    log, out = directory / f"{number}.log", directory / f"{number}.out"
    if not log.exists() or not out.exists():
        return Record()
    home = str(directory / str(number))
    text = log.read_bytes().decode(errors="surrogateescape").replace(home, "~~")
    text = _NUMBERED.sub(r"\1", text)
    calls = []
    for entry in text.split("\0\n\0"):
        fields = entry.split("\0")
        if len(fields) > 4 and fields[0].isdigit():
            words = 2 + int(fields[0])
            calls.append(Call(tuple(fields[1:words]), fields[words], tuple(fields[words + 1 :])))
    printed = out.read_bytes().decode(errors="surrogateescape").replace(home, "~~")
    return Record(
        tuple(sorted(calls, key=repr)), tuple(sorted(line for line in printed.splitlines() if line))
    )

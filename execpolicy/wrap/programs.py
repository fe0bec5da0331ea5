"""The agent's own programs, and the shims in the place of all others."""

import marshal
import os
import shutil
import sys
from _collections_abc import Iterable, Mapping

from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.support.record import Value
from execpolicy.support.resources import compiled, package_directory

PRIVATE = "/run/execpolicy"
"""Where the agent's sandbox has the shim, its socket, and the agent's own programs."""
SHIM, BEGIN, SOCKET = f"{PRIVATE}/shim", f"{PRIVATE}/begin", f"{PRIVATE}/socket"
SHELL = f"{PRIVATE}/shell/bash"
"""The bash that has a terminal and starts the agent, which may not execute it."""
SYSTEM = ("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin", "/usr/local/sbin")
SCRIPT = f"""#!{PRIVATE}/python/bin/python3 -IS
import marshal, posix
exec(marshal.loads(posix.read(posix.open("{PRIVATE}/code", posix.O_CLOEXEC), {1 << 20})))
"""
"""The shim where there is no static one. To compile what it does takes longer than to do it."""
OPENER = "xdg-open"
"""What the agent starts to have an address opened; it has it where this machine has none, too."""
PRIVATE_DIRECTORIES = ("/run", "/var/tmp", "/dev/shm")  # noqa: S108
"""What the agent has for itself. It is on a disk, for nothing in it is to be executed."""
MAX_INTERPRETERS = 4
"""As many times a script may be the interpreter of another (execve(2))."""
MAX_LINE = 256
"""Bytes of the first line of a script that are read (BINPRM_BUF_SIZE)."""


class AgentProgram(Value):
    """How the agent is started. `words` begin with the path of a program as the agent's sandbox has
    it, `binds` are the programs that are put there, by their real paths; `own` are the directories
    with what the agent may execute itself, `seen` those that it has to see."""

    words: tuple[str, ...]
    binds: tuple[tuple[str, str], ...]
    own: tuple[str, ...]
    seen: tuple[str, ...]


class NoAgentError(ExecPolicyError):
    """The agent cannot be started; the message says why."""


def agent_program(words: "tuple[str, ...]", variables: "Mapping[str, str]") -> AgentProgram:
    """How an agent that is named by these words is started. Raises `NoAgentError`."""
    search = variables.get("PATH", os.defpath)
    found = shutil.which(words[0], path=search)
    if found is None:
        raise NoAgentError(f"`{printable(words[0], 80)}` is not found on PATH")
    line = [os.path.realpath(found)]
    for _ in range(MAX_INTERPRETERS):
        before = _interpreter(line[0], search)
        if not before:
            break
        line[:0] = before
    scripts = [word for word in line[1:] if word[:1] == "/"]
    private = f"{PRIVATE}/real/{os.path.basename(line[0])}"
    own = tuple(one for path in (line[0], *scripts) for one in _package(path))
    tops = (path.rpartition("/node_modules/") for path in (line[0], *scripts))
    libraries = [f"{top}/node_modules" for top, middle, _ in tops if middle]
    seen = tuple(dict.fromkeys((*libraries, *map(os.path.dirname, scripts))))
    return AgentProgram((private, *line[1:], *words[1:]), ((line[0], private),), own, seen)


def _interpreter(path: str, search: str) -> "list[str]":
    """The words before a script that its first line asks for, with the real path of the program."""
    with open(path, "rb") as file:
        head = file.read(MAX_LINE)
    if head[:2] != b"#!":
        return []
    words = os.fsdecode(head[2:].partition(b"\n")[0]).split()
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if word[:1] != "-"]
    found = shutil.which(words[0], path=search) if words else None
    if found is None:
        raise NoAgentError(f"what `{printable(path, 200)}` is run by is not found on PATH")
    return [os.path.realpath(found), *words[1:]]


def _package(path: str) -> "list[str]":
    """The directory of the package of npm that a program belongs to, with those of its parts for
    this machine, which are named alike."""
    top, middle, rest = path.rpartition("/node_modules/")
    if not middle:
        return []
    parts = rest.split("/")
    scope = parts[0] if parts[0][:1] == "@" else ""
    base = os.path.join(f"{top}{middle}".rstrip("/"), scope).rstrip("/")
    name = parts[1] if scope else parts[0]
    return [f"{base}/{one}" for one in sorted(os.listdir(base)) if one.startswith(name)]


def shim_program() -> str:
    """The path of the program shim: the static one, if the package was built with a compiler."""
    if has_static_shim():
        return compiled("shim")
    return os.path.join(package_directory(), "wrap", "shim.py")


def has_static_shim() -> bool:
    """Whether the package was built with a compiler, and EXECPOLICY_SHIM does not say `python`."""
    built = os.access(compiled("shim"), os.X_OK)
    return built and os.environ.get("EXECPOLICY_SHIM") != "python"


class ShimDirectories:
    """What lies in the session's directory for the agent: `run` becomes PRIVATE."""

    def __init__(self, directory: str) -> None:
        self.run = os.path.join(directory, "run")
        self._directory = directory
        self.mounts: list[tuple[str, str]] = []
        self.private: list[tuple[str, str]] = []
        self.executed = [SHIM, BEGIN, f"{PRIVATE}/real", f"{PRIVATE}/python"]
        os.makedirs(os.path.join(self.run, "real"))
        for number, target in enumerate(PRIVATE_DIRECTORIES):
            if os.path.isdir(target) and not os.path.islink(target):
                source = os.path.join(directory, f"private{number}")
                os.mkdir(source)
                self.private.append((source, target))

    def make(self, program: AgentProgram, search: str) -> None:
        """Make the shim, and a link to it for each program of these directories."""
        self.mounts.append((self.run, PRIVATE))
        shim = shim_program()
        if shim.endswith(".py"):
            self._python(shim)
        else:
            shutil.copyfile(shim, os.path.join(self.run, "shim"))
        os.chmod(os.path.join(self.run, "shim"), 0o755)  # noqa: S103 - a program
        os.link(os.path.join(self.run, "shim"), os.path.join(self.run, "begin"))
        if os.path.exists("/bin/bash"):
            self._place(os.path.realpath("/bin/bash"), SHELL)
        for real, private in program.binds:
            self._place(real, private)
        for number, one in enumerate(_directories(search.split(":"))):
            self._links(one, os.path.join(self._directory, f"bin{number}"))
        self.executed += [*program.own, *_loaders()]

    def _place(self, real: str, private: str) -> None:
        """Have a program of this machine at a private path."""
        at = os.path.join(self.run, os.path.relpath(private, PRIVATE))
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "w"):
            self.mounts.append((real, private))

    def _python(self, shim: str) -> None:
        """The shim as a script, with an interpreter that finds its library from another place."""
        base = os.path.realpath(sys.executable)
        with open(shim, encoding="utf-8") as file:
            code = compile(file.read(), SHIM, "exec")
        with open(os.path.join(self.run, "code"), "wb") as file:
            marshal.dump(code, file)
        with open(os.path.join(self.run, "shim"), "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        self._place(base, f"{PRIVATE}/python/bin/python3")
        with open(os.path.join(self.run, "python", "pyvenv.cfg"), "w", encoding="utf-8") as file:
            file.write(f"home = {os.path.dirname(base)}\n")

    def _links(self, directory: str, made: str) -> None:
        os.mkdir(made)
        more = {OPENER} if directory == SYSTEM[0] else set()
        first = os.path.join(self._directory, "link")
        if not os.path.lexists(first):
            os.symlink(SHIM, first)
        for name in {*os.listdir(directory), *more}:
            _again(first, os.path.join(made, name))
        self.mounts.append((made, directory))


def _again(link: str, at: str) -> None:
    """Have a link at another path, too: to find room on a disk for each of a thousand new ones
    takes longer than all else that a session begins with."""
    try:
        os.link(link, at, follow_symlinks=False)
    except OSError:  # it has as many names as it may have, or no link has more than one
        os.symlink(os.readlink(link), at)


def _directories(search: "Iterable[str]") -> "list[str]":
    """The real directories of programs: those of PATH, and the system's."""
    found = (os.path.realpath(one) for one in (*search, *SYSTEM) if one[:1] == "/")
    return [one for one in dict.fromkeys(found) if os.path.isdir(one) and one != "/"]


def _loaders() -> "list[str]":
    """What the kernel loads a program with that is not static (ld.so(8))."""
    places = ("/lib64", "/lib", "/usr/lib64", "/usr/lib", "/lib/x86_64-linux-gnu")
    found = []
    for place in places:
        try:
            found += [f"{place}/{name}" for name in os.listdir(place) if name[:3] == "ld-"]
        except OSError:
            continue
    return sorted({os.path.realpath(one) for one in found})

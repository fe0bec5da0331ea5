"""What Codex knows about commands without rules: some only read, some are dangerous.

The lists here, and `READS` of `hosts/permissions/codex.py`, are facts about Codex
(`shell-command/src/command_safety`), kept as they are: where they are wrong (`uniq in out` writes)
the compatible answer is wrong with them. Our own decisions rest on the catalogue alone.
"""

from collections.abc import Sequence

from execpolicy.approvals.codex.split import commands, script
from execpolicy.hosts.permissions.codex import READS
from execpolicy.model.operation import Exec, Opaque

_FIND_ACTS = frozenset(
    ["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf"]
)
_RG_RUNS = frozenset(("--pre", "--hostname-bin", "--search-zip", "-z"))
MAX_DEPTH = 8


def known_safe(argv: Sequence[str]) -> bool:
    """Whether Codex takes the command to read only.

    >>> known_safe(["bash", "-lc", "ls && pwd"]), known_safe(["find", ".", "-delete"])
    (True, False)
    """
    if not argv:
        return False
    text = script(argv)
    if text is not None:
        found = commands(text)
        return bool(found) and all(known_safe(command) for command in found)
    name = argv[0].rpartition("/")[2]
    return name in READS or _reads_by_flags(name, argv[1:])


def _reads_by_flags(name: str, rest: Sequence[str]) -> bool:
    if name == "base64":
        return not any(w.startswith("-o") or w.partition("=")[0] == "--output" for w in rest)
    if name == "find":
        return _FIND_ACTS.isdisjoint(rest)
    if name == "rg":
        return not any(w in _RG_RUNS or w.startswith(("--pre=", "--hostname-bin=")) for w in rest)
    return name == "sed" and len(rest) in (2, 3) and rest[0] == "-n" and _is_range(rest[1])


def _is_range(text: str) -> bool:
    """Whether it is `5p` or `2,5p`."""
    numbers = text.removesuffix("p").split(",")
    return text.endswith("p") and len(numbers) < 3 and all(_is_number(n) for n in numbers)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def dangerous(argv: Sequence[str], depth: int = 0) -> bool:
    """Whether Codex takes the command to be dangerous: `rm` by force, also after `sudo` or in a
    script.

    >>> dangerous(["sudo", "rm", "-rf", "x"]), dangerous(["bash", "-lc", "if a; then rm -f b; fi"])
    (True, True)
    """
    if not argv or depth > MAX_DEPTH:
        return False
    text = script(argv)
    if text is not None:
        return any(dangerous(command, depth + 1) for command in _literal_commands(text))
    name, rest = argv[0].rpartition("/")[2], argv[1:]
    if name == "sudo":
        return dangerous(rest, depth + 1)
    options = rest[: rest.index("--")] if "--" in rest else rest
    return name == "rm" and any(_forces(word) for word in options)


def _forces(word: str) -> bool:
    return word == "--force" or (word[:1] == "-" and word[1:2] != "-" and "f" in word)


def _literal_commands(text: str) -> list[list[str]]:
    """The commands of a script wherever they stand, each without its computed words; none where the
    script cannot be read."""
    from execpolicy.shell.reader import read

    operations = read(text, "bash").operations
    if any(isinstance(o, Opaque) and o.span == (0, len(text)) for o in operations):
        return []
    argvs = [o.argv for o in operations if isinstance(o, Exec)]
    literal = [argv for argv in argvs if argv and isinstance(argv[0], str)]
    return [[word for word in argv if isinstance(word, str)] for argv in literal]

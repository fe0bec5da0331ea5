"""A proof about paths agrees with the engine about every small path, touched in each way."""

import random
from itertools import product

import pytest

from execpolicy.model.operation import Access, Request
from execpolicy.prove.paths import MODES
from execpolicy.prove.side import HOME, ROOT, Side, command, script
from execpolicy.prove.witness import LOOSER, NO_LOOSER
from tests.examples import seeds
from tests.prove.oracle import NOT_VALID, Kind, Memory, agree, decided, loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CATALOGUE = """
program("c", "", "file*")
program("w", "", "out*")
program("r", "", "remove*")
"""
NAMES = ("a", "ab", "A", ".a", "x")
BASES = ("", HOME, ROOT, "/tmp", f"{HOME}/other", "/home/b", f"{HOME}/Documents")
SHORT = [tail for size in range(3) for tail in product(NAMES, repeat=size)]
LONG = [*SHORT, *product(NAMES, repeat=3)]
PATHS = [
    "/".join((base, *tail)) or "/"
    for base in BASES
    for tail in (LONG if base in (ROOT, "") else SHORT)
]
"""Each path of up to two names below each sort of directory, of three below the project."""

ANCHORS = ("/", "~/", "./", "**/", "", "/tmp/", "~/other/")
PARTS = ("a", "ab", "b", ".a", "A", "a*", "*b", "?", "?b", "*", "**", "a*b", "x")
DECISIONS = ("allow", "prompt", "forbidden")
OVERLAID = ("policy", "credentials", "control", "instructions")
NAMED = ("generated", "tools", "personal", "system")
PROGRAMS = ("c", "w", ">", "@tool")


def pattern(draw: random.Random) -> str:
    anchor = draw.choice(ANCHORS)
    size = 1 if anchor == "" else draw.choice((1, 1, 2, 3))
    parts = [draw.choice(PARTS) for _ in range(size)]
    return anchor + "/".join(parts)


def patterns(draw: random.Random) -> str:
    return str([pattern(draw) for _ in range(draw.choice((1, 1, 2)))])


def rule(draw: random.Random) -> str:
    """A rule of any kind that is about paths."""
    kind = draw.random()
    if kind < 0.6:
        decision = draw.choice(DECISIONS)
        modes = draw.sample(MODES, draw.choice((1, 2, 3)))
        programs = ""
        if decision == "allow" and draw.random() < 0.4:
            programs = f", programs = {draw.sample(PROGRAMS, draw.choice((1, 2)))}"
        return f'path_rule({patterns(draw)}, modes = {modes}, decision = "{decision}"{programs})'
    if kind < 0.9:
        place = draw.choice((*OVERLAID, *OVERLAID, *NAMED))
        unless = f", unless = {patterns(draw)}" if draw.random() < 0.4 else ""
        if unless and place in OVERLAID[1:] and draw.random() < 0.3:
            return f'place("{place}", []{unless})'
        return f'place("{place}", {patterns(draw)}{unless})'
    effect = draw.choice(("read", "write", "destroy"))
    stated = {p: draw.choice(DECISIONS) for p in draw.sample(("project", "temporary", *NAMED), 2)}
    return f"posture({effect} = {stated})".replace("'", '"')


def requests() -> "Iterator[Request]":
    """Each way to touch each path."""
    for path in PATHS:
        for program in ("c", "w", "r"):
            yield command((program, path))
        yield script(f"> {path}")
        for mode in MODES:
            yield Request(operations=(Access(path, mode),), cwd=ROOT, root=ROOT)


WRITES = 'posture(read = "allow", write = {"project": "allow", "temporary": "allow"})\n'


def load(rules: list[str], memory: Memory, head: str = WRITES) -> Side | None:
    return loaded(CATALOGUE + head + "\n".join(rules), memory)


KIND = Kind(rule, load, lambda side: decided(side, requests()))


def pair(draw: random.Random, memory: Memory) -> str:
    """The answer about one random change of a policy."""
    old = [rule(draw) for _ in range(draw.choice((0, 1, 2, 3)))]
    new = [each for each in old if draw.random() < 0.8]
    new += [rule(draw) for _ in range(draw.choice((0, 1, 1, 2)))]
    if draw.random() < 0.5:  # most that is added loosens: the way back is what does not
        old, new = new, old
    head = draw.choice(("", WRITES))
    sides = [load(each, memory, head) for each in (old, new)]
    if sides[0] is None or sides[1] is None:
        return NOT_VALID
    return agree((sides[0], sides[1]), KIND, (head, old, new))


@seeds(2, 4)
def test_small_paths(seed: int) -> None:
    pair(random.Random(seed), {})  # noqa: S311


HIDDEN = [
    # what is about each path is so below directories for which the other side has a rule
    (
        """path_rule(["**"], modes = ["write"], decision = "prompt")""",
        """path_rule(["./*"], modes = ["write"], decision = "forbidden")""",
    ),
    # a name of one character that is not the one of the other rule
    (
        """path_rule(["./a*b/?"], decision = "forbidden")""",
        """path_rule(["~/x/?b"], decision = "forbidden")""",
    ),
    # what is allowed at the top of a directory for temporary files alone
    ("""place("control", ["/*/a"])""", ""),
    # a name in any directory, beside a longer pattern of the same rule
    ("", """path_rule(["a*", "**/a*b/a*b"], modes = ["write"], decision = "allow")"""),
    # a name of one letter that both sides keep, where the rule is about longer ones, too
    (
        """place("credentials", ["**/?"])\npath_rule(["/tmp/*b/**"], decision = "prompt")""",
        """place("credentials", ["**/?"])""",
    ),
    (
        """place("credentials", ["/tmp/b", "/tmp/?/b"])
path_rule(["/tmp/**/b"], decision = "prompt")""",
        """place("credentials", ["/tmp/b", "/tmp/?/b"])""",
    ),
    # a short name that only the new side has a class for
    (
        """path_rule(["./*b"], modes = ["write"], decision = "prompt")""",
        """place("policy", ["?"])""",
    ),
    # what a class of the new side alone is not about, by its exception
    (
        """path_rule(["*b"], decision = "prompt")""",
        """place("credentials", ["*b"], unless = ["./.a/x/*"])""",
    ),
    (
        """place("credentials", ["*b"], unless = ["./.a/x/*"])
path_rule(["*b"], decision = "prompt")""",
        """place("credentials", ["*b"], unless = ["./.a/x/*"])""",
    ),
    # what is allowed in one class alone, which both sides keep
    (
        """posture(write = {"project": "prompt", "temporary": "prompt", "generated": "allow"})
place("generated", ["./ab/*"])\npath_rule(["*b"], modes = ["write"], decision = "prompt")""",
        """posture(write = {"project": "prompt", "temporary": "prompt", "generated": "allow"})
place("generated", ["./ab/*"])""",
    ),
    # what a program may remove, where tools may already
    (
        """path_rule(["**"], decision = "allow", programs = ["@tool"])""",
        """path_rule(["/tmp/a*b/ab"], modes = ["remove"], decision = "allow")""",
    ),
    # what is lost only where a file is there that git does not have
    (
        """posture(write = {"project": "allow"})""",
        """posture(write = {"project": "allow"})
path_rule(["./a*"], modes = ["remove"], decision = "allow")""",
    ),
    (  # what lies in the root asks about the root, and about no file beside it
        """place("policy", ["x"])
path_rule(["**"], modes = ["write", "remove"], decision = "prompt")""",
        """place("policy", ["x"])
path_rule(["**"], modes = ["write"], decision = "prompt")""",
    ),
    (  # another case of a name that is written, for which a glob does not stand
        """path_rule(["ab", "./.a/?"], modes = ["write"], decision = "forbidden")""",
        """path_rule(["a*"], modes = ["write"], decision = "forbidden")""",
    ),
    (  # what is taken out of a class, in one of two declarations that except the same names
        """place("credentials", ["*a"], unless = ["?b*"])
place("credentials", ["./x/*"], unless = ["a*"])""",
        """place("credentials", ["*a"], unless = ["?b*"])
place("credentials", ["./x/*"], unless = ["a*"])\nplace("credentials", [], unless = ["./x/*b"])""",
    ),
]


@pytest.mark.parametrize(("old", "new"), HIDDEN)
def test_what_other_patterns_hide(old: str, new: str) -> None:
    both = load([old], {}), load([new], {})
    assert both[0] is not None
    assert both[1] is not None
    assert agree((both[0], both[1]), KIND, (old, new)) == LOOSER


FAULTS = (92, 187, 312, 421)
"""Seeds that once showed a fault: a posture beside rules, a removed home, a name that is named."""


@pytest.mark.parametrize("seed", FAULTS)
def test_faults_found(seed: int) -> None:
    pair(random.Random(seed), {})  # noqa: S311


def test_what_is_not_there_is_removed_alike_outside() -> None:
    """What the policy says of the project does not decide whether something is lost elsewhere."""
    old = """posture(destroy = {"project": "prompt", "personal": "allow"})"""
    new = """posture(destroy = {"project": "forbidden", "personal": "allow"})"""
    both = load([old], {}), load([new], {})
    assert both[0] is not None
    assert both[1] is not None
    assert agree((both[0], both[1]), KIND, (old, new)) == NO_LOOSER

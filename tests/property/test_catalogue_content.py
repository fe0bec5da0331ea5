"""Whatever stands in the place of a file whose content is read is seen as read.

The commands are made from the shipped entries themselves: for every option and every operand of
such a kind one command that has a private key there.
"""

from collections.abc import Iterator

from execpolicy.catalogue import read
from execpolicy.catalogue.grammar.declaration import Declaration
from execpolicy.catalogue.grammar.kinds import fits, named
from execpolicy.catalogue.grammar.notation import ANY, OPTIONAL, SOME, UNTIL_END
from execpolicy.model.operation import Access
from execpolicy.model.program import Program
from tests.catalogue.shipped import RULES, everything, programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEY = "~/.ssh/id_rsa"
_CONTENT = "file tree visible resource location location-tree database member object"
CONTENT = frozenset(_CONTENT.split())
EVERY = [program for path in RULES for program in programs(path)]
WORDS = ("a", "5", "A=b", "https://example.com/a", "{}", "-", "ls")


def sample(kind: "Any") -> str:
    """Some word of the kind."""
    if type(kind) is not str and kind[0] == "{":
        _, exact, heads, tails, middles = kind
        each = [*sorted(exact), *(h + "a" for h in heads), *("a" + t for t in tails), *middles]
        return str(each[0])
    if type(kind) is not str:
        return next((word for word in WORDS if fits(kind, word)), sample(kind[1]))
    return next(word for word in WORDS if fits(kind, word))


def given(name: str, spec: "Any", values: list[str]) -> list[str]:
    """The words of an option with these values."""
    if name.endswith(("=", "*")):
        return [name.rstrip("*") + values[0]]
    if spec[1] == OPTIONAL:
        return [f"{name}={values[0]}" if name.startswith("--") else name + values[0]]
    return [name, *values]


def option_commands(
    program: Program, wanted: frozenset[str] = CONTENT, key: str = KEY
) -> Iterator[tuple[str, ...]]:
    declared = Declaration(program)
    for name, spec in declared.specs.items():
        if spec[1] == UNTIL_END or not wanted & named(spec[2]):
            continue
        count = 1 if spec[1] in (OPTIONAL, ANY, SOME) else spec[1]
        kinds = (spec[2] * count)[:count] if len(spec[2]) < count else spec[2]
        for at, kind in enumerate(kinds):
            if wanted & named((kind,)):
                values = [key if n == at else sample(k) for n, k in enumerate(kinds)]
                for form in declared.forms[-1:] or [None]:
                    rest = [] if form is None else [sample(k) for k, m, _ in form[3] if m == 0]
                    yield (*words(program), *given(name, spec, values), *rest)


def operand_commands(
    program: Program, wanted: frozenset[str] = CONTENT, key: str = KEY
) -> Iterator[tuple[str, ...]]:
    declared = Declaration(program)
    flags = {spec[0]: (name, spec) for name, spec in reversed(declared.specs.items())}
    for form in declared.forms:
        items = form[3]
        before: list[str] = []
        behind: list[str] = []
        for identity in sorted(form[0])[:1]:
            name, spec = flags[identity]
            values = [sample(kind) for kind in spec[2]]
            before = given(name, spec, values[:1] if spec[1] < 0 else values) if spec[1] else [name]
            if spec[1] in (ANY, SOME):
                before, behind = [], before
        for at, (kind, _, _) in enumerate(items):
            if wanted & named((kind,)):
                operands = [
                    key if n == at else sample(k)
                    for n, (k, mode, _) in enumerate(items)
                    if n == at or mode == 0
                ]
                yield (*words(program), *before, *operands, *behind)


def words(program: Program) -> list[str]:
    return program.names[0].replace("{version}", "3").split()


def shows(argv: tuple[str, ...]) -> bool:
    """Whether the key is among what is read, with its content."""
    causes = read(argv, everything()[0]).effects
    subjects = [c.subject for c in causes if isinstance(c.subject, Access)]
    return any(
        isinstance(s.path, str) and KEY in s.path and s.mode == "read" and s.extent != "names"
        for s in subjects
    )


def asks(argv: tuple[str, ...]) -> bool:
    """Whether it does more than read, so that it asks whatever its words name."""
    return any(cause.effect != "read" for cause in read(argv, everything()[0]).effects)


def test_every_option_with_a_file_reads_it() -> None:
    commands = [argv for program in EVERY for argv in option_commands(program)]
    assert [argv for argv in commands if not shows(argv) and not asks(argv)] == []
    assert sum(map(shows, commands)) > 0.95 * len(commands) > 1000


def with_pattern(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command with a word before the key, which is for another form the text to look for."""
    at = argv.index(KEY)
    return (*argv[:at], "a", *argv[at:])


def test_every_operand_with_a_file_reads_it() -> None:
    commands = [argv for program in EVERY for argv in operand_commands(program)]
    seen = [argv for argv in commands if shows(argv) or shows(with_pattern(argv))]
    assert [argv for argv in commands if argv not in seen and not asks(argv)] == []
    assert len(seen) > 0.95 * len(commands) > 1000

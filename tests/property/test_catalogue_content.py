"""Whatever stands in the place of a file whose content is read is seen as read.

The commands are made from the shipped entries themselves: for every option and every operand of
such a kind one command that has a private key there.
"""

from collections.abc import Iterator

from execpolicy.catalogue import read
from execpolicy.catalogue.grammar.declaration import Declaration
from execpolicy.catalogue.kinds.kind import Affixed, Kind, Literals, OneOf, all_names, fits
from execpolicy.catalogue.option import ANY, OPTIONAL, SOME, UNTIL_END, Option
from execpolicy.model.operation import Access
from execpolicy.model.written.program import Program
from tests.catalogue.shipped import RULES, everything, programs

KEY = "~/.ssh/id_rsa"
_CONTENT = "file tree visible resource location location-tree database member object"
CONTENT = frozenset(_CONTENT.split())
EVERY = [program for path in RULES for program in programs(path)]
WORDS = ("a", "5", "A=b", "https://example.com/a", "{}", "-", "ls")


def sample(kind: Kind) -> str:
    """Some word of the kind."""
    if isinstance(kind, Literals):
        heads, tails = (h + "a" for h in kind.heads), ("a" + t for t in kind.tails)
        return [*sorted(kind.exact), *heads, *tails, *kind.middles][0]
    if isinstance(kind, str):
        return next(word for word in WORDS if fits(kind, word))
    inner = kind.kinds[0] if isinstance(kind, OneOf) else kind.kind
    inner = kind.words if isinstance(kind, Affixed) else inner
    return next((word for word in WORDS if fits(kind, word)), sample(inner))


def given(name: str, option: Option, values: list[str]) -> list[str]:
    """The words of an option with these values."""
    if name.endswith(("=", "*")):
        return [name.rstrip("*") + values[0]]
    if option.count == OPTIONAL:
        return [f"{name}={values[0]}" if name.startswith("--") else name + values[0]]
    return [name, *values]


def option_commands(
    program: Program, wanted: frozenset[str] = CONTENT, key: str = KEY
) -> Iterator[tuple[str, ...]]:
    declared = Declaration(program)
    for name, option in declared.options.items():
        of = option.kinds
        if option.count == UNTIL_END or not wanted & all_names(of):
            continue
        count = 1 if option.count in (OPTIONAL, ANY, SOME) else option.count
        kinds = (of * count)[:count] if len(of) < count else of
        for at, kind in enumerate(kinds):
            if wanted & all_names((kind,)):
                marked = head(kind, wanted) + key
                values = [marked if n == at else sample(k) for n, k in enumerate(kinds)]
                for form in declared.forms[-1:] or [None]:
                    places = () if form is None else form.operands.places
                    rest = [sample(place.kind) for place in places if place.required]
                    yield (*words(program), *given(name, option, values), *rest)


def operand_commands(
    program: Program, wanted: frozenset[str] = CONTENT, key: str = KEY
) -> Iterator[tuple[str, ...]]:
    declared = Declaration(program)
    flags = {o.identity: (name, o) for name, o in reversed(declared.options.items())}
    for form in declared.forms:
        places = form.operands.places
        before: list[str] = []
        behind: list[str] = []
        for identity in sorted(form.needs)[:1]:
            name, option = flags[identity]
            count = option.count
            values = [sample(kind) for kind in option.kinds]
            before = given(name, option, values[:1] if count < 0 else values) if count else [name]
            if count in (ANY, SOME):
                before, behind = [], before
        for at, place in enumerate(places):
            if wanted & all_names((place.kind,)):
                operands = [
                    head(each.kind, wanted) + key if n == at else sample(each.kind)
                    for n, each in enumerate(places)
                    if n == at or each.required
                ]
                yield (*words(program), *before, *operands, *behind)


def head(kind: Kind, wanted: frozenset[str]) -> str:
    """What stands before the path in a word of this kind: `file://`."""
    parts = kind.kinds if isinstance(kind, OneOf) else (kind,)
    part = next(each for each in parts if wanted & all_names((each,)))
    heads = part.words.heads if isinstance(part, Affixed) else ()
    return heads[0] if heads else ""


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

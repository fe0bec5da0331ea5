"""Short words for the tables of the catalogue's tests."""

from execpolicy.catalogue import Catalogue, Cause, Reading, read
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.model.operation import Dynamic, Variable, Word
from execpolicy.model.rule import Origin
from execpolicy.model.written.program import Program

SHIPPED = Origin("system", "a.rules", 3)


def catalogue(*programs: Program) -> Catalogue:
    table, diagnostics = compile_programs(programs)
    assert [d.render() for d in diagnostics] == []
    return Catalogue(table)


def one(options: str = "", operands: str | None = None, **more: object) -> Catalogue:
    """A catalogue of the one program `p`."""
    fields = {"names": ("p",), "options": options, "operands": operands, **more}
    return catalogue(Program(**fields))  # type: ignore[arg-type]


def problems(*programs: Program) -> list[str]:
    return [d.message for d in compile_programs(programs)[1]]


def words(line: str) -> tuple[Word, ...]:
    """The words of a line. `$x` is dynamic, `"$x"` a single dynamic word, `a$x` has a prefix."""
    return tuple(map(_word, line.split()))


def _word(text: str) -> Word:
    bare = text.replace('"', "")
    if "$" not in bare:
        return bare
    return Dynamic(bare, bare.partition("$")[0], '"' in text)


def effects(reading: Reading) -> set[str]:
    return {cause.effect for cause in reading.effects} - {"read"}


def strongest(reading: Reading) -> str:
    """What an example of the reading stands under: its strongest effect, or what it shows."""
    effect = reading.strongest or "read"
    if effect == "read" and any(cause.secret for cause in reading.effects):
        return "secret"
    if effect == "read" and any(cause.subject == Variable() for cause in reading.effects):
        return "environment"
    return effect


def reads(entries: Catalogue, line: str) -> Reading:
    return read(words(line), entries)


def subjects(reading: Reading) -> list[Cause]:
    return [cause for cause in reading.effects if cause.subject is not None]


def without_settings(reading: Reading) -> Reading:
    """The reading where the project has none of the files that add something."""
    return reading.replace(effects=tuple(c for c in reading.effects if not (c.where or c.hooks)))

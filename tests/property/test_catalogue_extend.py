"""To extend a table is to compile all of its programs again, only quicker."""

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.grammar.compile import compile_programs, extend
from execpolicy.model.rule import Origin
from execpolicy.model.written.program import Program

PATHS = ("a", "a b", "a b c", "a d", "e", "e b", "f", "f{version}")
names = st.lists(st.sampled_from(PATHS), min_size=1, max_size=3, unique=True).map(tuple)


def programs(layer: str) -> st.SearchStrategy[list[Program]]:
    return st.lists(
        st.builds(
            Program,
            names,
            st.sampled_from(("", "-a", "-o=out", "-z=nonsense")),
            st.sampled_from((None, "", "file*")),
            effect=st.sampled_from(("read", "write")),
            help=st.sampled_from(("", "", "-h")),
            origin=st.integers(1, 9).map(lambda line: Origin(layer, "x.rules", line)),
        ),
        max_size=4,
    )


def said(catalogue: Catalogue) -> dict[str, object]:
    """All that the catalogue says of each path."""
    entries = ((path, catalogue.entry(path)) for path in catalogue.paths())
    return {path: entry for path, entry in entries if entry}


def firsts(program: Program) -> set[str]:
    return {name.split()[0] for name in program.names}


def sound(programs: list[Program]) -> list[Program]:
    """Those that stand beside each other without a problem, as all that ship do."""
    kept: list[Program] = []
    for program in programs:
        if not compile_programs([*kept, program])[1]:
            kept.append(program)
    return kept


@given(programs("system").map(sound), programs("user"))
def test_extending_is_compiling_anew(lower: list[Program], upper: list[Program]) -> None:
    table, _ = compile_programs(lower)
    touched = {name for program in upper for name in firsts(program)}
    again = [program for program in lower if touched & firsts(program)]
    extended, _ = extend(table, [*again, *upper], touched)
    whole, _ = compile_programs([*lower, *upper])
    assert said(Catalogue(extended)) == said(Catalogue(whole))
    assert Catalogue(extended).programs() == Catalogue(whole).programs()

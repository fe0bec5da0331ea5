"""Entries of the catalogue mean the same in their canonical form."""

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.catalogue.grammar.declaration import Declaration
from execpolicy.language.compile import compile_text
from execpolicy.language.evaluate.worker import ahead
from execpolicy.language.format.format import format_text
from execpolicy.model.rule import Origin
from tests.examples import examples

SPECS = (
    *("-a", "-b/--both", "-c=file", "--list={x|y z|*.q}", "-o/--output={-}|out!write", "--[no-]d"),
    *("--long-name-of-an-option-that-fills-its-line={first|second|third|fourth|fifth}!destroy",),
)
OPERANDS = ("text", "file*", "{a b|c|d*}!write|text?", "<code", "{show|list} text*")
GAPS = st.sampled_from((" ", "  ", "\n", "\n    ", " \n"))


@st.composite
def notations(draw: st.DrawFn, words: tuple[str, ...], variables: tuple[str, ...]) -> str:
    """A sum of literals and variables, with any blanks between the words."""
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        if variables and draw(st.sampled_from((True, False))):
            parts.append(draw(st.sampled_from(variables)))
        else:
            chosen = draw(st.lists(st.sampled_from(words), max_size=8))
            text = "".join(draw(GAPS) + _broken(draw, word) for word in chosen) + draw(GAPS)
            quotes = draw(st.sampled_from(('"""', "'''")))
            parts.append(quotes + text + quotes)
    return " + ".join(parts)


def _broken(draw: st.DrawFn, word: str) -> str:
    """The word, its list perhaps over several lines."""
    return word.replace("|y z", "|\n  y z") if draw(st.booleans()) else word


@st.composite
def files(draw: st.DrawFn) -> str:
    first = draw(notations(SPECS, ()))
    second = draw(notations(SPECS, ("FIRST",)))
    used = draw(st.sampled_from(("", "print_ = [FIRST]\n", "print_ = SECOND.split()\n")))
    entry = draw(notations(SPECS, ("FIRST", "SECOND")))
    operands = draw(st.sampled_from(OPERANDS))
    needs = draw(st.sampled_from(("-a", "--both\n-c", "--list={x|\n y z}&-c={q}")))
    return (
        f"FIRST = {first}\nSECOND = ({second})\n{used}"
        f"program(['p'], {entry}, '{operands}',\n"
        f"  forms = [form('read', needs = '''{needs}''', without = {second})],\n"
        f"  why = 'it {'w ' * 80}')"
    )


def compiled(text: str) -> object:
    """All that the entries of a text compile to, but the line that they stand in."""
    made = []
    for program in compile_text(text).programs:
        declaration = Declaration(program.replace(origin=Origin("", "", 0)))
        problems = [d.message for d in declaration.diagnostics]
        made.append((program.names, program.why, declaration.entry(frozenset(), ""), problems))
    return made


@given(files())
@examples(30)
def test_the_form_of_an_entry_is_not_its_meaning(text: str) -> None:
    formatted = format_text(text)
    with ahead():
        assert compiled(formatted) == compiled(text)
    assert format_text(formatted) == formatted

"""What the grammar accepts starlark accepts, and the other way round."""

import starlark
from hypothesis import given

from execpolicy.language.evaluate.child import dialect
from execpolicy.language.syntax.lower import lower
from execpolicy.language.syntax.syntax import parse
from execpolicy.language.syntax.tree import Module
from execpolicy.model.errors import PolicyError
from tests.examples import examples
from tests.strategies_language import damaged, programs


def starlark_takes(text: str) -> bool:
    try:
        starlark.parse("rules", text, dialect())
    except starlark.StarlarkError:
        return False
    return True


def read(text: str) -> Module | None:
    try:
        return parse(text)
    except PolicyError:
        return None


@given(programs())
@examples(200)
def test_what_the_grammar_makes_is_accepted_by_both(text: str) -> None:
    assert starlark_takes(lower(parse(text)))


@given(programs())
@examples(100)
def test_lowering_keeps_every_line(text: str) -> None:
    lowered = lower(parse(text))
    assert lowered.count("\n") == text.count("\n")
    assert lower(parse(lowered.replace("bytes(", "str("))) == lowered.replace("bytes(", "str(")


@given(damaged())
@examples(300)
def test_a_damaged_program_is_accepted_by_both_or_by_neither(text: str) -> None:
    module = read(text)
    if module is not None:
        assert starlark_takes(lower(module))
    elif not any(start in text for start in ('f"', "f'", 'fr"', "fr'")):
        # Codex and starlark-pyo3 differ about what an f-string may hold.
        assert not starlark_takes(text)


@given(damaged())
@examples(100)
def test_every_problem_has_a_place_inside_the_text(text: str) -> None:
    try:
        parse(text, "f")
    except PolicyError as error:
        found = error.diagnostics
    else:
        return
    lines = text.split("\n")
    assert found
    for problem in found:
        span = problem.span
        assert 1 <= span.line <= len(lines)
        assert 1 <= span.column < span.end_column
        assert span.column <= len(lines[span.line - 1]) + 1
        assert problem.source == lines[span.line - 1]

"""For files of literal calls the tree and the evaluator see the same calls."""

import starlark
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.language.evaluate.child import dialect
from execpolicy.language.syntax import strings
from execpolicy.language.syntax.calls import calls
from tests.examples import examples
from tests.strategies_language import Call, literal_calls, written_call


def made(text: str) -> list[tuple[tuple[object, ...], dict[str, object]]]:
    """The calls of `f` that starlark makes."""
    found: list[tuple[tuple[object, ...], dict[str, object]]] = []
    module = starlark.Module()
    module.add_callable("f", lambda *args, **kwargs: found.append((args, kwargs)))
    ast = starlark.parse("rules", text, dialect())
    starlark.eval(module, ast, starlark.Globals.standard())
    return found


def plain(value: object) -> object:
    """Starlark hands tuples over as tuples inside and lists outside: compare them as lists."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


@given(literal_calls())
@examples(150)
def test_both_see_the_same_calls_with_the_same_values(given_calls: list[Call]) -> None:
    text = "\n".join(written_call("f", call) for call in given_calls) + "\n"
    seen = []
    for call in calls(text):
        assert all(argument.literal for argument in call.arguments)
        positional = [a.value for a in call.arguments if a.name is None]
        seen.append((positional, {a.name: a.value for a in call.arguments if a.name}))
    assert seen == [(list(positional), named) for positional, named in given_calls]
    assert plain(seen) == plain(made(text))


_QUOTES = ('"', "'", '"""', "'''")
_PARTS = ("\\", "n", "x41", "u0041", "101", "q", "'", "\n", "\r\n", "é", "8", "{", "#", " ", "\\\\")


@given(st.lists(st.sampled_from(_PARTS), max_size=6), st.sampled_from(_QUOTES), st.booleans())
@examples(300)
def test_both_read_the_same_string(parts: list[str], quote: str, raw: bool) -> None:
    literal = "r" * raw + quote + "".join(parts) + quote
    try:
        ((value,),) = [args for args, _ in made(f"f({literal})")]
    except (starlark.StarlarkError, ValueError):
        return
    (call,) = calls(f"f({literal})")
    assert call.arguments[0].value == value
    assert call.arguments[0].strings[0].value == strings.value(literal) == value

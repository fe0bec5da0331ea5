"""Of which kind a computed word can come to be."""

import pytest

from execpolicy.catalogue.grammar.notation import kind
from execpolicy.catalogue.kinds.kind import may_fit, must_fit
from execpolicy.catalogue.reading.read import read
from execpolicy.model.operation import Dynamic, Hole, Template
from tests.catalogue import shipped

PLAIN = Dynamic('"$(x)"', single=True, not_option=True)
NUMBER = Dynamic('"$((x))"', single=True, template=(Hole.NUMBER,))
TIME = Dynamic('"$(x)"', single=True, not_option=True, template=(Hole.TIME,))
ROWS = [
    (PLAIN, "{-*}", False),
    (PLAIN, "{-*|x}", True),
    (PLAIN, "{-}", False),
    (PLAIN, "{*-x}", True),
    (PLAIN, "{|-x}", True),  # the command may print nothing
    (PLAIN, "{-*}!execute|{--x}!write", False),
    (NUMBER, "{-*}", True),
    (NUMBER, "{-5}", True),
    (NUMBER, "{--x}", False),
    (NUMBER, "{--}", True),
    (NUMBER, "{+x}", False),
    (NUMBER, "{http*|file://*}", False),
    (NUMBER, "{*=http://*}", False),
    (NUMBER, "{*x*}", True),
    (NUMBER, "{grep}", True),  # of a binary file
    (TIME, "{-*}", False),
    (TIME, "{http*}", False),
    (TIME, "{20*}", True),
    (TIME, "{*T00:00}", True),
    (TIME, "{*=*}", False),
    (Dynamic('"$(x)http"', single=True, template=(Hole.NUMBER, "http")), "{http*}", True),
    (Dynamic('"$(x):"', single=True, template=(Hole.NUMBER, ":")), "{*://*}", True),
    (Dynamic('"$(x)=$(y)"', single=True, template=(Hole.TIME, "=", Hole.TIME)), "{*=*}", True),
    (Dynamic('"$x"', single=True), "{-*}", True),
]


@pytest.mark.parametrize(("word", "of", "expected"), ROWS)
def test_what_a_computed_word_can_be(word: Dynamic, of: str, expected: bool) -> None:
    assert may_fit(kind(of), word) == expected


@pytest.mark.parametrize(
    ("of", "expected"), [("{a*}", True), ("{a*}|number", True), ("{b*}|number", False)]
)
def test_what_a_computed_word_must_be(of: str, expected: bool) -> None:
    assert must_fit(kind(of), Dynamic("a$x", "a", single=True)) == expected


@pytest.mark.parametrize(
    ("template", "effects"),
    [((Hole.NUMBER,), ["read"]), ((Hole.NUMBER, "-o"), ["read", "write"])],
)
def test_a_number_may_be_missing(template: Template, effects: list[str]) -> None:
    word = Dynamic('"$(wc -l <nofile)-o"', single=True, template=template)
    found = {c.effect for c in read(("sort", word, "a"), shipped.everything()[0]).effects}
    assert set(effects) <= found
    assert ("write" in found) == ("write" in effects)


PATTERN = Dynamic("dist/*.tgz", "dist/")
PATTERNS = [
    (("tar", "tzf", PATTERN), True),
    (("tar", "-tzf", PATTERN), True),
    (("tar", "-tf", PATTERN, "a"), False),  # it may be no word: `a` is the value then
    (("tar", "-tf", Dynamic("*.tgz", "")), False),
    (("tar", "-tf", Dynamic("h*/a", "h")), False),  # `host:/a`
    (("tar", "-tf", Dynamic("-*", "-")), False),
    (("tar", "-tf", PATTERN, "--to-command=x"), False),
    (("sort", "-o", PATTERN), False),
]


@pytest.mark.parametrize(("argv", "reads"), PATTERNS)
def test_a_pattern_as_the_last_value(argv: tuple[str | Dynamic, ...], reads: bool) -> None:
    found = {cause.effect for cause in read(argv, shipped.everything()[0]).effects}
    assert (found == {"read"}) == reads

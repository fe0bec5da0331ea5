"""The lemma that scripts need no proof: a script's verdict is the strictest of its parts' verdicts.

So a policy that is looser about a script is looser about one of its parts alone.
"""

import random

import pytest

from execpolicy.prove.side import decisions, script
from tests.prove.oracle import decided
from tests.prove.test_layers import load, rule

PARTS = (
    *("a p x", "a q https://h.example/", "a p -f /tmp/d/x", "/x/a p x", "a -C /tmp/d p x", "a z"),
    *("c a", "w /tmp/d/a", "r ~/Documents/ab", "u https://b.x/", "c .a > a/x", "w a 2> /etc/x"),
    *("< ~/other/a", 'c "$x"', "$x a", "A=b a q x", "unknown a"),
)
FORMS = (
    *("{} && {}", "{}; {}", "{} || {}", "{}\n{}", "{} &\n{}", "( {} ); {{ {}; }}"),
    *("if {}; then {}; fi", "while {}; do {}; done", "f() {{ {}; }}; f; {}", "! {} && {}"),
)


@pytest.mark.parametrize("seed", range(12))
def test_the_strictest_of_its_parts(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    side = None
    while side is None:
        side = load([rule(draw) for _ in range(4)], {})
    alone = {part: decided(side, [script(part)]) for part in PARTS}
    for form in FORMS:
        parts = draw.sample(PARTS, 2)
        text = form.format(*parts)
        found = side.judge(script(text))
        assert [*decisions(found)] == [*map(max, *(alone[p] for p in parts))], (text, found.reason)
        said = [max((each.decision, each.confined)) for each in found.judged]
        assert found.floor or found.decision == max(said)

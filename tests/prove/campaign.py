"""Many random pairs of policies: `python -m tests.prove.campaign PAIRS SEED`.

Prints how many answers of each kind there were; a disagreement ends it with the pair.
"""

import random
import sys
from collections import Counter

from execpolicy.model.decision import Decision
from execpolicy.model.rule import HostExecutable, Pattern, PrefixRule
from tests.lint.policies import HEADS, ORIGIN, TOKENS
from tests.prove.test_words import agree

LISTED = {"a": HostExecutable("a", ("/x/a", "/y/a"), ORIGIN)}


def rule(draw: random.Random) -> PrefixRule:
    """One rule with all that words can say."""

    def tokens() -> tuple[str, ...]:
        return tuple(draw.sample(TOKENS, draw.choice((1, 1, 2, 3))))

    pattern: Pattern = (
        tuple(draw.sample(HEADS, draw.choice((1, 1, 2)))),
        *(tokens() for _ in range(draw.choice((0, 1, 1, 2)))),
    )
    unless = tuple(
        ((*(pattern if draw.random() < 0.7 else pattern[:1]), tokens()))[:4]
        for _ in range(draw.choice((0, 0, 1, 2)))
    )
    return PrefixRule(
        pattern,
        draw.choice(tuple(Decision)),
        None,
        ORIGIN,
        canonical=draw.random() < 0.3,
        unless=unless,
        exact=draw.random() < 0.3,
    )


def policy(draw: random.Random) -> list[PrefixRule]:
    return [rule(draw) for _ in range(draw.choice((1, 2, 3, 4, 6)))]


def main() -> None:
    pairs, seed = int(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(seed)  # noqa: S311
    answers: Counter[str] = Counter()
    for _ in range(pairs):
        old = policy(draw)
        kept = [each for each in old if draw.random() < 0.7]
        new = (
            [*kept, *policy(draw)[: draw.choice((0, 1, 2))]]
            if draw.random() < 0.7
            else policy(draw)
        )
        listed = [LISTED if draw.random() < 0.3 else {} for _ in range(2)]
        rest = [draw.choice(tuple(Decision)) for _ in range(2)]
        if draw.random() < 0.6:
            rest[1] = rest[0]
        answers[agree((old, listed[0], rest[0]), (new, listed[1], rest[1]))] += 1
    print(dict(answers))


if __name__ == "__main__":
    main()

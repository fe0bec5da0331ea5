"""Policies over a closed alphabet, and all commands that can tell two of them apart.

A letter has two spellings (`p`, `P`); `zz` stands for all words that no rule names. Patterns have
up to three words and exceptions four, so commands of four words are enough.
"""

from itertools import product

from hypothesis import strategies as st

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic, Word
from execpolicy.model.rule import HostExecutable, Origin, Pattern, PrefixRule

ORIGIN = Origin("user", "test.rules", 1)
HEADS = ("a", "A", "/x/a", "9")
TOKENS = ("p", "P", "-1")
DYNAMIC = (
    Dynamic("$@"),
    Dynamic("$x", single=True),
    Dynamic("p$x", "p", single=True),
    Dynamic("P$x", "P", single=True),
)
WRITTEN = (*HEADS, "/y/a", "/x/A", "/X/a", "/X/A", "z")

Command = tuple[Word, ...]


def _commands(words: tuple[Word, ...]) -> list[Command]:
    tails = (tail for length in range(4) for tail in product(words, repeat=length))
    return [(head, *tail) for tail in tails for head in WRITTEN]


LITERAL = _commands((*TOKENS, "zz"))
COMMANDS = _commands((*TOKENS, "zz", *DYNAMIC))

heads = st.lists(st.sampled_from(HEADS), min_size=1, max_size=2, unique=True).map(tuple)
alternatives = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3, unique=True).map(tuple)
tails = st.lists(alternatives, max_size=2).map(tuple)
some_tails = st.lists(alternatives, min_size=1, max_size=2).map(tuple)
rare = st.sampled_from((False, False, True))


@st.composite
def rules(draw: st.DrawFn) -> PrefixRule:
    """A rule. Its exceptions begin like it, inside its pattern or after it."""
    pattern: Pattern = (draw(heads), *draw(tails))
    exceptions = draw(st.lists(st.tuples(some_tails, st.booleans()), max_size=2))
    return PrefixRule(
        pattern,
        draw(st.sampled_from(tuple(Decision))),
        None,
        ORIGIN,
        canonical=draw(rare),
        unless=tuple((*(pattern if behind else pattern[:1]), *t)[:4] for t, behind in exceptions),
        exact=draw(rare),
    )


policies = st.lists(rules(), min_size=1, max_size=5)
hosts = st.sampled_from(({}, {"a": HostExecutable("a", ("/x/a", "/y/a"), ORIGIN)}))


def without(policy: list[PrefixRule], gone: list[PrefixRule]) -> list[PrefixRule]:
    """The policy without these very rules."""
    left_out = {id(rule) for rule in gone}
    return [rule for rule in policy if id(rule) not in left_out]

"""Generators of rules and commands over an alphabet small enough that they often meet."""

from hypothesis import strategies as st

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic, Word
from execpolicy.model.rule import HostExecutable, Origin, Pattern, PrefixRule

ORIGIN = Origin("user", "test.rules", 1)
TOKENS = ("git", "GIT", "push", "Push", "-f", "", "é", "e\u0301", "/usr/bin/git", "./git")

tokens = st.sampled_from(TOKENS)
alternatives = st.lists(tokens, min_size=1, max_size=3).map(tuple)
patterns: st.SearchStrategy[Pattern] = st.lists(alternatives, min_size=1, max_size=4).map(tuple)
decisions = st.sampled_from(list(Decision))


@st.composite
def prefix_rules(draw: st.DrawFn) -> PrefixRule:
    """A rule; its exceptions begin like it, as compiling demands."""
    pattern = draw(patterns)
    tails = draw(st.lists(patterns, max_size=2))
    return PrefixRule(
        pattern,
        draw(decisions),
        None,
        ORIGIN,
        canonical=draw(st.booleans()),
        unless=tuple(pattern + tail for tail in tails),
        exact=draw(st.booleans()),
    )


policies = st.lists(prefix_rules(), max_size=8)
hosts = st.lists(st.sampled_from(["/usr/bin/git", "/opt/git"]), max_size=2).map(
    lambda paths: HostExecutable("git", tuple(paths), ORIGIN)
)
argvs = st.lists(tokens, min_size=1, max_size=5).map(tuple)
dynamics = st.builds(
    Dynamic,
    st.just("$x"),
    st.sampled_from(["", "p", "P", "-", "-F", "g", "e\u0301"]),
    st.booleans(),
)
words: st.SearchStrategy[Word] = tokens | dynamics
dynamic_argvs: st.SearchStrategy[tuple[Word, ...]] = st.builds(
    lambda head, tail: (head, *tail), tokens, st.lists(words, max_size=4)
)

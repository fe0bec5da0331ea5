"""The index of path rules leaves out no pattern that applies to a path."""

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.engine.paths.targets import Places, _fits, _forms, _holds, matching_paths
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Dynamic, Word
from execpolicy.model.rule import Origin, PathRule
from execpolicy.policy.path_index import PathIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Mode

MODES = ("read", "write", "remove")
parts = st.sampled_from(("a", "b", "A", "ab", ".c", "~", "b.c"))
bodies = st.lists(parts, min_size=1, max_size=3).map("/".join)
patterns = st.builds(
    lambda head, body, tail: head + body + tail,
    st.sampled_from(("", "/", "~/", "**/")),
    bodies,
    st.sampled_from(("", "/*", "*", "/")),
) | st.sampled_from(("/", "~", "/*", "~/*", "**/*", "*"))
paths = st.builds(lambda head, body: head + body, st.sampled_from(("", "/", "~/")), bodies)
paths |= st.sampled_from(("/", "~", ".", "..", "../a"))
rules = st.lists(
    st.builds(
        PathRule,
        st.lists(patterns, min_size=1, max_size=3).map(tuple),
        st.lists(st.sampled_from(MODES), min_size=1, max_size=3, unique=True).map(tuple),
        st.sampled_from((Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)),
        st.none(),
        st.integers(1, 9).map(lambda line: Origin("user", "a.rules", line)),
    ),
    max_size=5,
)


def applies(rule: PathRule, path: str, mode: str) -> bool:
    if rule.decision:
        low = path.lower()
        return any(_fits(p.lower(), low) or _holds(p.lower(), low, mode) for p in rule.paths)
    return any(_fits(p, path) for p in rule.paths)


@given(rules, paths, st.sampled_from(MODES))
def test_the_index_is_only_quicker(every: list[PathRule], path: str, mode: "Mode") -> None:
    expected = [rule for rule in every if mode in rule.modes and applies(rule, path, mode)]
    assert matching_paths(PathIndex(every), Access(path, mode), Places()) == expected


places = st.builds(
    Places,
    st.sampled_from((None, "/a", "/a/b")),
    st.lists(paths, max_size=2).map(tuple),
)


computed = st.builds(
    lambda body, tail: Dynamic(body + tail, body),
    paths,
    st.sampled_from(("/*", "*", "/$x", '"$x"', "/?.c", "/{b,c}/.c", "", "/'b'")),
) | st.builds(lambda head, body: Dynamic(head + body), st.sampled_from(("$HOME/", "$x/")), bodies)


@given(rules, paths | computed, places, st.sampled_from(MODES))
def test_no_form_of_a_path_is_passed_over(
    every: list[PathRule], path: Word, where: Places, mode: "Mode"
) -> None:
    forms = list(_forms(path, where))
    certain = isinstance(path, str) and len(where.directories) <= 1
    expected = [
        rule
        for rule in every
        if mode in rule.modes
        and (certain or rule.decision)
        and any(applies(rule, form, mode) for form in forms)
    ]
    assert matching_paths(PathIndex(every), Access(path, mode), where) == expected

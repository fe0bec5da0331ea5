"""What the import allows, the original allowed: by a model of each host, over generated lists."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.hosts.convert.convert import Converted, Native, convert
from execpolicy.hosts.convert.words import fits
from execpolicy.model.decision import Decision
from execpolicy.model.rule import Origin, PrefixRule
from execpolicy.policy.policy import Policy
from tests.examples import examples

WORDS = st.sampled_from(["git", "gits", "push", "pu", "npm", "run", "test", "-f", "x"])
COMMANDS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
PARTS = st.sampled_from(
    ["git", "push", "npm", "run", "test", "-f", "*", " ", " ", " *", "gi", "$x", "'x'", ":"]
)
PATTERNS = (
    COMMANDS
    | COMMANDS.map(lambda c: f"{c} *")
    | COMMANDS.map(lambda c: f"{c}*")
    | st.lists(PARTS, min_size=1, max_size=6).map("".join)
)
DECISIONS = st.sampled_from(list(Decision))
WEIGHTS = st.integers(0, 3)


@st.composite
def natives(draw: st.DrawFn, weighted: bool) -> list[Native]:
    rows = draw(st.lists(st.tuples(PATTERNS, DECISIONS, WEIGHTS, st.booleans()), max_size=6))
    found = []
    for number, (pattern, decision, weight, special) in enumerate(rows):
        # Without weights the strictest decides; with them no two are equal, as in a list.
        heavy = weight * 10 + number if weighted else 0
        found.append(Native(pattern, decision, f"#{number}", heavy, special and weighted))
    return found


def ours(converted: Converted, command: str) -> Decision:
    """What the converted rules say, by the policy itself; PROMPT where none applies."""
    origin = Origin("user", "x", 1)
    rules = [
        PrefixRule(tuple((w,) for w in r.words), r.decision, None, origin, exact=r.exact)
        for r in converted.rules
    ]
    found = Policy(rules).matching(tuple(command.split()))
    return max((r.decision for r in found), default=Decision.PROMPT)


AGENTS = ("agent `a`", "agent `b`")
FEW = [" ".join(c) for n in (1, 2, 3) for c in product(("git", "push"), repeat=n)]
FEW_PATTERNS = ["*", "git *", "push *", "git push", "git*"]
ENTRIES = st.lists(
    st.tuples(st.sampled_from(FEW_PATTERNS), DECISIONS, st.integers(0, 9).map(lambda n: n == 0)),
    max_size=4,
)


@st.composite
def with_agents(draw: st.DrawFn) -> list[Native]:
    """A list, and the entries of two agents, each heavier than all before it."""
    allowed = draw(st.lists(st.sampled_from(FEW_PATTERNS[1:4]), min_size=1, max_size=3))
    rows = [(draw(ENTRIES) if draw(st.booleans()) else [], "")]
    rows += [([(p, Decision.ALLOW, False) for p in allowed], "")]
    rows += [(draw(ENTRIES), only) for only in AGENTS]
    found: list[Native] = []
    for entries, only in rows:
        for pattern, decision, special in entries:
            place = len(found)
            found.append(Native(pattern, decision, f"#{place}", place, special, only))
    return found


def said_to(lists: list[Native], only: str, command: str, chosen: int) -> Decision:
    """What the list says to an agent; to nobody's own entries with an empty name."""
    fitting = [
        n
        for number, n in enumerate(lists)
        if n.only in ("", only)
        and fits(n.pattern, command)
        # An entry that depends on more than the command fits or does not: both must be safe.
        and not (n.special and chosen >> number & 1)
    ]
    heaviest = max(fitting, key=lambda n: n.weight, default=None)
    return heaviest.decision if heaviest else Decision.PROMPT


def nothing_banned(_prefix: tuple[str, ...]) -> None:
    return None


@given(natives(weighted=False), COMMANDS)
def test_where_the_strictest_decides_nothing_is_wider(lists: list[Native], command: str) -> None:
    said = [n.decision for n in lists if fits(n.pattern, command)]
    original = max(said, default=Decision.PROMPT)
    if ours(convert(lists, nothing_banned), command) is Decision.ALLOW:
        assert original is Decision.ALLOW


@given(natives(weighted=True), COMMANDS, st.integers(0, 63))
def test_where_the_heaviest_decides_nothing_is_wider(
    lists: list[Native], command: str, chosen: int
) -> None:
    if ours(convert(lists, nothing_banned), command) is Decision.ALLOW:
        assert said_to(lists, "", command, chosen) is Decision.ALLOW


@examples(300)
@given(with_agents(), st.integers(0, 1 << 15))
def test_no_agent_may_do_more_than_its_own_list_lets_it(lists: list[Native], chosen: int) -> None:
    converted = convert(lists, nothing_banned)
    for command in FEW:
        if ours(converted, command) is Decision.ALLOW:
            for only in ("", *AGENTS):
                assert said_to(lists, only, command, chosen) is Decision.ALLOW


@given(with_agents())
def test_an_agents_own_entries_make_no_rule_and_are_all_noted(lists: list[Native]) -> None:
    converted = convert(lists, nothing_banned)
    common = convert([n for n in lists if not n.only], nothing_banned)
    assert set(converted.rules) <= set(common.rules)
    assert {n for n in lists if n.only} <= {note.native for note in converted.notes}


@given(natives(weighted=False), COMMANDS)
def test_a_refusal_is_never_lost(lists: list[Native], command: str) -> None:
    if any(n.decision is Decision.FORBIDDEN and fits(n.pattern, command) for n in lists):
        assert ours(convert(lists, nothing_banned), command) is not Decision.ALLOW


@given(natives(weighted=True))
def test_every_entry_is_carried_or_noted(lists: list[Native]) -> None:
    converted = convert(lists, nothing_banned)
    said = {(r.words, r.decision, r.exact) for r in converted.rules}
    noted = {n.native for n in converted.notes}
    for native in lists:
        alone = convert([native], nothing_banned)
        known = {(r.words, r.decision, r.exact) for r in alone.rules}
        assert native in noted or known <= said


@given(natives(weighted=True))
def test_banned_prefixes_are_never_allowed(lists: list[Native]) -> None:
    converted = convert(lists, lambda prefix: "it is git" if prefix[0] == "git" else None)
    assert not [r for r in converted.rules if r.words[0] == "git" and r.decision is Decision.ALLOW]

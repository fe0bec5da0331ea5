"""Which rules are without effect beside which others, and what that is called."""

import pytest

from execpolicy.language.compile import compile_text
from execpolicy.lint.run import lint
from execpolicy.model.rule import HostExecutable, PrefixRule, fold
from execpolicy.prove.inclusion.overlap import Setting, overlaps
from execpolicy.prove.inclusion.spellings import spellings
from execpolicy.store import loader
from execpolicy.store.compiled import inputs

CATALOGUE = loader.load(()).catalogue

CASES = [
    # Stricter rules make a rule dead; one about the very same commands contradicts it.
    (
        'prefix_rule(["git", "push"], "prompt"); prefix_rule(["git"], "forbidden")',
        ["dead git push"],
    ),
    (
        'prefix_rule(["git", "push"], "prompt"); prefix_rule(["git", "push"], "forbidden")',
        ["contradiction git push"],
    ),
    (
        'prefix_rule(["git", ["push", "pull"]]); prefix_rule(["git", "push"], "prompt");'
        'prefix_rule(["git", "pull"], "prompt")',
        ["dead git push|pull"],
    ),
    # Rules that say the same; of two equal ones the later.
    ('[prefix_rule(["git", "push"], "prompt") for _ in [1, 2]]', ["redundant git push"]),
    (
        'prefix_rule(["git", "push"], "prompt"); prefix_rule(["git", ["push", "pull"]], "prompt")',
        ["redundant git push"],
    ),
    (
        'prefix_rule(["a", "b"], "prompt"); prefix_rule(["a", "b"], "prompt", exact = True)',
        ["redundant a b"],
    ),
    # A rule that tightens sees a path as a name; one that allows only where the path is listed.
    ('prefix_rule(["/bin/a"], "prompt"); prefix_rule(["a"], "prompt")', ["redundant /bin/a"]),
    ('prefix_rule(["/bin/a"]); prefix_rule(["a"])', []),
    (
        'host_executable("a", ["/bin/a"]); prefix_rule(["/bin/a"]); prefix_rule(["a"])',
        ["redundant /bin/a"],
    ),
    # A caseless rule is covered if all its spellings are: `p` has two, `k` three.
    (
        'prefix_rule(["a", "p"], canonical_matching = True);'
        'prefix_rule([["a", "A"], ["p", "P"]], "prompt")',
        ["dead a p"],
    ),
    (
        'prefix_rule(["9", "p"], canonical_matching = True);'
        'prefix_rule(["9", "p"], "prompt"); prefix_rule(["9", "P"], "prompt")',
        ["dead 9 p"],
    ),
    (
        'prefix_rule(["9", "k"], canonical_matching = True);'
        'prefix_rule(["9", ["k", "K"]], "prompt")',
        [],
    ),
    (
        'prefix_rule(["9", "k"], canonical_matching = True);'
        'prefix_rule(["9", ["k", "K", "\\u212a"]], "prompt")',
        ["contradiction 9 k"],
    ),
    # Exceptions of rules that allow.
    ('prefix_rule(["a", "b"]); prefix_rule(["a"], unless = [["a", "c"]])', ["redundant a b"]),
    ('prefix_rule(["a", "b"]); prefix_rule(["a"], unless = [["a", "b", "c"]])', []),
    (
        'prefix_rule(["a", "b"]); prefix_rule(["a"], unless = [["a", "b", "c"]]);'
        'prefix_rule(["a", "b", "c"], "prompt")',
        ["redundant a b"],
    ),
    (
        'prefix_rule(["a"], unless = [["a", "b"]]); prefix_rule(["a"], unless = [["a", "c"]]);'
        'prefix_rule(["a"])',
        ["redundant a", "redundant a"],
    ),
    # An exception of a rule that allows counts without the options in front of a subcommand.
    ('prefix_rule(["git", "-C"]); prefix_rule(["git"], unless = [["git", "push"]])', []),
    (
        'prefix_rule(["git", "--no-pager", "log"]); prefix_rule(["git"], unless=[["git", "push"]])',
        ["redundant git --no-pager log"],
    ),
    (
        'prefix_rule(["git", "--no-pager", "push"]);'
        'prefix_rule(["git"], unless = [["git", "push"]])',
        [],
    ),
    # A rule that tightens sees a command without these options.
    (
        'prefix_rule(["git", "-C", "x", "push"], "prompt"); prefix_rule(["git", "push"], "prompt")',
        ["redundant git -C x push"],
    ),
    # An open tail does not cover an option that runs something, nor the command inside another.
    ('prefix_rule(["rg"]); prefix_rule(["rg", "-i"])', ["redundant rg -i"]),
    ('prefix_rule(["rg"]); prefix_rule(["rg", "--pre"])', []),
    (
        'prefix_rule(["rg", "--pre"]); prefix_rule(["rg", "--pre", "cat"])',
        ["redundant rg --pre cat"],
    ),
    (
        'prefix_rule(["rg", "--pre"]); prefix_rule(["rg", "--pre", "a", "--pre", "b"])',
        ["redundant rg --pre a --pre b"],
    ),
    ('prefix_rule(["timeout"]); prefix_rule(["timeout", "5"])', ["redundant timeout 5"]),
    ('prefix_rule(["timeout", "5"]); prefix_rule(["timeout", "5", "make"])', []),
    (
        'prefix_rule(["timeout", "5", "make"]); prefix_rule(["timeout", "5", "make", "x"])',
        ["redundant timeout 5 make x"],
    ),
    # An exception that takes everything.
    ('prefix_rule(["git", "push"], "prompt", unless = [["git"]])', ["never git push"]),
    ('prefix_rule(["a"], unless = [["a", "b"]])', []),
]


def shown(rule: PrefixRule) -> str:
    return " ".join("|".join(tokens) for tokens in rule.pattern)


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_a_rule_without_effect_is_found(text: str, expected: list[str]) -> None:
    every = compile_text(text).rules
    rules = [rule for rule in every if isinstance(rule, PrefixRule)]
    listed = {rule.name: rule.paths for rule in every if isinstance(rule, HostExecutable)}
    found = overlaps(rules, (), Setting(CATALOGUE, listed))
    assert [f"{o.kind} {shown(o.rule)}" for o in found] == expected


def test_a_rule_below_counts_and_is_not_judged() -> None:
    (low,) = compile_text('prefix_rule(["a"], "prompt")').rules
    (high,) = compile_text('prefix_rule(["a"], "prompt")').rules
    assert isinstance(low, PrefixRule)
    assert isinstance(high, PrefixRule)
    assert [o.rule is high for o in overlaps([high], [low])] == [True]


def test_a_shipped_file_is_not_compared_with_itself() -> None:
    found = lint([file for file in inputs.builtin_files() if file.path.endswith("protect.rules")])
    assert [f.diagnostic.message for f in found if f.code == "redundant"] == []


def test_where_the_posture_forbids_an_allow_rule_is_not_dead_beside_a_prompt() -> None:
    made = compile_text('prefix_rule(["rg"]); prefix_rule(["rg"], "prompt")').rules
    rules = [rule for rule in made if isinstance(rule, PrefixRule)]
    # `rg --pre sh` is forbidden because of the allow rule: the posture applies to its tail.
    assert overlaps(rules, (), Setting(CATALOGUE, forbidding=True)) == []
    assert [o.kind for o in overlaps(rules, (), Setting(CATALOGUE))] == ["contradiction"]


def test_a_long_pattern_is_no_reason_to_give_up() -> None:
    words = tuple((str(n),) for n in range(3_000))
    rule = compile_text('prefix_rule(["0"], "prompt")').rules[0].replace(pattern=words)
    assert isinstance(rule, PrefixRule)
    assert [o.kind for o in overlaps([rule, rule.replace()])] == ["redundant"]


@pytest.mark.parametrize("text", ["ab", "k", "ss", "9-", "e\u0301", ";", "\u1100\u1161"])
def test_spellings_are_those_that_fold_to_it(text: str) -> None:
    found = list(spellings(fold(text)))
    assert len(set(found)) == len(found)
    assert {fold(one) for one in found} == {fold(text)}
    known = {"k": {"k", "K", "\u212a"}, ";": {";", "\u037e"}, "9-": {"9-"}}
    assert known.get(text, set()) <= set(found)

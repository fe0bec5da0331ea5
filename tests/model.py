"""The meaning of a decision, without indexes, caches or input: what the engine must agree with.

Strictest wins; a rule that tightens sees every spelling of a command, a rule that loosens only the
words that will run; where no rule applies, effects and posture decide.
"""

from collections.abc import Mapping, Sequence

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic, Word
from execpolicy.model.rule import HostExecutable, Pattern, PrefixRule, fold


def same(token: str, word: Word, caseless: bool) -> bool:
    """Whether a word is a token of a pattern. A word that is not known yet never is."""
    if isinstance(word, Dynamic):
        return False
    return fold(token) == fold(word) if caseless else token == word


def starts_with(token: str, prefix: str, caseless: bool) -> bool:
    """Whether a word that is known to begin with `prefix` can be the token."""
    return fold(token).startswith(fold(prefix)) if caseless else token.startswith(prefix)


def begins(pattern: Pattern, argv: Sequence[Word], caseless: bool) -> bool:
    """Whether each position of the pattern holds the word of the command there."""
    return len(pattern) <= len(argv) and all(
        any(same(token, word, caseless) for token in tokens)
        for tokens, word in zip(pattern, argv, strict=False)
    )


def matches(rule: PrefixRule, argv: Sequence[Word]) -> bool:
    """Whether a rule applies to exactly these words."""
    if not begins(rule.pattern, argv, rule.canonical):
        return False
    if rule.exact and len(argv) > len(rule.pattern):
        return False
    return not any(begins(pattern, argv, rule.canonical) for pattern in rule.unless)


def could_match(rule: PrefixRule, argv: Sequence[Word]) -> bool:
    """Whether some value of the dynamic words would make a silent rule speak."""
    for tokens, word in zip(rule.pattern, argv, strict=False):
        if isinstance(word, Dynamic):
            starts = any(starts_with(t, word.prefix, rule.canonical) for t in tokens)
            if not word.single or not starts:
                return not word.single
        elif not any(same(token, word, rule.canonical) for token in tokens):
            return False
    beyond = argv[len(rule.pattern) :]
    vanishing = all(isinstance(w, Dynamic) and not w.single for w in beyond)
    excepted = any(begins(u, argv, rule.canonical) for u in rule.unless)
    fills = len(argv) >= len(rule.pattern) and (vanishing or not rule.exact)
    return fills and not excepted and not matches(rule, argv)


def spellings(argv: Sequence[Word]) -> list[tuple[Word, ...]]:
    """The words as written, and with a path in front of the program taken away."""
    first = argv[0]
    bare = first.rpartition("/")[2] if isinstance(first, str) else first
    return [tuple(argv), (bare, *argv[1:])]


def strict(argv: Sequence[Word], hosts: Mapping[str, HostExecutable]) -> list[tuple[Word, ...]]:
    """The spellings that an allow rule may see: the words, or a name whose path is listed."""
    first = argv[0]
    name = first.rpartition("/")[2] if isinstance(first, str) else ""
    if isinstance(first, str) and first[:1] == "/" and name in hosts and first in hosts[name].paths:
        return [tuple(argv), (name, *argv[1:])]
    return [tuple(argv)]


def decide(
    rules: Sequence[PrefixRule], hosts: Mapping[str, HostExecutable], argv: Sequence[Word]
) -> Decision | None:
    """The strictest of all rules that apply to a command; None where none does."""
    said = [r.decision for r in rules if r.decision and any(matches(r, s) for s in spellings(argv))]
    said += [
        r.decision
        for r in rules
        if not r.decision
        and any(matches(r, s) for s in strict(argv, hosts))
        and not any(begins(u, s, r.canonical) for u in r.unless for s in spellings(argv))
    ]
    if any(r.decision and could_match(r, s) for r in rules for s in spellings(argv)):
        said.append(Decision.PROMPT)
    return max(said, default=None)

"""The exception of a new policy that takes an example out of what decided it before."""

from execpolicy.model.operation import Access, Exec
from execpolicy.model.rule import Origin, PlaceRule, PrefixRule, is_prefix
from execpolicy.model.verdict import Verdict
from execpolicy.prove.side import HOME, ROOT, Side
from execpolicy.support.path_match import PathPattern


def left_out(
    decided: PrefixRule | None, at: Origin | None, sides: tuple[Side, Side], before: Verdict
) -> Origin | None:
    """Where the exception stands, if there is one: that of a rule which decides as the one that
    `decided` before, or of a declaration about the class that the line `at` declared."""
    operations = [judged.operation for judged in before.judged]
    if decided is None:
        paths = [str(each.path) for each in operations if isinstance(each, Access)]
        places = {rule.place for rule in sides[0].declared() if rule.origin == at}
        told = {(rule.paths, rule.unless) for rule in sides[0].declared()}
        for place in sides[1].declared():
            is_new = place.place in places and (place.paths, place.unless) not in told
            if is_new and any(_excepts(place, path) for path in paths):
                return place.origin
        return None
    commands = [each.argv for each in operations if isinstance(each, Exec)]
    known = {(rule.pattern, rule.unless) for rule in sides[0].policy.rules}
    for rule in sides[1].policy.rules:
        is_new = rule.decision == decided.decision and (rule.pattern, rule.unless) not in known
        if is_new and any(_is_excepted(rule, argv) for argv in commands):
            return rule.origin
    return None


def _is_excepted(rule: PrefixRule, argv: tuple[object, ...]) -> bool:
    """Whether a rule would be about these words, if it had no exceptions."""
    words = tuple(word for word in argv if isinstance(word, str))
    return is_prefix(rule.pattern, words) and any(is_prefix(each, words) for each in rule.unless)


def _excepts(rule: PlaceRule, path: str) -> bool:
    return any(PathPattern(each).matches(path, HOME, ROOT) for each in rule.unless)

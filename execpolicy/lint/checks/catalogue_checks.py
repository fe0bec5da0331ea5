"""Checks against the catalogue: what the named program would take, and what it would run."""

from collections.abc import Iterator
from difflib import get_close_matches

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.banned import banned
from execpolicy.catalogue.descend import descend
from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.lint.finding import Finding
from execpolicy.lint.subject import Context, Site, Subject
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.rule import Pattern

MAX_WORDS = 64


def check(subject: Subject, context: Context) -> Iterator[Finding]:
    """Prefixes that no program would take, and prefixes that take too much."""
    names = None
    for site in subject.sites:
        unknown: set[str] = set()
        for argv, argument in commands(site):
            if argv[0] in unknown:
                continue
            found = context.catalogue.lookup(argv[0].rpartition("/")[2])
            if found is None:
                unknown.add(argv[0])
                names = _Names(context.catalogue) if names is None else names
                yield from _program(site, argv[0], names)
                continue
            yield from _words(site, argv, argument, context.catalogue)
        yield from _banned(site, context.catalogue)


def commands(site: Site) -> Iterator[tuple[tuple[str, ...], str]]:
    """Commands that together name every alternative of the pattern once, and then those of each
    exception, with the name of the argument."""
    for rule in site.rules:
        yield from ((argv, "pattern") for argv in _naming(rule.pattern, 1))
    for rule in site.rules[:1]:
        for unless in rule.unless:
            inside = min(len(unless) - 1, len(rule.pattern))
            if unless[0][0] == rule.pattern[0][0]:
                yield from ((argv, "unless") for argv in _naming(unless, inside) if len(argv) > 1)


def _naming(pattern: Pattern, since: int) -> Iterator[tuple[str, ...]]:
    """The first alternatives up to each position from `since`, and every other one there."""
    first = tuple(tokens[0] for tokens in pattern)
    yield from (first[: at + 1] for at in range(max(since - 1, 0), min(len(first), MAX_WORDS)))
    for at, tokens in enumerate(pattern[since:MAX_WORDS], since):
        yield from ((*first[:at], token) for token in tokens[1:])


class _Names:
    """The known programs by their first letter, and by each name that is one letter shorter.

    Two names that are one slip apart share one of these. Most letters are never asked about.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._letters: dict[str, list[str]] = {}
        self._shorter: dict[str, dict[str, list[str]]] = {}
        for program in catalogue.programs():
            name = program.partition("{")[0]
            self._letters.setdefault(name[:1], []).append(name)

    def near(self, name: str) -> list[str]:
        """The known names that a slip makes of this one, sorted."""
        letter = name[0]
        index = self._shorter.get(letter)
        if index is None:
            index = self._shorter[letter] = {}
            for known in self._letters.get(letter, ()):
                for short in _shorter(known):
                    index.setdefault(short, []).append(known)
        found = {known for short in _shorter(name) for known in index.get(short, ())}
        return sorted(known for known in found if _swapped(name, known))


def _shorter(name: str) -> frozenset[str]:
    """The name, and the name with any one letter left out."""
    return frozenset((name, *(name[:at] + name[at + 1 :] for at in range(len(name)))))


def _program(site: Site, head: str, names: _Names) -> Iterator[Finding]:
    name = head.rpartition("/")[2]
    if len(name) < 4:
        return
    close = names.near(name)
    if close:
        place = site.place(head, "pattern", 0)
        message = f"no program `{printable(name, 40)}` is known"
        hint = f"did you mean `{close[0]}`?"
        yield site.subject.finding("unknown-program", message, place, hint)


def _swapped(name: str, known: str) -> bool:
    """Whether one is a slip of the other: one letter more, less or other, or two exchanged."""
    if abs(len(name) - len(known)) > 1 or known.startswith(name) or name.startswith(known):
        return False
    return (
        len(name) != len(known)
        or sorted(name) == sorted(known)
        or (sum(a != b for a, b in zip(name, known, strict=True)) == 1 and len(name) > 4)
    )


def _words(
    site: Site, argv: tuple[str, ...], argument: str, catalogue: Catalogue
) -> Iterator[Finding]:
    """The last word of the command, if it is a subcommand or an option that is not known."""
    found = descend(argv, catalogue)
    at, entry = found.at, found.entry
    if entry is None or entry.style == "plain":
        return
    tokens = Tokens(entry, argv, at)
    word = argv[-1]
    if len(argv) < 2 or word in ("--", "--help", "--version"):
        return
    place = site.place(word, argument, 0 if argument == "pattern" else None)
    operand = tokens.operands[:1] == [word] and at == len(argv) - 1
    if entry.children and operand and not any(form.operands.places for form in entry.forms):
        close = _near_subcommand(word, entry)
        if close:
            message = f"`{found.name}` has no subcommand `{printable(word, 40)}`"
            hint = f"did you mean `{close}`?"
            yield site.subject.finding("unknown-subcommand", message, place, hint)
    elif word.startswith("-") and len(word) > 1 and _problem(tokens, word):
        close = _near_option(word, entry)
        if close or not entry.children:
            hint = f"did you mean `{close}`?" if close else "see the program's own --help"
            message = f"`{found.name}` has no option `{printable(word, 40)}` that is known"
            yield site.subject.finding("unknown-option", message, place, hint)


def _near_subcommand(word: str, entry: CatalogueEntry) -> str | None:
    """The subcommand of the same first letter that a word is most like, if it is like one."""
    alike = sorted(child for child in entry.children if child[:1] == word[:1])
    return next(iter(get_close_matches(word, alike, 1, 0.7)), None)


def _near_option(word: str, entry: CatalogueEntry) -> str | None:
    """The option that a word is most like, if it is like one. A single letter is like none."""
    known = sorted(entry.options.names) if len(word) > 2 else []
    return next(iter(get_close_matches(word, known, 1, 0.75)), None)


def _problem(tokens: Tokens, word: str) -> bool:
    return any(problem.word == word and not problem.waits for problem in tokens.problems)


def _banned(site: Site, catalogue: Catalogue) -> Iterator[Finding]:
    """Allow rules that leave open what would run."""
    if not site.rules or site.rules[0].decision is not Decision.ALLOW or site.rules[0].exact:
        return
    for rule in site.rules:
        if rule.conditions and rule.conditions.only_gets:
            continue
        words = tuple(tokens[0] for tokens in rule.pattern)
        prefixes = [words]
        prefixes += [
            (*words[:at], token, *words[at + 1 :])
            for at, tokens in enumerate(rule.pattern)
            for token in tokens[1:]
        ]
        for prefix in prefixes:
            reason = _reason(prefix, catalogue)
            if reason:
                shown = printable(" ".join(prefix), 60)
                place = site.place(prefix[-1], "pattern", 0)
                message = f"an allow rule for `{shown}` allows too much: {reason}"
                hint = 'name more of the command, or write `decision = "prompt"`'
                yield site.subject.finding("banned-prefix", message, place, hint)
                break


def _reason(prefix: tuple[str, ...], catalogue: Catalogue) -> str | None:
    if any(not w or any(c.isspace() or c in ";&|<>()$`" for c in w) for w in prefix):
        return None  # another check tells of such tokens
    return banned(prefix, catalogue)

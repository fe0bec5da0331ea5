"""What the conditions of a rule say about the effects and the hosts of one command."""

from _collections_abc import Callable, Iterable, Iterator, Sequence

from execpolicy.catalogue.catalogue import Catalogue
from execpolicy.catalogue.conditions.given import Holds, gives, levels
from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.reading.cause import Cause, CommandPart
from execpolicy.catalogue.reading.read import read
from execpolicy.model.operation import Connect, Word
from execpolicy.model.rule import CONFIGURED, PrefixRule

REACHING = frozenset(("network", "remote"))
"""The effects that happen at a host and at no place."""


def has(wanted: tuple[str, ...], causes: "Iterable[Cause]") -> Holds:
    """Whether a command has one of these effects; what is not known may be any."""
    found = Holds.NO
    for cause in causes:
        if names(wanted, cause.effect) and cause.by.part is not CommandPart.COMPUTED:
            return Holds.YES
        if cause.effect == "unknown" or names(wanted, cause.effect):
            found = Holds.MAYBE
    return found


def names(wanted: tuple[str, ...], effect: str) -> bool:
    """Whether a rule about the effects `wanted` is about this one: `remote` is `network`, too."""
    return effect in wanted or (effect == "remote" and "network" in wanted)


def lifts_effect(rule: PrefixRule, effect: str) -> bool:
    """Whether an allow rule with conditions lifts an effect, wherever that happens."""
    effects = rule.conditions.effects if rule.conditions else ()
    if effect == "unknown":
        return rule.exact and (not effects or "unknown" in effects)
    if not effects or effect in effects:
        return True
    return effect == "network" and "remote" in effects


def lifts_host(
    rule: PrefixRule,
    cause: Cause,
    causes: "Sequence[Cause]",
    argv: "Sequence[Word]",
    catalogue: Catalogue,
    named: "Sequence[str]" = (),
    configured: "Callable[[], str | None] | None" = None,
    is_usual: "Callable[[], bool]" = lambda: True,
) -> bool:
    """Whether the hosts of an allow rule hold the one that an effect is about.

    An effect that names none happens at those that other words name; where none does, at the one
    that the program's configuration names, if no option names another (`kubectl -s URL`), chooses
    among several or takes what makes the host certain (`--no-verify-ssl`). `configured` looks that
    one up, and `is_usual` whether it is meant without a word, too. Only a rule that has it among
    its `named` words holds for an option that may reach another host (`--connect-to`).
    """
    wanted = rule.conditions.hosts if rule.conditions else ()
    if not wanted:
        return True
    if isinstance(cause.subject, Connect):
        return is_host(cause.subject.host, wanted)
    turning = [each for each in causes if turns_elsewhere(each) and not each.by.is_named_by(named)]
    if cause.effect == "network" and not rule.exact and cause in turning:
        return False
    hosts = named_hosts(causes)
    if hosts:
        return all(is_host(host, wanted) for host in hosts)
    if not rule.exact and (chooses(argv, catalogue) or turning):
        return False
    if CONFIGURED in wanted and (rule.exact or is_usual()):
        return True
    return bool(configured and configured() in wanted)


def turns_elsewhere(cause: Cause) -> bool:
    """Whether an option reaches a host by itself, and it is not known which."""
    return (
        cause.effect in REACHING and cause.subject is None and cause.by.part is CommandPart.OPTION
    )


TARGETS = frozenset(
    (
        *("account", "apiserver", "cluster", "context", "endpoint", "endpoint-url", "gateway"),
        *("host", "hostname", "index", "index-url", "kube-context", "kubeconfig", "mirror"),
        *("namespace", "org", "organization", "profile", "project", "region", "registry"),
        *("remote", "repo", "repository", "server", "service-url", "site", "subscription"),
        *("tenant", "url", "zone"),
    )
)
"""Long options by which programs choose a machine or an account among those they know."""


def chooses(argv: "Sequence[Word]", catalogue: Catalogue) -> bool:
    """Whether an option chooses among configured machines, by any of its names, or may do so."""
    if any(map(_may_choose, argv[1:])):
        return True
    name = argv[0].rpartition("/")[2] if isinstance(argv[0], str) else argv[0]
    entries = [level.entry for level in levels((name, *argv[1:]), catalogue)][::-1]
    options = [word for word in argv[1:] if isinstance(word, str) and word[:1] == "-"]
    return any(_is_alias(word, entries) or _holds_url(word) for word in options)


def _holds_url(option: str) -> bool:
    return "://" in option.partition("=")[2] and " " not in option


def _may_choose(word: Word) -> bool:
    return word[:1] == "-" and _is_target(word) if isinstance(word, str) else word.prefix[:1] == "-"


def _is_target(option: str) -> bool:
    return option.partition("=")[0].lstrip("-").lower() in TARGETS


def _is_alias(word: str, entries: "Sequence[CatalogueEntry]") -> bool:
    """Whether the first of the entries that knows an option has a long name for it that chooses."""
    for options in (entry.options for entry in entries):
        for name in (word.partition("=")[0], word[:2]):
            identity = options.names.get(name)
            if identity is not None:
                return any(map(_is_target, options.aliases(identity)))
    return False


def named_hosts(causes: "Iterable[Cause]") -> tuple[Word, ...]:
    """The hosts that the words of a command name, as written."""
    found = (c.subject.host for c in causes if isinstance(c.subject, Connect))
    return tuple(dict.fromkeys(found))


def is_host(host: Word, wanted: tuple[str, ...]) -> bool:
    """Whether a host is certainly one of these. One that is computed is none."""
    return isinstance(host, str) and host.rstrip(".").lower() in wanted


def decides(rule: PrefixRule, argv: tuple[Word, ...], catalogue: Catalogue) -> bool:
    """Whether the conditions of a rule hold for a command, as far as its words tell.

    Of an allow rule they do where it lifts all that the command does but reading.
    """
    wanted = rule.conditions
    if wanted is None:
        return True
    causes = [*_causes(argv, catalogue)]
    if rule.decision:
        given = not wanted.options or gives(argv, wanted.options, catalogue) is Holds.YES
        return given and (not wanted.effects or has(wanted.effects, causes) is Holds.YES)
    more = [cause for cause in causes if cause.effect != "read"] or causes
    return bool(more) and all(
        lifts_effect(rule, cause.effect)
        and (cause.effect not in REACHING or lifts_host(rule, cause, causes, argv, catalogue))
        for cause in more
    )


def _causes(argv: tuple[Word, ...], catalogue: Catalogue) -> "Iterator[Cause]":
    """The effects of a command, and of the commands that its words hold."""
    reading = read(argv, catalogue)
    yield from reading.effects
    for inner in reading.inner:
        if inner.argv:
            yield from _causes(inner.argv, catalogue)

"""Which entries are those of programs that talk to a server, by the file that they stand in."""

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Exec
from execpolicy.model.rule import Origin
from execpolicy.model.verdict import JudgedOperation, Source, Verdict, written

_TOPICS = frozenset(
    (
        *("agents", "aws", "azure", "ci", "clouds", "clusters", "containers", "databases"),
        *("desktop", "devices", "forges", "gcloud", "hashicorp", "infrastructure", "kubernetes"),
        *("network", "platforms", "remote", "services", "supervisors"),
    )
)


_VERSIONS = frozenset(("git", "vcs"))


def is_service(origin: "Origin | None") -> bool:
    """Whether an entry stands among those of programs that talk to a server."""
    return _topic(origin) in _TOPICS


def has_login(origin: "Origin | None") -> bool:
    """Whether an entry is of a program that logs in at its server, as far as its topic tells."""
    return is_service(origin) and _topic(origin) != "network"


def _topic(origin: "Origin | None") -> str:
    return origin.file.rpartition("/")[2].removesuffix(".rules") if origin else ""


_SHOWS = frozenset(("--help", "-h", "help", "--version", "version"))
_ANSWERED = (Source.RULE, Source.APPROVAL)


def lacking(verdict: Verdict) -> tuple[str, ...]:
    """Commands whose key, host or socket the sandbox does not have, by their first words.

    Those are commands of programs that talk to a server, and git's that get from a remote, where no
    rule and no approval opens that.
    """
    if verdict.confined is not Decision.ALLOW or verdict.backend:
        return ()
    found = (_named(judged) for judged in verdict.judged)
    return tuple(dict.fromkeys(filter(None, found)))


def _named(judged: JudgedOperation) -> str:
    operation = judged.operation
    if not isinstance(operation, Exec) or not _SHOWS.isdisjoint(map(str, operation.argv)):
        return ""
    if any(match.source in _ANSWERED for match in judged.matches):
        return ""
    entries = [match for match in judged.matches if match.source is Source.CATALOGUE]
    gets = any("network" in m.effects and _topic(m.origin) in _VERSIONS for m in entries)
    talks = gets or any(is_service(match.origin) for match in entries)
    return written(operation.argv[:3]) if talks else ""

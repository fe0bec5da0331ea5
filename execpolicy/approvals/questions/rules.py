"""Answers for good: they write a rule as `execpolicy amend` does, or are refused as there."""

from execpolicy.model.approval import CONNECT, Life, Question, Reach
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.policy.network_hosts import PORTS, SOCKS, Attempt, narrowest_rule
from execpolicy.store import amend
from execpolicy.store.line import network_line
from execpolicy.support.hostname import HostError, parse_host

LAYERS = {Life.PROJECT: "project", Life.USER: "user"}


def write(question: Question, life: Life, *, dry: bool = False) -> amend.Change:
    """The change of the rules file that makes an answer hold for a project or for the user.

    Raises `ExecPolicyError` where no rule could allow it, where every prefix that would is banned,
    or where the file is not this user's own. With `dry` nothing is written.
    """
    from execpolicy.engine.amend.change import Amending

    attempts = [_attempt(narrowest) for narrowest, *_ in question.reaches]
    if len(attempts) == 1 and attempts[0] is not None:
        return write_host(LAYERS[life], question, attempts[0], Decision.ALLOW, dry=dry)
    if not question.prefixes:
        raise ExecPolicyError("no rule can allow this for good: answer `once` or `session`")
    layer = LAYERS[life]
    path = amend.target(layer, question.cwd)
    amending = Amending(layer, path, question.cwd, question.below)
    rules = amending.rules(question.prefixes, Decision.ALLOW, None)
    if not dry:
        amend.prepare(layer, path)

    def verify(content: bytes) -> None:  # while the file is locked, before it is replaced
        amending.refuse(question.prefixes, Decision.ALLOW)
        amending.verify(content, question.prefixes, Decision.ALLOW)

    return amend.append(layer, path, rules, question.request, verify, dry=dry)


def write_host(
    layer: str, question: Question, attempt: Attempt, decision: Decision, *, dry: bool = False
) -> amend.Change:
    """Write the rule that allows a connection, or that forbids its host. Raises as `write` does."""
    from execpolicy.engine.amend.change import Amending, canonical

    path = amend.target(layer, question.cwd)
    amending = Amending(layer, path, question.cwd)
    line = canonical(host_line(attempt, decision))
    if not dry:
        amend.prepare(layer, path)

    def verify(content: bytes) -> None:
        amending.verify_host(content, attempt, decision)

    return amend.append(layer, path, [line], question.request, verify, dry=dry)


def host_line(attempt: Attempt, decision: Decision) -> str:
    """The rule for a connection: one that allows is for its port alone, one that forbids is not."""
    rule = narrowest_rule(attempt)
    ports = rule.ports if decision is Decision.ALLOW else ()
    return network_line(rule.host, rule.protocol, decision, ports)


def _attempt(reach: Reach) -> Attempt | None:
    """The connection that a reach is about; None for one that no rule is about."""
    if reach.kind != CONNECT or reach.port is None or reach.protocol not in (*PORTS, SOCKS):
        return None
    try:
        host = parse_host(reach.host)
    except HostError:
        return None
    return Attempt(host, reach.protocol, reach.port)


def shown(change: amend.Change) -> str:
    """The change as a unified diff."""
    from difflib import unified_diff

    old, new = (c.decode("utf-8", "replace").splitlines() for c in (change.before, change.after))
    lines = unified_diff(old, new, change.path, change.path, lineterm="")
    return "".join(f"{line}\n" for line in lines)

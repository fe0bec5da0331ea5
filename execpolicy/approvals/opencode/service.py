"""opencode's ask and reply, of both generations.

A model to compare with: nothing else in this package asks it.

They differ in four points: whether a configured denial is looked at before approvals, how far an
"always" settles what waits, what a restart forgets, and what happens where no agent is known.
"""

from collections.abc import Iterable, Mapping, Sequence

from execpolicy.approvals.opencode.rules import ALLOW, ASK, DENY, Rule, evaluate, matches
from execpolicy.support.record import Value

ONCE, ALWAYS, REJECT = "once", "always", "reject"
ALLOWED, DENIED, PENDING = "allowed", "denied", "pending"
REJECTED, CORRECTED = "rejected", "corrected"
OK, NOT_FOUND = "ok", "not_found"


class Request(Value):
    """What a tool asks for: `patterns` are all needed, `always` is what "always" keeps. `ruleset`
    stands in the place of the session's rules where it is given."""

    id: str
    session: str
    permission: str
    patterns: tuple[str, ...]
    always: tuple[str, ...] = ()
    ruleset: tuple[Rule, ...] | None = None


class Reply(Value):
    """An answer: `once`, `always` or `reject`, the last perhaps with feedback."""

    request: str
    answer: str
    feedback: str | None = None


class RequestOutcome(Value):
    """What became of a request that waited."""

    request: str
    word: str
    feedback: str | None = None


class Result(Value):
    """What a call of the service did. `rules` are those that a denial names; `replied` has the
    requests that were answered, in order, by the answer that each got."""

    word: str
    resolved: tuple[RequestOutcome, ...] = ()
    rules: tuple[Rule, ...] = ()
    asked: str | None = None
    replied: tuple[tuple[str, str], ...] = ()


class Service:
    """Requests that wait, and what was approved. `generation` is 1 or 2.

    `configured` has the rules of each session. A session that is not there has no agent.
    """

    def __init__(self, generation: int, configured: Mapping[str, Sequence[Rule]]) -> None:
        self.generation = generation
        self.configured = configured
        self.pending: dict[str, Request] = {}
        self.approved: list[Rule] = []

    def ask(self, request: Request) -> Result:
        """Allowed, denied, or pending until a reply."""
        actions = self._actions(request)
        if DENY in actions:
            rules = (r for r in self._rules(request) if matches(r.permission, request.permission))
            return Result(DENIED, rules=tuple(rules))
        if ASK not in actions:
            return Result(ALLOWED)
        self.pending[request.id] = request
        return Result(PENDING, asked=request.id)

    def reply(self, reply: Reply) -> Result:
        """Settle a request, and with it what the answer covers. A second reply finds nothing."""
        request = self.pending.pop(reply.request, None)
        if request is None:
            return Result(NOT_FOUND)
        if reply.answer == REJECT:
            return self._reject(request, reply.feedback)
        if reply.answer == ALWAYS:
            self._approve(request)
        more = self._covered(request.session) if reply.answer == ALWAYS else []
        return _settled(ALLOWED, reply.answer, [request, *more])

    def restart(self) -> Result:
        """The process ends: what waits is rejected, and the first generation forgets."""
        waiting = [RequestOutcome(name, REJECTED) for name in self.pending]
        self.pending.clear()
        if self.generation == 1:
            self.approved.clear()
        return Result(OK, tuple(waiting))

    def forget(self, permission: str, pattern: str) -> Result:
        """Take back what was approved."""
        gone = Rule(permission, pattern, ALLOW)
        self.approved = [rule for rule in self.approved if rule != gone]
        return Result(OK)

    def _rules(self, request: Request) -> tuple[Rule, ...]:
        """The configured rules for a request."""
        if request.ruleset is not None:
            return request.ruleset
        known = self.configured.get(request.session)
        if known is None and self.generation == 2:
            return (Rule("*", "*", DENY),)
        return tuple(known or ())

    def _actions(self, request: Request) -> set[str]:
        rules = self._rules(request)
        found = set[str]()
        for pattern in request.patterns:
            first = evaluate(request.permission, pattern, rules).action
            if self.generation == 2 and first == DENY:
                return {DENY}
            found.add(evaluate(request.permission, pattern, rules, self.approved).action)
        return found

    def _approve(self, request: Request) -> None:
        for pattern in request.always:
            rule = Rule(request.permission, pattern, ALLOW)
            if self.generation == 1 or rule not in self.approved:
                self.approved.append(rule)

    def _covered(self, session: str) -> list[Request]:
        """What waits and is allowed now, no longer waiting."""
        found = [r for r in self.pending.values() if self._is_covered(r, session)]
        for request in found:
            del self.pending[request.id]
        return found

    def _is_covered(self, request: Request, session: str) -> bool:
        if self.generation == 2:
            return self._actions(request) <= {ALLOW}
        actions = {
            evaluate(request.permission, pattern, self.approved).action
            for pattern in request.patterns
        }
        return request.session == session and actions <= {ALLOW}

    def _reject(self, request: Request, feedback: str | None) -> Result:
        more = [r for r in self.pending.values() if r.session == request.session]
        for other in more:
            del self.pending[other.id]
        rest = _settled(REJECTED, REJECT, [request, *more])
        first = RequestOutcome(request.id, CORRECTED, feedback) if feedback else rest.resolved[0]
        return rest.replace(resolved=(first, *rest.resolved[1:]))


def _settled(word: str, answer: str, requests: Iterable[Request]) -> Result:
    names = [request.id for request in requests]
    outcomes = tuple(RequestOutcome(name, word) for name in names)
    return Result(OK, outcomes, replied=tuple((name, answer) for name in names))

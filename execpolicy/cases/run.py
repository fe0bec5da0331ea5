"""Runs suites: every case is decided by the engine, as `check` decides it."""

from execpolicy.cases.case import Case, Suite
from execpolicy.engine.engine import Engine
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.support.record import Value


class Result(Value):
    """A case and what the engine says about it. `failure` tells why it is not as expected."""

    case: Case
    request: Request
    verdict: Verdict
    failure: str | None = None


def engine_of(suite: Suite) -> Engine:
    """An engine over the rules of a suite. Raises `PolicyError` if they have problems."""
    return Engine.load(suite.rules, builtin=suite.builtin)


def run(suite: Suite, engine: Engine) -> tuple[Result, ...]:
    """The result of each case, in order."""
    return tuple(_result(case, engine) for case in suite.cases)


def _result(case: Case, engine: Engine) -> Result:
    text = case.command if isinstance(case.command, str) else None
    argv = case.command if isinstance(case.command, tuple) else None
    request = Request(text, argv, case.cwd, case.shell)
    verdict = engine.decide(request)
    return Result(case, request, verdict, _failure(case, verdict))


def _failure(case: Case, verdict: Verdict) -> str | None:
    if verdict.decision is not case.decision:
        return f"expected {case.decision.word}, got {verdict.decision.word}: {verdict.reason}"
    reasons = [m.why for m in verdict.matches if m.decision is verdict.decision]
    if case.because is not None and not any(case.because in why for why in reasons):
        return f"expected a reason with `{case.because}`, got: {verdict.reason}"
    return None

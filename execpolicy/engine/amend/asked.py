"""What is asked to be allowed: the rules that would allow it, from a request or from a verdict."""

from execpolicy.engine.decide import decide
from execpolicy.engine.offers.own_tool import is_own
from execpolicy.language.compile import Compiled
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Request
from execpolicy.model.rule import NetworkRule, PathRule, PrefixRule, Rule
from execpolicy.places.disk import Disk
from execpolicy.store import loader
from execpolicy.store.sources import settings
from execpolicy.store.sources.layers import find
from execpolicy.support.record import Value
from execpolicy.support.redact import joined


class Asked(Value):
    """Rules to write, a line each, and the request that they are to allow.

    `project`: they run what the project then holds, and belong to that project alone.
    """

    lines: tuple[str, ...]
    project: bool = False
    request: Request | None = None


def asked(request: Request, cwd: str) -> Asked:
    """What would allow a request, by the rules as they are now.

    Raises `ExecPolicyError` where nothing would, with what to do instead.
    """
    snapshot = loader.load(find(cwd, settings.load().codex).files)
    verdict = decide(request, snapshot, Disk())
    if verdict.decision is Decision.ALLOW:
        raise ExecPolicyError(f"it is allowed already: {verdict.reason}")
    if snapshot.floor:
        raise ExecPolicyError(f"no rule lowers this question: {snapshot.floor}")
    found = verdict.amendments or verdict.proposal.passing
    if not found:
        instead = f"; instead, {verdict.instead}" if verdict.instead else ""
        said = f"{verdict.decision.word}: {verdict.reason}"
        raise ExecPolicyError(f"no rule would allow it: {said}{instead}")
    return Asked(
        tuple(line for a in found for line in a.rule.splitlines()),
        any(a.project for a in found),
        request,
    )


def proposed(text: str) -> tuple[Asked, str]:
    """The rules that a verdict on the wire proposes, and the commands it is about."""
    import json

    try:
        verdict = json.loads(text)
        amendment = verdict["amendment"]
        operations = verdict["operations"]
        commands = [_words(o["argv"]) for o in operations if o.get("kind") == "exec"]
        rules = amendment and amendment["rule"]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise ExecPolicyError(
            "stdin holds no verdict, as `check --format json` writes it"
        ) from None
    if not isinstance(rules, str):
        raise ExecPolicyError("the verdict proposes no rule")
    return of_rules(rules), "; ".join(commands[:4])


def of_rules(text: str, source: str = "<verdict>") -> Asked:
    """Rules as a verdict proposes them, a line each; `source` is where messages say they are.

    Raises `ExecPolicyError` for any other.
    """
    found = compiled(text, source)
    if not found.rules and not found.programs:
        raise ExecPolicyError("the verdict proposes no rule")
    for rule in found.rules:
        _refuse_wide(rule)
    if not all(map(is_own, found.programs)):
        raise ExecPolicyError(_ELSE)
    lines = tuple(line for line in text.splitlines() if line.strip())
    runs = any(isinstance(rule, PrefixRule) and runs_project(rule) for rule in found.rules)
    return Asked(lines, runs and not found.programs)


def _words(argv: list[object]) -> str:
    return joined([w if isinstance(w, str) else "…" for w in argv])


def compiled(text: str, source: str = "<verdict>") -> Compiled:
    """What some lines say. Raises `PolicyError` with places in `source`."""
    from execpolicy.language.compile import compile_text

    return compile_text(text, source, "user")


def runs_project(rule: PrefixRule) -> bool:
    """Whether a rule allows code of the project, whatever the project then holds."""
    wanted = rule.conditions
    if wanted is None or wanted.places != ("project",):
        return False
    return "execute" in wanted.effects or "unknown" in wanted.effects


def _refuse_wide(rule: Rule) -> None:
    """Refuse a rule that no verdict of ours proposes."""
    if isinstance(rule, PrefixRule):
        plain = not (rule.decision or rule.unless or rule.canonical or rule.confined)
        if plain and all(len(tokens) == 1 for tokens in rule.pattern):
            return
    elif isinstance(rule, PathRule):
        if rule.decision is Decision.ALLOW and not any("*" in path for path in rule.paths):
            return
    elif isinstance(rule, NetworkRule) and rule.decision is Decision.ALLOW:
        return
    raise ExecPolicyError(_ELSE)


_ELSE = "the verdict proposes something else than rules that allow one thing"

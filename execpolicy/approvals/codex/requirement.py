"""What Codex requires before a command runs: nothing, the user's approval, or it does not run."""

from collections.abc import Callable, Sequence

from execpolicy.approvals.codex.banned import BANNED
from execpolicy.approvals.codex.heuristics import dangerous, known_safe
from execpolicy.approvals.codex.policy import (
    GRANULAR,
    NEVER,
    ON_FAILURE,
    UNLESS_TRUSTED,
    USE_DEFAULT,
    AskingPolicy,
)
from execpolicy.approvals.codex.quote import join
from execpolicy.approvals.codex.split import Split, split
from execpolicy.model.decision import Decision
from execpolicy.model.rule import Origin, PrefixRule
from execpolicy.model.split import RESTRICTED
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.policy.policy import Policy
from execpolicy.support.record import Value

Argv = tuple[str, ...]


class Skip(Value):
    """It runs unasked. `bypass_sandbox`: rules allow every command of it, so the sandbox is left.
    `amendment` is offered should the sandbox refuse it."""

    bypass_sandbox: bool = False
    amendment: Argv | None = None


class NeedsApproval(Value):
    """The user is asked. There is a `reason` only where a rule asks."""

    reason: str | None = None
    amendment: Argv | None = None


class Forbidden(Value):
    """It does not run."""

    reason: str


Requirement = Skip | NeedsApproval | Forbidden


class ShellCall(Value):
    """A call: its words, what it asks of the sandbox, and the prefix that the model wants."""

    argv: tuple[str, ...]
    permissions: str = USE_DEFAULT
    prefix: tuple[str, ...] | None = None


class _Judged(Value):
    """One command of a call: the rules that match, else the heuristic's decision."""

    argv: tuple[str, ...]
    rules: tuple[PrefixRule, ...]
    heuristic: Decision | None

    @property
    def decision(self) -> Decision:
        if self.heuristic is not None:
            return self.heuristic
        return max(rule.decision for rule in self.rules)


def requirement(
    command: ShellCall,
    policy: Policy,
    asking: AskingPolicy,
    filesystem: str,
    resolve: Callable[[str], str | None] | None = None,
) -> Requirement:
    """What is required for a call.

    `filesystem` is one of `FILESYSTEMS`; `resolve` makes a program's name absolute, so that a rule
    for the bare name may match it.
    """
    call = _Call(command, split(command.argv), asking, filesystem, resolve)
    found = call.judged(policy)
    strictest = max(one.decision for one in found)
    if strictest is Decision.FORBIDDEN:
        return Forbidden(_forbidden(command.argv, found))
    if strictest is Decision.PROMPT:
        return _prompt(call, found, _requested(call, policy, found))
    by_rules = all(any(r.decision is Decision.ALLOW for r in one.rules) for one in found)
    if call.parts.partly or any(one.rules for one in found):
        return Skip(by_rules)
    return Skip(by_rules, found[0].argv)


class _Call(Value):
    """A call with the commands that it runs, and how Codex is set up to ask about them."""

    command: ShellCall
    parts: Split
    asking: AskingPolicy
    filesystem: str
    resolve: Callable[[str], str | None] | None

    def judged(self, policy: Policy) -> list[_Judged]:
        """Each command of the call under these rules."""
        return [self._judge(argv, policy) for argv in self.parts.commands]

    def _judge(self, argv: Argv, policy: Policy) -> _Judged:
        rules = policy.matching(argv)
        if not rules and self.resolve is not None:
            rules = policy.resolved(argv, self.resolve)[1]
        return _Judged(argv, rules, None if rules else self._unmatched(argv))

    def _unmatched(self, argv: Argv) -> Decision:
        """The decision for a command that no rule matches."""
        asking = self.asking
        if asking.name == UNLESS_TRUSTED and not self.parts.partly and known_safe(argv):
            return Decision.ALLOW
        if dangerous(argv):
            return Decision.FORBIDDEN if asking.name == NEVER else Decision.PROMPT
        if asking.name in (NEVER, ON_FAILURE):
            return Decision.ALLOW
        if asking.name == UNLESS_TRUSTED:
            return Decision.PROMPT
        overrides = self.filesystem == RESTRICTED and self.command.permissions != USE_DEFAULT
        return Decision.PROMPT if overrides else Decision.ALLOW


def _prompt(call: _Call, found: list[_Judged], requested: Argv | None) -> Requirement:
    """What is required where some command of the call asks."""
    asking = call.asking
    rules = [r for one in found for r in one.rules if r.decision is Decision.PROMPT]
    if asking.name == NEVER:
        return Forbidden("approval required by policy, but AskForApproval is set to Never")
    if rules and asking.name == GRANULAR and not asking.rules:
        return Forbidden(
            "approval required by policy rule, but AskForApproval::Granular.rules is false"
        )
    if not rules and asking.refuses_sandbox:
        return Forbidden(
            "approval required by policy, but AskForApproval::Granular.sandbox_approval is false"
        )
    if rules:
        return NeedsApproval(_reason(call.command.argv, rules))
    if requested is None and not call.parts.partly:
        requested = next(one.argv for one in found if one.decision is Decision.PROMPT)
    return NeedsApproval(None, requested)


def _requested(call: _Call, policy: Policy, found: list[_Judged]) -> Argv | None:
    """The prefix that the model wants allowed, if it may be offered: it is not banned, no rule
    matched anything, and with it every command would be allowed."""
    prefix = call.command.prefix
    if not prefix or call.parts.partly or prefix in BANNED or any(one.rules for one in found):
        return None
    with_it = policy.beside(PackedRules.of([allow(prefix)]))
    return prefix if all(one.decision is Decision.ALLOW for one in call.judged(with_it)) else None


def allow(prefix: Sequence[str]) -> PrefixRule:
    """The rule that an amendment would write."""
    pattern = tuple((token,) for token in prefix)
    return PrefixRule(pattern, Decision.ALLOW, None, Origin("user", "<amendment>", 0))


def _longest(rules: Sequence[PrefixRule]) -> PrefixRule:
    """The rule with the longest prefix; of equally long ones the last."""
    length = max(len(rule.pattern) for rule in rules)
    return [rule for rule in rules if len(rule.pattern) == length][-1]


def _reason(argv: Argv, rules: list[PrefixRule]) -> str:
    why = _longest(rules).justification
    return f"`{join(argv)}` requires approval{f': {why}' if why else ' by policy'}"


def _forbidden(argv: Argv, found: list[_Judged]) -> str:
    matches = [
        (rule, one.argv)
        for one in found
        for rule in one.rules
        if rule.decision is Decision.FORBIDDEN
    ]
    if not matches:
        return f"`{join(argv)}` rejected: blocked by policy"
    rule = _longest([rule for rule, _ in matches])
    words = next(argv for one, argv in reversed(matches) if one is rule)
    prefix = join(words[: len(rule.pattern)])
    why = rule.justification or f"policy forbids commands starting with `{prefix}`"
    return f"`{join(argv)}` rejected: {why}"


def default_requirement(asking: AskingPolicy, filesystem: str) -> Requirement:
    """What is required for a tool that has no requirement of its own."""
    if asking.name in (NEVER, ON_FAILURE):
        return Skip()
    if asking.name != UNLESS_TRUSTED and filesystem != RESTRICTED:
        return Skip()
    if asking.refuses_sandbox:
        return Forbidden("approval policy disallowed sandbox approval prompt")
    return NeedsApproval()

"""Judges a rule that the user wants to add, before it is written and with it in place."""

import os
from collections.abc import Sequence

from execpolicy.catalogue.banned import banned
from execpolicy.engine.amend.asked import Asked, compiled
from execpolicy.engine.decide import decide
from execpolicy.model.decision import Decision
from execpolicy.model.errors import Diagnostic, ExecPolicyError, PolicyError, printable
from execpolicy.model.operation import Exec, Request
from execpolicy.model.rule import Origin, PrefixRule
from execpolicy.model.verdict import Source, Verdict
from execpolicy.places.disk import Disk
from execpolicy.policy.network_hosts import Attempt
from execpolicy.policy.network_hosts import decide as decide_connection
from execpolicy.store import loader
from execpolicy.store.line import rule_line
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources import settings
from execpolicy.store.sources.files import RulesFile, is_mine
from execpolicy.store.sources.layers import find

Prefixes = Sequence[tuple[str, ...]]

_NOWHERE = Origin("", "", 0)
_ORDER = {"system": 0, "user": 1, "project": 2}


class Amending:
    """The policy of all layers around one file of a layer that is to change.

    `below`: the rules also hold below the session's root.
    """

    def __init__(self, layer: str, path: str, cwd: str | None, below: bool = False) -> None:
        self.layer = layer
        self.below = below
        self.path = path
        self.cwd = os.path.abspath(cwd or ".")
        self._codex = settings.load().codex
        self._memory: dict[object, object] = {}

    def rules(
        self, prefixes: Prefixes, decision: Decision, justification: str | None = None
    ) -> list[str]:
        """A canonical line for each prefix. Raises `ExecPolicyError` where it is not to be."""
        self.refuse(prefixes, decision)
        lines = (rule_line(p, decision, justification, self.below) for p in prefixes)
        return [canonical(line) for line in lines]

    def refuse(self, prefixes: Prefixes, decision: Decision) -> None:
        """Raise `ExecPolicyError` if a prefix is banned, or covered by a rule as files are now."""
        now = self._load(find(self.cwd, self._codex).files)
        for prefix in prefixes:
            if decision is Decision.ALLOW:
                _refuse_banned(prefix, now)
            _refuse_covered(prefix, decision, now, self.below)

    def verify(self, content: bytes, prefixes: Prefixes, decision: Decision) -> None:
        """Raise `ExecPolicyError` unless this content loads and does what it is for."""
        after = self._load(self.files(content))
        self._refuse_broken(after)
        for prefix in prefixes:
            self._refuse_idle(prefix, decision, after)

    def _problems(self, after: Snapshot) -> tuple[Diagnostic, ...]:
        mine = (self.path, os.path.realpath(self.path))
        return tuple(d for d in after.diagnostics if d.span.file in mine)

    def _refuse_broken(self, after: Snapshot) -> None:
        problems = self._problems(after)
        if any(d.severity == "error" for d in problems):
            raise PolicyError(problems)

    def _refuse_idle(self, prefix: tuple[str, ...], decision: Decision, after: Snapshot) -> None:
        """Refuse a rule that does not do what it is for."""
        verdict = decide(Request(argv=prefix, cwd=self.cwd), after)
        got = max((j.decision for j in verdict.judged), default=Decision.ALLOW)
        if (got is not Decision.ALLOW) if decision is Decision.ALLOW else got < decision:
            raise ExecPolicyError(_without_effect(prefix, verdict, self._problems(after)))

    def refuse_lines(self, lines: Sequence[str]) -> None:
        """Raise `ExecPolicyError` if one of these rules is banned, or in force as files are now."""
        now = self._load(find(self.cwd, self._codex).files)
        known = {rule.replace(origin=_NOWHERE) for rule in now.policy.rules}
        for line in lines:
            for rule in compiled(line).rules:
                if not isinstance(rule, PrefixRule):
                    continue
                words = tuple(tokens[0] for tokens in rule.pattern)
                if not rule.exact and not (rule.conditions and rule.conditions.only_gets):
                    _refuse_banned(words, now)
                if rule.conditions is None and not rule.exact:
                    _refuse_covered(words, rule.decision, now, rule.below)
                elif rule.replace(origin=_NOWHERE) in known:
                    shown = printable(" ".join(words), 80)
                    raise ExecPolicyError(f"this very rule for `{shown}` is there already")

    def verify_lines(self, content: bytes, asked: Asked) -> None:
        """Raise `ExecPolicyError` unless this content loads and allows what was asked."""
        after = self._load(self.files(content))
        self._refuse_broken(after)
        if asked.request is not None:
            verdict = decide(asked.request, after, Disk())
            if verdict.decision is not Decision.ALLOW:
                said = f"{verdict.decision.word}: {verdict.reason}"
                raise ExecPolicyError(f"the rule would not help: it would still be {said}")
            return
        for line in asked.lines:
            for rule in compiled(line).rules:
                if isinstance(rule, PrefixRule) and rule.conditions is None and not rule.exact:
                    self._refuse_idle(tuple(t[0] for t in rule.pattern), Decision.ALLOW, after)

    def verify_host(self, content: bytes, attempt: Attempt, decision: Decision) -> None:
        """Raise `ExecPolicyError` unless this content loads and decides so about a connection."""
        after = self._load(self.files(content))
        self._refuse_broken(after)
        ruling = decide_connection(after.policy, attempt)
        if ruling.decision is not decision:
            raise ExecPolicyError(f"the rule would not help: {ruling.why}")

    def files(self, content: bytes) -> list[RulesFile]:
        """The files of all layers with this content in the place of the file."""
        files = list(find(self.cwd, self._codex).files)
        trusted = all(f.trusted for f in files if f.path == self.path) and self._ours()
        changed = RulesFile(self.layer, self.path, content, trusted=trusted)
        for number, file in enumerate(files):
            if file.path == self.path:
                return [*files[:number], changed, *files[number + 1 :]]
        place = sum(_ORDER.get(f.layer, 9) <= _ORDER[self.layer] for f in files)
        return [*files[:place], changed, *files[place:]]

    def _ours(self) -> bool:
        if self.layer == "project":
            return True
        try:
            return is_mine(os.path.dirname(self.path))
        except FileNotFoundError:
            return True

    def _load(self, files: Sequence[RulesFile]) -> Snapshot:
        return loader.load(files, memory=self._memory)


def canonical(line: str) -> str:
    """The line as `fmt` would have it, without its newline."""
    from execpolicy.language.format.format import format_text

    return format_text(line).rstrip("\n")


def _refuse_banned(prefix: tuple[str, ...], snapshot: Snapshot) -> None:
    reason = banned(prefix, snapshot.catalogue)
    if reason:
        raise ExecPolicyError(
            f"an allow rule for `{printable(' '.join(prefix), 80)}` would allow too much: {reason};"
            " name more of the command, or write the rule into the file yourself"
        )


def _refuse_covered(
    prefix: tuple[str, ...], decision: Decision, snapshot: Snapshot, below: bool
) -> None:
    """Refuse a rule that another one makes superfluous."""
    for rule in snapshot.policy.matching(prefix):
        same = rule.decision is decision if not decision else rule.decision >= decision
        if same and not rule.exact and not rule.unless and (rule.below or not below):
            shown = printable(" ".join(prefix), 80)
            raise ExecPolicyError(
                f"`{shown}` is covered already: {rule.origin} says {rule.decision.word}"
            )


def _without_effect(
    prefix: tuple[str, ...], verdict: Verdict, problems: tuple[Diagnostic, ...]
) -> str:
    """Why the rule would not do what it is for, and what stands against it."""
    shown = printable(" ".join(prefix), 80)
    hints = "".join(f"; {d.message}, {d.hint}" for d in problems if d.hint)
    places = [
        str(m.origin)
        for j in verdict.judged
        if isinstance(j.operation, Exec)
        for m in j.matches
        if m.source is Source.RULE and m.decision and m.origin
    ]
    where = f" ({', '.join(dict.fromkeys(places))})" if places else ""
    said = f"{verdict.decision.word}: {verdict.reason}"
    return f"the rule would not help: `{shown}` would still be {said}{where}{hints}"

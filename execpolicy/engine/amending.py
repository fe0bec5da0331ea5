"""Judges a rule that a person wants to add, before it is written and with it in place."""

import os

from execpolicy.catalogue.banned import banned
from execpolicy.decision import Decision
from execpolicy.engine.decide import decide
from execpolicy.errors import Diagnostic, ExecPolicyError, PolicyError, printable
from execpolicy.operation import Exec, Request
from execpolicy.redact import joined
from execpolicy.rule import PrefixRule
from execpolicy.store import loader, settings
from execpolicy.store.files import RulesFile, is_mine
from execpolicy.store.layers import find
from execpolicy.store.line import rule_line
from execpolicy.store.snapshot import Snapshot
from execpolicy.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Prefixes = Sequence[tuple[str, ...]]

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
        self, prefixes: "Prefixes", decision: Decision, justification: str | None = None
    ) -> list[str]:
        """A canonical line for each prefix. Raises `ExecPolicyError` where it is not to be."""
        self.refuse(prefixes, decision)
        lines = (rule_line(p, decision, justification, self.below) for p in prefixes)
        return [canonical(line) for line in lines]

    def refuse(self, prefixes: "Prefixes", decision: Decision) -> None:
        """Raise `ExecPolicyError` if a prefix is banned, or covered by a rule as files are now."""
        now = self._load(find(self.cwd, self._codex).files)
        for prefix in prefixes:
            if decision is Decision.ALLOW:
                _refuse_banned(prefix, now)
            _refuse_covered(prefix, decision, now, self.below)

    def verify(self, content: bytes, prefixes: "Prefixes", decision: Decision) -> None:
        """Raise `ExecPolicyError` unless this content loads and does what it is for."""
        after = self._load(self._files(content))
        real = os.path.realpath(self.path)
        mine = (self.path, real)
        problems = tuple(d for d in after.diagnostics if d.span.file in mine)
        if any(d.severity == "error" for d in problems):
            raise PolicyError(problems)
        for prefix in prefixes:
            verdict = decide(Request(argv=prefix, cwd=self.cwd), after)
            got = max((j.decision for j in verdict.judged), default=Decision.ALLOW)
            if (got is not Decision.ALLOW) if decision is Decision.ALLOW else got < decision:
                raise ExecPolicyError(_without_effect(prefix, verdict, problems))

    def _files(self, content: bytes) -> list[RulesFile]:
        """The files of all layers with this content in the place of the file."""
        files = list(find(self.cwd, self._codex).files)
        binding = all(f.binding for f in files if f.path == self.path) and self._ours()
        changed = RulesFile(self.layer, self.path, content, binding=binding)
        for number, file in enumerate(files):
            if file.path == self.path:
                return [*files[:number], changed, *files[number + 1 :]]
        place = sum(_ORDER.get(f.layer, 9) <= _ORDER[self.layer] for f in files)
        return [*files[:place], changed, *files[place:]]

    def _ours(self) -> bool:
        if self.layer == "project":
            return True
        try:
            return is_mine(os.stat(os.path.dirname(self.path)))
        except FileNotFoundError:
            return True

    def _load(self, files: "Sequence[RulesFile]") -> Snapshot:
        return loader.load(files, memory=self._memory)


def canonical(line: str) -> str:
    """The line as `fmt` would have it, without its newline."""
    from execpolicy.language.format import format_text

    return format_text(line).rstrip("\n")


def proposed(text: str) -> "tuple[tuple[tuple[str, ...], ...], bool, str]":
    """The prefixes that a verdict on the wire proposes, whether they are to hold below the root
    too, and the commands it is about."""
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
    found = _compiled(rules)
    prefixes = tuple(_prefix(rule) for rule in found)
    if not prefixes:
        raise ExecPolicyError("the verdict proposes no rule")
    below = any(isinstance(rule, PrefixRule) and rule.below for rule in found)
    return prefixes, below, "; ".join(commands[:4])


def _words(argv: "list[object]") -> str:
    return joined([w if isinstance(w, str) else "…" for w in argv])


def _compiled(text: str) -> "tuple[object, ...]":
    from execpolicy.language.compile import compile_text

    return tuple(compile_text(text, "<verdict>", "user").rules)


def _prefix(rule: object) -> tuple[str, ...]:
    """The one prefix that a proposed rule allows; a rule that says more is not proposed by us."""
    if not isinstance(rule, PrefixRule) or rule.decision or rule.unless or rule.canonical:
        raise ExecPolicyError("the verdict proposes something else than rules that allow a prefix")
    if any(len(tokens) != 1 for tokens in rule.pattern):
        raise ExecPolicyError("the verdict proposes a rule with alternatives")
    return tuple(tokens[0] for tokens in rule.pattern)


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
        if m.source == "rule" and m.decision and m.origin
    ]
    where = f" ({', '.join(dict.fromkeys(places))})" if places else ""
    said = f"{verdict.decision.word}: {verdict.reason}"
    return f"the rule would not help: `{shown}` would still be {said}{where}{hints}"

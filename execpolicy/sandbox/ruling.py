"""Which decision counts for a confined run, and why."""

from _collections_abc import Sequence

from execpolicy.model.confinement import SandboxSettings
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Exec
from execpolicy.model.verdict import Match, Source, Verdict
from execpolicy.sandbox.scan.git import GitUse
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

_SIGNALS = words_of("commands")["signals"]


class Ruling(Value):
    """A decision and its reason in one line. `undo`: it holds only where a whole snapshot was taken
    before the command begins."""

    decision: Decision
    reason: str
    undo: bool = False


def ruling_apart(
    verdict: "Verdict", settings: SandboxSettings, confined: bool, use: "GitUse"
) -> Ruling:
    """What counts for a list of which each part runs in a sandbox of its own, and git writes beside
    nothing. `use` is what the list as a whole does with git."""
    return ruling(verdict, settings, confined, use.replace(refusal=""), snapshots=True)


def ruling(
    verdict: "Verdict",
    settings: SandboxSettings,
    confined: bool,
    use: "GitUse",
    snapshots: bool = False,
) -> Ruling:
    """What counts for a run. `confined` asks only about what the walls do not hold.

    `snapshots`: the caller takes one where `Ruling.undo` says so; without it, what a snapshot would
    let pass asks. With `auto_allow` the walls hold every path and every effect, so that only rules
    about a command by its words are left, and a policy that could not be loaded.
    """
    if not confined:
        return Ruling(verdict.decision, verdict.reason)
    held = _held(verdict, settings, use)
    undo = [match for match in verdict.matches if match.undo and not match.in_sandbox]
    if undo and held.decision is Decision.ALLOW and not settings.auto_allow:
        if not snapshots:
            return Ruling(Decision.PROMPT, undo[0].sentence)
        held = held.replace(undo=True)
    if held.decision is Decision.ALLOW and verdict.decision is not held.decision:
        return _about_git(use) or held
    return held


PULLS = (
    "what git fetches may be protected, and is not known before: `git fetch`, then `git merge` or "
    "`git rebase`, ask only where it is"
)


def _about_git(use: "GitUse") -> Ruling | None:
    """What git would do under protected names asks, where the sandbox alone lets it run."""
    if use.incoming.new:
        path = printable(use.incoming.new[0], 200)
        return Ruling(Decision.PROMPT, f"git would write `{path}`, which is protected")
    return Ruling(Decision.PROMPT, PULLS) if use.incoming.pulls else None


def _held(verdict: "Verdict", settings: SandboxSettings, use: "GitUse") -> Ruling:
    """What the walls leave of a verdict."""
    if not settings.auto_allow:
        if verdict.confined is Decision.ALLOW and use.refusal:
            return Ruling(Decision.FORBIDDEN, use.refusal)
        return Ruling(verdict.confined, _reason(verdict))
    said = [m for m in verdict.matches if _is_about_words(m) and m.decision]
    if verdict.floor:
        return Ruling(Decision.PROMPT, verdict.floor)
    strictest = max(said, key=lambda match: match.decision, default=None)
    if strictest is None:
        return Ruling(Decision.ALLOW, "the sandbox contains what it does")
    return Ruling(strictest.decision, strictest.sentence)


def runs_unknown(verdict: "Verdict") -> bool:
    """Whether the sandbox alone, or its `auto_allow`, lets a program run that is not known."""
    return any(m.decision and "unknown" in m.effects for m in verdict.matches)


def only_signals(verdict: "Verdict") -> bool:
    """Whether nothing but signals to processes is why a verdict asks in the sandbox: where commands
    of a session see each other's processes and no others, the sandbox holds that."""
    held = {
        id(match)
        for judged in verdict.judged
        if isinstance(judged.operation, Exec) and _name(judged.operation.argv) in _SIGNALS
        for match in judged.matches
        if match.effects == ("system",)
    }
    asking = [match for match in verdict.matches if match.in_sandbox]
    return not verdict.floor and bool(asking) and all(id(match) in held for match in asking)


def _name(argv: "Sequence[object]") -> str:
    return argv[0].rpartition("/")[2] if argv and isinstance(argv[0], str) else ""


def _reason(verdict: "Verdict") -> str:
    """Why a verdict asks or refuses in the sandbox too: the worst that would happen."""
    said = [m for m in verdict.matches if m.in_sandbox and m.in_sandbox is verdict.confined]
    worst = min(said, key=lambda match: match.severity, default=None)
    return worst.sentence if worst else verdict.floor or verdict.reason


def _is_about_words(match: "Match") -> bool:
    """Whether a rule for the words of a command said it."""
    return match.source is Source.RULE and bool(match.prefix)

"""An explanation as text: an outline that can be read at 80 columns and without colour."""

import textwrap
from collections.abc import Iterator, Sequence

from execpolicy.commands.render.explain_steps import Explained, Near
from execpolicy.commands.render.text import COLOURS, confined, describe
from execpolicy.engine.rules.credentials import key_use, sentence
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Dynamic, Exec, Request
from execpolicy.model.rule import BASES
from execpolicy.model.verdict import Match, Verdict, written
from execpolicy.store.snapshot import Snapshot

LABEL = 10


def render(
    request: Request,
    verdict: Verdict,
    found: Sequence[Explained],
    snapshot: Snapshot,
    width: int,
    colour: bool = False,
) -> str:
    """Several lines, each ending in a newline."""
    page = _Page(width, colour)
    page.line("verdict", f"{verdict.decision.word}: {verdict.reason}", 0, verdict.decision)
    if verdict.confined is not verdict.decision:
        page.line("confined", confined(verdict), 0)
    if request.text is not None:
        page.script(request.text, found)
    depths: list[int] = []
    for number, one in enumerate(found, 1):
        outer = one.step.outer
        depths.append(0 if outer is None else depths[outer] + 1)
        page.operation(number, one, depths[-1])
    use = key_use([one.step for one in found], snapshot)
    if use is not None:
        page.line("key", sentence(use), 0)
    page.policy(verdict, snapshot)
    return "\n".join(page.lines) + "\n"


class _Page:
    def __init__(self, width: int, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self.lines: list[str] = []

    def line(self, label: str, text: str, depth: int, decision: Decision | None = None) -> None:
        """A labelled text, wrapped with its continuation lines in line with it."""
        margin = "  " * depth + f"{label:{LABEL}}"
        wrapped = textwrap.wrap(
            text,
            max(self.width, len(margin) + 24),
            initial_indent=margin,
            subsequent_indent=" " * len(margin),
            break_on_hyphens=False,
        )
        if decision is not None and self.colour and wrapped:
            word = f"\x1b[{COLOURS[decision]}m{decision.word}\x1b[0m"
            wrapped[0] = wrapped[0].replace(decision.word, word, 1)
        self.lines += [w.rstrip() for w in wrapped] or [margin.rstrip()]

    def script(self, text: str, found: Sequence[Explained]) -> None:
        """The text, each operation underlined below its line with its number."""
        spans = [(one.judged.operation.span, number) for number, one in enumerate(found, 1)]
        start = 0
        for line in text.split("\n"):
            end = start + len(line)
            here = [(s, n) for s, n in spans if s and s[0] < end + 1 and s[1] > start]
            here = [(s, n) for s, n in here if s[0] >= start or s[1] <= end]
            self._underlined(line, start, here)
            start = end + 1

    def _underlined(
        self, line: str, start: int, spans: Sequence[tuple[tuple[int, int], int]]
    ) -> None:
        room = self.width - LABEL - 4
        shown = printable(line)
        for at in range(0, max(len(shown), 1), room):
            self.lines.append((" " * LABEL + shown[at : at + room]).rstrip())
            for (first, last), number in spans:
                left = len(printable(line[: max(first - start, 0)])) - at
                right = len(printable(line[: max(min(last - start, len(line)), 0)])) - at
                left, right = max(left, 0), min(right, room)
                if left < right:
                    mark = "~" * (right - left)
                    self.lines.append(" " * (LABEL + left) + f"{mark} {number}")

    def operation(self, number: int, one: Explained, depth: int) -> None:
        """One operation: what it is, how it was read, what was said about it."""
        operation, reading = one.judged.operation, one.step.reading
        self.lines.append("")
        decision = one.judged.decision
        self.line(f"{number}", f"{decision.word}: {describe(operation)}", depth, decision)
        depth += 1
        if isinstance(operation, Exec):
            self._words(operation, depth)
        if isinstance(operation, Exec) and reading is not None:
            if reading.canonical != operation.argv:
                self.line("read as", written(reading.canonical, 120), depth)
            for option in one.options:
                values = " ".join(option.values)
                name = option.name.removesuffix("=")
                shown = printable(f"{name} {values}".rstrip(), 100)
                self.line("option", f"{shown}: {option.meaning}", depth)
            if reading.inner:
                self.line("wrapper", "runs a command itself, which is judged, too", depth)
        for place in one.places:
            self.line("place", str(place), depth)
        for match in one.judged.matches:
            self.line(match.source, _match(match), depth)
        for near in one.near:
            self.line("not", _near(near), depth)

    def _words(self, operation: Exec, depth: int) -> None:
        computed = [w for w in operation.argv if isinstance(w, Dynamic)]
        if computed:
            known = ", ".join(f"`{printable(w.source, 40)}`" for w in computed)
            self.line("computed", f"{known}: the shell computes this when it runs", depth)
        for assignment in operation.env:
            self.line("with", f"the variable `{printable(assignment.name)}` set", depth)

    def policy(self, verdict: Verdict, snapshot: Snapshot) -> None:
        """What holds for all operations together."""
        self.lines.append("")
        for effect, places in _effects(verdict).items():
            for place in places:
                decision = snapshot.defaults.decide(effect, (place,) if place else ())
                where = f" in {place}" if place else ""
                self.line("posture", f"{effect}{where}: {decision.word}", 0)
        if verdict.floor:
            self.line("floor", f"no decision is below prompt: {printable(verdict.floor)}", 0)
        for file in snapshot.files:
            if not file.trusted:
                self.line("trust", f"{printable(file.path)} may only tighten", 0)
        self.line("strictest", _strictest(verdict), 0)
        for amendment in verdict.amendments:
            self.line("amendment", f"to allow it: {amendment.rule}", 0)


def _effects(verdict: Verdict) -> dict[str, list[str]]:
    """The effects that were read, each with the classes it touches; empty where it names none."""
    found: dict[str, dict[str, None]] = {}
    for match in verdict.matches:
        bases = [place for place in match.places if place in BASES]
        for effect in match.effects:
            found.setdefault(effect, {}).update(dict.fromkeys(bases or [""]))
    return {effect: [*places] for effect, places in found.items()}


def _match(match: Match) -> str:
    origin = f" [{printable(str(match.origin))}]" if match.origin else ""
    prefix = f"`{printable(' '.join(match.prefix), 60)}` matched; " if match.prefix else ""
    return f"{match.decision.word}: {prefix}{printable(match.why, 200)}{origin}"


def _near(near: Near) -> str:
    rule = near.rule
    pattern = " ".join("|".join(tokens) for tokens in rule.pattern)
    where = f"word {near.at + 1} is `{printable(near.word, 40)}`" if near.word is not None else ""
    if near.wanted:
        wanted = f"the rule wants `{printable('|'.join(near.wanted), 60)}`"
        where = (
            f"{where or near.why}, {wanted}" if near.word is not None else f"{near.why}, {wanted}"
        )
        if near.why == "the word is computed":
            where += ", and the word is computed"
    else:
        where = near.why
    return f"{rule.decision.word} for `{printable(pattern, 60)}` [{rule.origin}]: {where}"


def _strictest(verdict: Verdict) -> str:
    """How the decisions became one."""
    said: dict[Decision, int] = {}
    for match in verdict.matches:
        said[match.decision] = said.get(match.decision, 0) + 1
    voices: Iterator[str] = (f"{n} × {d.word}" for d, n in sorted(said.items()))
    listed = ", ".join(voices) or "nothing matched"
    return f"{listed}: the strictest is {verdict.decision.word}"

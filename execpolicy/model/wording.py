"""A verdict as a question for the user: the worst first, and what the user can do about it."""

from _collections_abc import Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.rule import USERS, Origin
from execpolicy.model.verdict import Amendment, JudgedOperation, Match, Source, Verdict, quoted
from execpolicy.support.record import Value

MAX_ALSO = 3
MAX_CHARS = 300


class QuestionSummary(Value):
    """What the user should know before an answer.

    `worst` is the worst thing that would happen, `also` what else would, one sentence for each
    operation. `rules` are the places of the users' rules that ask or forbid. `floor` says why
    nothing is allowed at present. `commands` are what to type so that it is not asked again,
    `instead` what to do where nothing is to be typed.
    """

    worst: str
    also: tuple[str, ...] = ()
    rules: tuple[Origin, ...] = ()
    floor: str = ""
    commands: tuple[str, ...] = ()
    instead: str = ""

    @property
    def lines(self) -> "Iterator[tuple[str, str]]":
        """Each thing to say after the worst, with its label."""
        for sentence in self.also[:MAX_ALSO]:
            yield "also", sentence
        if len(self.also) > MAX_ALSO:
            yield "also", f"{len(self.also) - MAX_ALSO} more, which `execpolicy explain` shows"
        for origin in self.rules:
            yield "rule", printable(str(origin), MAX_CHARS)
        if self.floor and self.floor != self.worst:
            yield "broken", self.floor
        if self.instead and not self.rules:
            yield "instead", printable(self.instead, MAX_CHARS)


def question(verdict: Verdict) -> QuestionSummary:
    """The question that a verdict is, or the refusal."""
    found = sorted(
        filter(None, (_worst(j, verdict.decision) for j in verdict.operations)), key=_rank
    )
    sentences = [*dict.fromkeys(printable(m.sentence, MAX_CHARS) for m in found)]
    floor = printable(verdict.floor or "", MAX_CHARS)
    asks = [
        m for m in verdict.matches if m.decision is verdict.decision and m.source is Source.RULE
    ]
    rules = (m.origin for m in asks if m.origin is not None and m.origin.layer in USERS)
    return QuestionSummary(
        sentences[0] if sentences else floor,
        tuple(sentences[1:]),
        tuple(dict.fromkeys(rules)),
        floor,
        tuple(map(command, verdict.amendments)),
        verdict.instead,
    )


def command(amendment: Amendment) -> str:
    """What the user types in a terminal to write the rule of an amendment."""
    if not amendment.argv:
        return f"execpolicy amend --rule {typed(amendment.rule)}"
    options = ("--below",) if amendment.below else ()
    return " ".join(("execpolicy", "amend", *options, "--", *map(typed, amendment.argv)))


def typed(word: str) -> str:
    """The word as it is typed, with what a terminal would not show as escapes of bash."""
    if printable(word) == word:
        return quoted(word)
    return f"$'{''.join(map(_escaped, word))}'"


def _escaped(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # a byte that is no UTF-8
        return f"\\x{ord(char) - 0xDC00:02x}"
    if "\x80" <= char <= "\xff" and printable(char) != char:  # `\x` would be a byte
        return f"\\u{ord(char):04x}"
    return "\\" + char if char in "'\\" else printable(char)


def _worst(judged: JudgedOperation, decision: Decision) -> Match | None:
    """The worst that is said about one operation: one sentence is enough to refuse it."""
    asking = (match for match in judged.matches if match.decision is decision)
    return min(asking, key=_rank, default=None)


def _rank(match: Match) -> int:
    return match.severity

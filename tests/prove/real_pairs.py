"""Proofs about policies that people wrote: `python -m tests.prove.real_pairs [OPTION…] SOURCE…`.

`history:PATH` is each state of PATH in git, compared with states before and after it; all other
sources, as `diff --prove` takes them, and the files of directories, are compared each with each.
`--no-builtin` is for the shipped rules themselves; `--states=FIRST,COUNT` takes so many of a
history; `--commands=FILE` has commands that both sides are asked about where nothing is said to be
looser; `--sample=COUNT` takes so many pairs of the others. Prints
each sort of answer with its number, and the slowest pair.
"""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise, permutations
from pathlib import Path

from execpolicy.commands.policy_sources import load
from execpolicy.commands.proving import side
from execpolicy.model.errors import ExecPolicyError
from execpolicy.prove.catalogues import changes
from execpolicy.prove.compare import compare
from execpolicy.prove.side import Side, command, script
from execpolicy.prove.witness import CANNOT_TELL, NO_LOOSER
from tests.prove.oracle import decided, loosened, replay

FAR = 16
"""Every state is compared with the next one, both ways, and one in so many with one so far on."""
EACH = 20
HISTORY = "history:"
UNREAD = "not readable"
Pair = tuple[str, str]


class Campaign:
    """Compares pairs of sources and counts what comes of it."""

    def __init__(self, builtin: bool, commands: list[str]) -> None:
        self.answers: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.slowest = (0.0, "")
        self._commands = [script(each) for each in commands]
        self.side = lru_cache(64)(lambda source: side(load(source, builtin)))
        self._decided = lru_cache(512)(self._of_commands)

    def _of_commands(self, source: str) -> bytes:
        return decided(self.side(source), self._commands)

    def run(self, pairs: Iterator[Pair]) -> None:
        """Compare each pair."""
        for number, (old, new) in enumerate(pairs):
            if number % EACH == 0:
                print(f"{number}: {dict(self.answers)}, {time.process_time():.0f} s", flush=True)
            try:
                both = self.side(old), self.side(new)
            except ExecPolicyError as error:
                self._count(UNREAD, [str(error).split("error", 1)[-1][:120]])
                continue
            self._compare((old, new), both)

    def _compare(self, names: Pair, both: tuple[Side, Side]) -> None:
        begun = time.process_time()
        proof = compare(*both)
        spent = time.process_time() - begun
        self.slowest = max(self.slowest, (spent, " ".join(names)))
        for witness in proof.witnesses:
            replay(both, witness)
        one = next(changes(both[0].catalogue, both[1].catalogue), None) is None
        answer = f"{proof.answer}, {'one catalogue' if one else 'two catalogues'}"
        self._count(answer, proof.unknown if proof.answer == CANNOT_TELL else ())
        if spent > 5 or proof.answer == CANNOT_TELL:
            print(f"{spent:.1f} s: {proof.answer}:", *names, *proof.unknown[:3], flush=True)
        if proof.answer == NO_LOOSER:
            self._hold(names, both)

    def _count(self, answer: str, reasons: "tuple[str, ...] | list[str]") -> None:
        self.answers[answer] += 1
        self.reasons.update(f"{answer}: {why}" for why in reasons)

    def _hold(self, names: Pair, both: tuple[Side, Side]) -> None:
        """What is no looser is so for what rules of one side name, and for the commands."""
        old, new = ({(r.pattern, r.decision, r.unless) for r in s.policy.rules} for s in both)
        words = {tuple(t[0] for t in pattern) for pattern, _, _ in old ^ new}
        requests = [command((*each, *more)) for each in words for more in ((), ("x",))]
        at = loosened(*(decided(each, requests) for each in both))
        assert at is None, (names, requests[at].argv)
        at = loosened(*map(self._decided, names))
        assert at is None, (names, self._commands[at].text)


def pairs_of(source: str, first: int, count: int) -> Iterator[Pair]:
    """The pairs of a history."""
    path = source.removeprefix(HISTORY)
    log = ["git", "log", "--format=%h", "--reverse", "--", path]
    revisions = subprocess.run(log, capture_output=True, check=True, text=True).stdout.split()
    states = [f"{each}:{path}" for each in revisions][first : first + count]
    for old, new in pairwise(states):
        yield from ((old, new), (new, old))
    far = states[::FAR]
    for old, new in pairwise(far):
        yield from ((old, new), (new, old))


def files_of(source: str) -> Iterator[str]:
    """The files of a directory, each a policy of its own; any other source is one."""
    if os.path.isdir(source):
        yield from sorted(map(str, Path(source).rglob("*.rules")))
    else:
        yield source


def main() -> None:
    options = dict(a[2:].partition("=")[::2] for a in sys.argv[1:] if a[:2] == "--")
    sources = [each for each in sys.argv[1:] if each[:2] != "--"]
    commands = Path(options["commands"]).read_text().splitlines() if "commands" in options else []
    first, count = map(int, options.get("states", "0,10000").split(","))
    campaign = Campaign("no-builtin" not in options, commands)
    for source in sources:
        if source.startswith(HISTORY):
            campaign.run(pairs_of(source, first, count))
    files = [f for s in sources if not s.startswith(HISTORY) for f in files_of(s)]
    pairs = [*permutations(files, 2)]
    count = min(len(pairs), int(options.get("sample", len(pairs))))
    campaign.run(iter(random.Random(0).sample(pairs, count)))  # noqa: S311
    for answer, number in (*campaign.answers.most_common(), *campaign.reasons.most_common(40)):
        print(f"{number:6} {answer}")
    print(f"slowest: {campaign.slowest[0]:.1f} s of processor time, {campaign.slowest[1]}")


if __name__ == "__main__":
    main()

"""Hold the verdicts of random scripts against those of their other spellings.

    python -m tests.shell.spelling_campaign SHELL COUNT [SEED]

For each script that asks, a spelling that `tests.shell.spellings` makes of it is judged. Where its
verdict is looser, the shell runs both; those that it does not run alike are thrown away, the others
are shown as small as deleting makes them. Of all pairs a sample is run, to tell how many of them
are alike, and whether a command that ran asks by itself while its script does not. Exit code 0
only if no verdict was looser.
"""

import contextlib
import os
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from random import Random

from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.support.record import Value
from execpolicy.support.resources import presets_directory
from tests.shell import oracle, stubbed
from tests.shell.drivers import DASH
from tests.shell.pieces import Spelling, pieces, plain, spelled
from tests.shell.spelling_bases import base
from tests.shell.spellings import Changes

SHELLS = {"bash": ("bash", None), "zsh": ("zsh", None), "dash": ("sh", None)}
"""The shells, and how the reader is told of each."""
BATCH = 200
SAMPLED = 20
"""One of so many pairs is run whatever the verdicts are."""
SHRUNK = 25
"""So many that are looser are made small."""

Answer = tuple[Decision, Decision]


class Judge:
    """Verdicts in a home with two repositories, by the shipped rules and by a preset."""

    def __init__(self, home: Path) -> None:
        self.cwd = stubbed.make_home(home)
        self.home = home
        with _environment(HOME=str(home), XDG_CONFIG_HOME=str(home / "none")):
            preset = Path(presets_directory()) / "developer.rules"
            self.engines = (Engine.load(rules=[]), Engine.load(rules=[preset]))

    def answer(self, text: str, pair: "Pair") -> Answer:
        """What is decided about a text, as it is and in the sandbox."""
        verdict = self.engines[pair.engine].check(text, cwd=str(self.cwd), shell=pair.reading)
        return verdict.decision, verdict.confined

    def asks(self, text: str, pair: "Pair", at_most: int) -> bool:
        """Whether something in a text asks, and no more than so much of it."""
        verdict = self.engines[pair.engine].check(text, cwd=str(self.cwd), shell=pair.reading)
        return (
            0 < sum(max(j.decision, j.confined) > Decision.ALLOW for j in verdict.judged) <= at_most
        )

    def calls(self, record: stubbed.Record, pair: "Pair") -> Iterator[tuple[str, Answer]]:
        """The commands that ran, with what is decided about each by itself where it ran."""
        for call in record.calls:
            cwd = call.cwd.replace("~~", str(self.home))
            argv = [word.replace("~~", str(self.home)) for word in call.argv]
            request = Request(argv=tuple(argv), cwd=cwd, root=str(self.cwd))
            verdict = self.engines[pair.engine].decide(request)
            yield f"{' '.join(call.argv)} in {call.cwd}", (verdict.decision, verdict.confined)


class Pair(Value):
    """A script and its other spelling; which engine judges it, and as which shell's text."""

    spelling: Spelling
    engine: int
    reading: str | None

    @property
    def texts(self) -> tuple[str, str]:
        """The script and its other spelling."""
        return plain(self.spelling), spelled(self.spelling)


class Tally(Value):
    """What became of the pairs."""

    tried: int = 0
    looser: int = 0
    ran: int = 0
    alike: int = 0
    unlike_looser: int = 0
    hidden: int = 0


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def is_looser(new: Answer, old: Answer) -> bool:
    """Whether one of the two decisions is."""
    return new[0] < old[0] or new[1] < old[1]


def loosens(pair: Pair, shell: str, judge: Judge) -> bool:
    """Whether the other spelling is judged looser, though the shell that runs both is known.

    A text of an unknown shell asks where one of the shells would ask. A spelling may name its
    shell, `bash <<E`, and then only that one counts.
    """
    old, new = pair.texts
    if not is_looser(judge.answer(new, pair), judge.answer(old, pair)):
        return False
    known = pair.replace(reading=SHELLS[shell][0])
    return is_looser(judge.answer(new, pair), judge.answer(old, known))


def drawn(shell: str, seed: str, judge: Judge) -> Pair:
    """A pair of which the script asks."""
    random = Random(seed)  # noqa: S311
    while True:
        text = base(random, shell)
        pair = Pair(pieces(text), random.randrange(2), random.choice(SHELLS[shell]))
        if not judge.asks(text, pair, at_most=random.choice((1, 1, 1, 9))):
            continue
        if shell == "dash" and oracle.left_out(text, DASH):
            continue
        changed = pair.replace(spelling=Changes(random, shell).changed(pair.spelling))
        if changed.texts[0] != changed.texts[1]:
            return changed


def run_both(pairs: list[Pair], shell: str) -> "list[tuple[stubbed.Record, stubbed.Record]]":
    """What the shell did for both texts of each pair."""
    texts = [text for pair in pairs for text in pair.texts]
    records = stubbed.run(texts, shell) if texts else []
    return list(zip(records[::2], records[1::2], strict=True))


def are_alike(old: stubbed.Record, new: stubbed.Record) -> bool:
    """Whether the shell did the same for both, and something."""
    return bool(old.calls or old.printed) and old == new


def hidden(pair: Pair, record: stubbed.Record, judge: Judge) -> str:
    """A command that ran for the other spelling and asks by itself while the text does not."""
    answer = judge.answer(pair.texts[1], pair)
    if record.shows_secret and answer[0] is Decision.ALLOW:
        return "the secret was printed"
    asking = (shown for shown, call in judge.calls(record, pair) if is_looser(answer, call))
    return next(asking, "")


def shrunk(pair: Pair, shell: str, judge: Judge, is_hidden: bool) -> Pair:
    """A pair as small as deleting makes it that is still looser, alike, and hides a command."""

    def holds(candidate: Pair) -> bool:
        old, new = candidate.texts
        if old == new or not loosens(candidate, shell, judge):
            return False
        ran = run_both([candidate], shell)[0]
        return are_alike(*ran) and (not is_hidden or hidden(candidate, ran[1], judge) != "")

    for change in {piece.change for piece in pair.spelling} - {0}:
        kept = [p.replace(spelled=p.plain) if p.change == change else p for p in pair.spelling]
        if holds(pair.replace(spelling=kept)):
            pair = pair.replace(spelling=kept)
    size = max(1, len(pair.spelling) // 2)
    while size:
        at = 0
        while at < len(pair.spelling):
            candidate = pair.replace(spelling=pair.spelling[:at] + pair.spelling[at + size :])
            if candidate.spelling and holds(candidate):
                pair = candidate
            else:
                at += size
        size //= 2
    return pair


def campaign(shell: str, count: int, seed: str, judge: Judge) -> Tally:
    """What became of so many pairs; those that are looser are printed at once."""
    total = Tally()
    for start in range(0, count, BATCH):
        total = _batch(
            shell,
            [f"{shell}{seed}{n}" for n in range(start, min(start + BATCH, count))],
            judge,
            total,
        )
        print(f"  … {total.tried}: looser {total.looser}", file=sys.stderr, flush=True)
    return total


def _batch(shell: str, seeds: list[str], judge: Judge, total: Tally) -> Tally:
    looser, sampled = [], []
    for n, seed in enumerate(seeds):
        pair = drawn(shell, seed, judge)
        if loosens(pair, shell, judge):
            looser.append(pair)
        elif n % SAMPLED == 0:
            sampled.append(pair)
    ran = run_both([*looser, *sampled], shell)
    found = hid = 0
    for n, (pair, (before, after)) in enumerate(zip([*looser, *sampled], ran, strict=True)):
        what = hidden(pair, after, judge)
        hid += bool(what)
        if n < len(looser) and are_alike(before, after):
            found += 1
            if total.looser + found <= SHRUNK:
                pair = shrunk(pair, shell, judge, bool(what))
            _print("LOOSER", pair, what, shell, judge)
        elif what:
            _print("HIDDEN", pair, what, shell, judge)
    return Tally(
        total.tried + len(seeds),
        total.looser + found,
        total.ran + len(sampled),
        total.alike + sum(are_alike(*both) for both in ran[len(looser) :]),
        total.unlike_looser + len(looser) - found,
        total.hidden + hid,
    )


def _print(word: str, pair: Pair, what: str, shell: str, judge: Judge) -> None:
    old, new = (judge.answer(text, pair) for text in pair.texts)
    print(
        f"{word} {shell} as {pair.reading} by {pair.engine}: {pair.texts[1]!r}\n"
        f"  of {pair.texts[0]!r}: {_shown(new)} < {_shown(old)}{what and f', ran {what}'}",
        flush=True,
    )


def _shown(answer: Answer) -> str:
    return f"{answer[0].name}/{answer[1].name}".lower()


def main(argv: list[str]) -> int:
    """Run the campaign that the words ask for."""
    parser = ArgumentParser(prog="python -m tests.shell.spelling_campaign")
    parser.add_argument("shell", choices=SHELLS)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", nargs="?", default=os.urandom(6).hex())
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as home:
        done = campaign(args.shell, args.count, args.seed, Judge(Path(home)))
    print(
        f"{args.shell} seed={args.seed}: tried {done.tried}, looser {done.looser}; of {done.ran}"
        f" sampled {done.alike} alike; looser but unlike {done.unlike_looser}; hidden {done.hidden}"
    )
    return 1 if done.looser else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

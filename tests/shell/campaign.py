"""Hold random scripts with line continuations against shells, and count what they ran.

    python -m tests.shell.campaign NUMBER [--shell NAME] [--salt SALT]

NUMBER is for each shell and generator. A line for each: the scripts that were tried, how many of
them ran a command, how many commands that were, and what was misread. Exit code 0 only if nothing
was. The salt makes other scripts of the same numbers; without it, they are new ones each time.
"""

import os
import sys
from argparse import ArgumentParser

from execpolicy.support.record import Value
from tests.shell import oracle
from tests.shell.drivers import SHELLS, Shell
from tests.shell.scripts import BATCH, GENERATORS, STRICT, script


class Tally(Value):
    """What became of the scripts of one generator in one shell."""

    tried: int = 0
    running: int = 0
    commands: int = 0
    misread: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.tried + other.tried,
            self.running + other.running,
            self.commands + other.commands,
            self.misread + other.misread,
        )


def tally(scripts: list[str], strict: bool, shell: Shell) -> Tally:
    """What became of one batch."""
    kept = [text for text in scripts if not oracle.left_out(text, shell)]
    runs = oracle.run(kept, shell)
    found = [
        (text, complaint)
        for text, ran in zip(kept, runs, strict=True)
        if ran and (complaint := oracle.complaint(text, ran, strict, shell))
    ]
    return Tally(len(kept), sum(map(bool, runs)), sum(map(len, runs)), tuple(found))


def campaign(kind: str, shell: Shell, number: int, salt: str) -> Tally:
    """What became of `number` scripts of a generator; each that is misread is printed at once."""
    total = Tally()
    strict = kind in STRICT
    for start in range(0, number, BATCH):
        seeds = [f"{kind}{salt}{i}" for i in range(start, min(start + BATCH, number))]
        batch = tally([script(kind, seed, 1) for seed in seeds], strict, shell)
        for text, complaint in batch.misread:
            small = oracle.shrunk(text, strict, shell)
            print(f"MISREAD {shell.name} {kind}: {small!r}\nof {text!r}\n{complaint}", flush=True)
        total += batch
    return total


def main(argv: list[str]) -> int:
    """Run the campaign that the words ask for."""
    parser = ArgumentParser(prog="python -m tests.shell.campaign")
    parser.add_argument("number", type=int)
    parser.add_argument("--shell", choices=SHELLS, action="append")
    parser.add_argument("--salt", default=os.urandom(6).hex())
    args = parser.parse_args(argv)
    misread = 0
    for name in args.shell or SHELLS:
        for kind in GENERATORS:
            done = campaign(kind, SHELLS[name], args.number, args.salt)
            misread += len(done.misread)
            print(
                f"{name} {kind} salt={args.salt}: {done.tried} tried, {done.running} ran"
                f" {done.commands} commands, {len(done.misread)} misread",
                flush=True,
            )
    return 1 if misread else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

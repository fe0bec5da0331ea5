"""What an approval covers: each question's offer is accepted, then broader commands are tried.

    python -m benchmarks.accept_offers [--rules FILE] [--limit N] [--broader N] [--show N] FILE…

A FILE is JSONL with `command`. Everything is decided in a small repository below an empty home; the
rules of an offer go through what `amend` asks of them, into the user's layer, before the next
command. Printed are questions without a way out, offers that are refused or do not help, and, of
broader commands that the same approval must not cover, those that pass. The exit code is 1 if one
does.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.broader import broader
from execpolicy import Decision
from execpolicy.catalogue.banned import banned
from execpolicy.engine.amend.asked import Asked
from execpolicy.engine.amend.change import Amending, canonical
from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.language.compile import compile_text
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Exec, Request
from execpolicy.model.rule import NetworkRule, PathRule, PrefixRule
from execpolicy.model.verdict import Verdict
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.store import amend
from execpolicy.store.snapshot import Snapshot

FILES = (
    *("pyproject.toml", "package.json", "Makefile", "README.md", "a.txt", "b.txt", "main.go"),
    *("data/x.json", ".env", "deploy.yaml", "src/app.py", "src/a.py", "src/main.rs"),
    *("src/a.ts", "tests/test_api.py", "scripts/run.sh", "docs/index.md"),
)


def make(root: pathlib.Path) -> None:
    """A repository with one commit, and remotes."""
    for name in FILES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n" if path.suffix == ".json" else "x\n")
    (root / ".gitignore").write_text(".env\nbuild\ndist\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(root.parent)}
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    url, other = "https://forge.example/o/r.git", "https://evil.example/o/r.git"
    steps = [["init", "-q"], ["remote", "add", "origin", url], ["remote", "add", "evil", other]]
    for words in (*steps, ["add", "-A"], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=root, env=environment, check=True)


def after(snapshot: Snapshot, lines: tuple[str, ...]) -> Snapshot:
    """The snapshot with these rules in the user's layer."""
    rules = compile_text("\n".join(lines), "<accepted>", "user").rules
    prefix = PackedRules.of([rule for rule in rules if isinstance(rule, PrefixRule)])
    paths = [rule for rule in rules if isinstance(rule, PathRule)]
    network = [rule for rule in rules if isinstance(rule, NetworkRule)]
    return snapshot.replace(policy=snapshot.policy.beside(prefix, paths, network))


class Session:
    """A user who accepts the first offer of every question."""

    def __init__(self, engine: Engine, cwd: str) -> None:
        self.engine = engine
        self.cwd = cwd
        self.shipped = engine.snapshot
        self.now = engine.snapshot
        self.accepted: list[tuple[str, Verdict, tuple[str, ...]]] = []
        self.count: collections.Counter[str] = collections.Counter()
        self.told: list[str] = []
        self.path = amend.target("user", cwd)
        pathlib.Path(self.path).parent.mkdir(parents=True, exist_ok=True)

    def ask(self, text: str, snapshot: Snapshot) -> Verdict:
        return decide(Request(text=text, cwd=self.cwd), snapshot, self.engine.resolver)

    def take(self, text: str) -> None:
        """Decide about a command, and accept what is offered."""
        verdict = self.ask(text, self.now)
        if verdict.decision is not Decision.PROMPT:
            self.count[verdict.decision.word] += 1
            return
        self.count["asked"] += 1
        if not verdict.amendments:
            self.count["no way out"] += 1
            self.told.append(f"no way out: {verdict.instead}: {text[:100]!r}")
            return
        lines = tuple(canonical(each.rule) for each in verdict.amendments)
        problem = self.refused(lines, text)
        if problem:
            self.count["refused"] += 1
            self.told.append(f"REFUSED {problem[:160]}: {text[:100]!r}")
            return
        self.now = after(self.now, lines)
        self.accepted.append((text, verdict, lines))
        if self.ask(text, self.now).decision is not Decision.ALLOW:
            self.count["no help"] += 1
            self.told.append(f"NO HELP {lines}: {text[:100]!r}")

    def refused(self, lines: tuple[str, ...], text: str) -> str:
        """Why `amend` would refuse these rules; every 40th is asked about as a whole."""
        for rule in compile_text("\n".join(lines), "<offer>", "user").rules:
            if isinstance(rule, PrefixRule) and not rule.exact:
                why = banned(tuple(tokens[0] for tokens in rule.pattern), self.shipped.catalogue)
                if why:
                    return why
        try:
            if len(self.accepted) % 40 == 0:
                amending = Amending("user", self.path, self.cwd)
                amending.refuse_lines(lines)
                request = Request(text=text, cwd=self.cwd)
                amending.verify_lines(
                    "\n".join(lines).encode() + b"\n", Asked(lines, request=request)
                )
        except ExecPolicyError as error:
            return str(error)
        return ""

    def passing(self, most: int) -> Iterator[tuple[str, str, str]]:
        """Of broader commands, at most so many, those that the approval for another covers."""
        tried: list[tuple[str, str, str, tuple[str, ...]]] = []
        for text, verdict, lines in self.accepted:
            for judged in verdict.judged:
                operation = judged.operation
                if judged.decision and isinstance(operation, Exec):
                    effects = {e for m in judged.matches for e in m.effects}
                    tried += [
                        (text, kind, other, lines) for kind, other in broader(operation, effects)
                    ]
                elif judged.decision:
                    path = getattr(operation, "path", None)
                    tried += [(text, "path", other, lines) for other in into(path, operation)]
        random.Random(7).shuffle(tried)  # noqa: S311
        for text, kind, other, lines in tried:
            if most <= 0:
                return
            if self.ask(other, self.shipped).decision is Decision.ALLOW:
                continue
            most -= 1
            self.count[f"broader: {kind}"] += 1
            if self.ask(other, after(self.shipped, lines)).decision is Decision.ALLOW:
                self.count[f"PASSES: {kind}"] += 1
                yield text, kind, other


def into(path: object, operation: object) -> list[str]:
    """Other programs that read, or write, a path that a redirection opened."""
    if not isinstance(path, str):
        return []
    shown = shlex.quote(path)
    if getattr(operation, "mode", "") == "read":
        return [f"base64 {shown}", f"strings {shown}", f"xxd < {shown}", f"cp {shown} a.txt"]
    return [
        f"find src -fprint {shown}",
        f"sort a.txt -o {shown}",
        f"cp a.txt {shown}",
        f"sed -i s/x/y/ {shown}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", action="append", default=[])
    parser.add_argument("--limit", type=int, default=10**9)
    parser.add_argument("--broader", type=int, default=1000)
    parser.add_argument("--show", type=int, default=30)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    texts = (pathlib.Path(file).read_text(encoding="utf-8") for file in options.files)
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    commands = [row["command"] for row in rows if "command" in row]
    base = pathlib.Path.home() / ".cache"
    base.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="offers-", dir=base) as home:
        os.environ.update(
            HOME=home, XDG_CONFIG_HOME=f"{home}/.config", XDG_STATE_HOME=f"{home}/.state"
        )
        project = pathlib.Path(home) / "app"
        make(project)
        os.chdir(project)
        session = Session(Engine.load(rules=options.rules), str(project))
        for text in commands:
            if session.count["asked"] >= options.limit:
                break
            session.take(text.replace("/home/user/project", str(project)))
        found = list(session.passing(options.broader))
    for line in session.told[: options.show]:
        print(line)
    for text, kind, other in found[: options.show]:
        print(f"PASSES {kind}: {other[:110]!r} by the approval of {text[:90]!r}")
    for name, number in sorted(session.count.items()):
        print(f"{name:28} {number}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

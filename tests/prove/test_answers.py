"""Answers as a user reads them: `answers.txt` holds both policies and what is said."""

from pathlib import Path
from typing import NamedTuple

import pytest

from execpolicy.commands.proving import side
from execpolicy.commands.render.proof import comparison_lines
from execpolicy.prove.compare import compare
from execpolicy.prove.side import Side, decisions
from execpolicy.prove.witness import Proof
from execpolicy.store import loader
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import RulesFile

FILE = Path(__file__).with_name("answers.txt")
MEMORY: dict[object, object] = {}
CATALOGUE = RulesFile(
    "system",
    "/catalogue.rules",
    b"""
program("git status", "", "", effect = "read")
program("git push", "-f/--force!destroy", "text*", effect = "remote")
program("rm", "-r/--recursive", "remove*")
program("shred", "", "remove*")
program("touch", "", "out*")
program("make", "", "text*", effect = "execute", runs = "project", why = "runs the recipes")
program(["npm run", "npm rum", "npm run-script"], "", "text*", effect = "execute")
program(["kit add", "kit log"], "", "text*", effect = "write")
program("kit drop", "", "text*", effect = "destroy", why = "drops all")
program("docker run", "--privileged", "text*", effect = "system")
posture(read = "allow", write = "prompt", destroy = "prompt", remote = "prompt")
program("tag", "-d -s", "text*", effect = "write")
""",
)
"""What the answers are about: small, so that they stay as they are."""


class Example(NamedTuple):
    title: str
    old: str
    new: str
    answer: str


def examples() -> list[Example]:
    chunks = FILE.read_text().split("=======\n")
    found = []
    for chunk in chunks:
        title, _, rest = chunk.partition("--- old\n")
        old, _, rest = rest.partition("--- new\n")
        new, _, answer = rest.partition("--- answer\n")
        found.append(Example(title.strip(), old, new, answer))
    return found


def loaded(name: str, text: str) -> Snapshot:
    file = RulesFile("user", f"/{name}.rules", text.encode())
    snapshot = loader.load([CATALOGUE, file], builtin=False, cached=False, memory=MEMORY)
    assert not snapshot.diagnostics, snapshot.diagnostics
    return snapshot


def said(old: Side, new: Side, title: str) -> str:
    """The answer. A title that ends with `(equal)` asks for the other direction as well."""
    back = compare(new, old).reversed() if title.endswith("(equal)") else None
    lines = comparison_lines(compare(old, new), back)
    return "".join(line.replace(str(Path.cwd()), "") + "\n" for line in lines)


@pytest.mark.parametrize("example", examples(), ids=lambda e: e.title)
def test_answer(example: Example) -> None:
    old, new = side(loaded("old", example.old)), side(loaded("new", example.new))
    proof = compare(old, new)
    assert said(old, new, example.title) == example.answer
    for witness in proof.witnesses:
        pairs = zip(
            decisions(old.judge(witness.request)),
            decisions(new.judge(witness.request)),
            strict=True,
        )
        assert any(after < before for before, after in pairs) or witness.kind == "host"


def test_what_cannot_be_told_says_what_is_known_of_all_else() -> None:
    """Each way in its own words."""
    *_, ours, _, theirs = comparison_lines(Proof((), ("hard",)), Proof((), ("too hard",)))
    assert ours == "all else is decided at least as strictly as before"
    assert theirs == "nothing else is decided more strictly than before"

"""Every host, in each of its modes, to each kind of verdict: one table, in `answers.txt`.

The verdicts are made by hand, so that the table is about the answer alone; the host's settings are
read from files as each host keeps them. `python -m tests.agents.test_answers` writes it again.
"""

from pathlib import Path

import pytest

from execpolicy.commands.answering import answer, consult
from execpolicy.hosts.payloads.protocol import UNATTENDED, ToolCall, meaning
from execpolicy.hosts.protocols import AGENTS, UNHEEDED, load
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Exec, Operation, Request
from execpolicy.model.rule import Origin
from execpolicy.model.verdict import JudgedOperation, Match, Source, Verdict
from tests.agents import own_lists

TABLE = Path(__file__).with_name("answers.txt")
ALLOW, PROMPT, FORBIDDEN = Decision
SHIPPED, USER = Origin("builtin", "b.rules", 1), Origin("user", "u.rules", 1)


def made(operation: Operation, *matches: Match) -> Verdict:
    judged = JudgedOperation(operation, matches)
    return Verdict(judged.decision, (judged,))


def by_catalogue(argv: str, effect: str, *places: str, decision: Decision = PROMPT) -> Verdict:
    match = Match(Source.CATALOGUE, decision, "why", SHIPPED, effects=(effect,), places=places)
    return made(Exec(tuple(argv.split())), match)


RULE = Match(Source.RULE, ALLOW, "why", USER, ("tool",))
PUSH = by_catalogue("deploy now", "remote")
TEST = by_catalogue("npm test", "execute")
EDIT = made(
    Access("/p/a", "write"),
    Match(Source.CATALOGUE, PROMPT, "why", SHIPPED, effects=("write",), places=("project",)),
)

# Each kind of verdict: its name, the verdict, the host's tool and what the user's list there has.
KINDS: list[tuple[str, Verdict, str, str | None]] = [
    ("granted", made(Exec(("tool",)), RULE), "shell", None),
    ("left", by_catalogue("cat /x", "read", "elsewhere", decision=ALLOW), "shell", None),
    ("posture", TEST, "shell", None),
    ("+listed", TEST, "shell", "npm test"),
    ("edit", EDIT, "write", None),
    ("remote", PUSH, "shell", None),
    ("+any", PUSH, "shell", own_lists.ALL),
    ("+named", PUSH, "shell", "deploy"),
    ("asked", by_catalogue("rm x", "destroy", "project"), "shell", None),
    ("+listed", by_catalogue("rm x", "destroy", "project"), "shell", "rm"),
    ("forbid", made(Exec(("tool",)), RULE.replace(decision=FORBIDDEN)), "shell", None),
]  # fmt: skip


def moments(host: str) -> list[tuple[str, str]]:
    """Each event that a command comes with, and each mode. In a request to ask none counts."""
    agent = load(host)
    before = "preToolUse" if host == "cursor" else agent.EVENTS[0]
    found = [(before, mode) for mode in ("", *agent.MODES)]
    return found + [(e, "") for e in agent.EVENTS if e in _OTHERS]


_OTHERS = ("PermissionRequest", "permissionRequest", "evaluate")


def said(host: str, event: str, mode: str, verdict: Verdict, kind: str) -> str:
    """The answer in one word."""
    agent = load(host)
    request = Request(text="…", cwd="/p", root="/p", agent=host)
    call = ToolCall(request, event, "/p", meaning(agent.MODES, mode), "tool", kind)
    heeded = host not in UNHEEDED
    return answer(verdict, call, agent.asks(call), heeded, consult(host, call)).word


def row(host: str, event: str, mode: str, home: Path) -> str:
    """A line of the table."""
    words = []
    for _, verdict, kind, listed in KINDS:
        for path in sorted(home.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        if listed is not None:
            own_lists.allow(host, home, Path("/p"), listed)
        words.append(said(host, event, mode, verdict, kind))
    cells = "".join(f"{word:8}" for word in words)
    return f"{host:12}{event:21}{mode or '(not told)':18}{cells}".rstrip()


HEAD = f"{'host':12}{'event':21}{'mode':18}" + "".join(f"{kind[0]:8}" for kind in KINDS).rstrip()


@pytest.mark.parametrize("host", AGENTS)
def test_the_answers_of_a_host_are_those_of_the_table(host: str, home: Path) -> None:
    lines = TABLE.read_text().splitlines()
    assert lines[0] == HEAD
    expected = [line for line in lines if line.startswith(f"{host} ")]
    assert [row(host, event, mode, home) for event, mode in moments(host)] == expected


def cells() -> list[tuple[str, dict[int, str]]]:
    lines = TABLE.read_text().splitlines()[1:]
    return [(line, dict(enumerate(line[51:].split()))) for line in lines]


def test_no_host_is_widened() -> None:
    """What every line has to keep, whatever else it says."""
    columns = [kind[0] for kind in KINDS]
    listed, named = columns.index("+listed"), columns.index("+named")
    for line, words in cells():
        assert words[columns.index("granted")] in ("grant", "silent"), line
        assert words[columns.index("left")] == "silent", line
        assert set(list(words.values())[1:]) <= {"silent", "ask", "refuse"}, line
        assert words[columns.index("forbid")] == "refuse", line
        host, mode = line[:12].strip(), line[33:51].strip()
        agent = load(host)
        asks = agent.asks(ToolCall(event=line[12:33].strip()))
        if meaning(agent.MODES, mode) == UNATTENDED:
            assert {w for at, w in words.items() if at not in (0, 1, listed, named)} == {"refuse"}
        elif asks:
            assert words[columns.index("asked")] == "ask", line
            assert words[columns.index("remote")] == "ask", line
        else:
            assert "ask" not in words.values(), line
        assert words[len(columns) - 2] != "silent", (
            line
        )  # a list of the host answers no such question


if __name__ == "__main__":
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        os.environ.update(HOME=directory, XDG_CONFIG_HOME=f"{directory}/.config")
        lines = [row(h, e, m, Path(directory)) for h in AGENTS for e, m in moments(h)]
        TABLE.write_text("\n".join([HEAD, *lines, ""]))

"""Gemini CLI's policies through its own loader and policy engine, and through `import gemini`.

What its loader refuses must allow nothing here; what the imported rules allow, its engine allows.
Its engine compares texts, ours words: what it allows in the plainest spelling, it allows.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import run
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from tests.agents import real
from tests.store.support import write

pytestmark = pytest.mark.slow

DRIVER = Path(__file__).parent / "gemini_policies.mjs"


class Theirs:
    """The host's engine in a process of its own, and the home directory that both sides read."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [real.program("node"), str(DRIVER), str(real.package("@google/gemini-cli-core"))],
            stdin=-1,
            stdout=-1,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(home)},
            text=True,
        )

    def say(self, commands: list[str]) -> tuple[list[str], list[str]]:
        """The decisions about commands, and what the loader complains about."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(commands) + "\n")
        self.process.stdin.flush()
        said = json.loads(self.process.stdout.readline())
        return said["decisions"], said["errors"]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theirs]:
    engine = Theirs(tmp_path_factory.mktemp("gemini"))
    yield engine
    engine.process.kill()
    engine.process.communicate()


def ours(home: Path, commands: list[str]) -> list[Decision]:
    """What the rules say that `import` makes of the policies, without any others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
        rules = home / ".config/execpolicy/rules/imported-gemini.rules"
        rules.unlink(missing_ok=True)
        run(dispatch, ["import", "gemini"])
    if not rules.exists():
        return [Decision.PROMPT] * len(commands)
    engine = Engine.load(rules=[rules], builtin=False)
    return [engine.check(command).decision for command in commands]


def wider(theirs: Theirs, policies: list[str], commands: list[str]) -> list[str]:
    """The commands that the import allows and the host does not."""
    folder = theirs.home / ".gemini/policies"
    for number in range(2):
        text = policies[number] if number < len(policies) else ""
        write(folder / f"{number}.toml", text)
    spellings = [[command, *PLAIN.get(command, [])] for command in commands]
    asked = sorted({one for each in spellings for one in each})
    allowed = {c for c, d in zip(asked, theirs.say(asked)[0], strict=True) if d == "allow"}
    here = zip(spellings, ours(theirs.home, commands), strict=True)
    return [
        whole
        for (whole, *parts), decision in here
        if decision is Decision.ALLOW
        and whole not in allowed
        and not (parts and allowed >= {*parts})
    ]


SHELL = 'toolName = "run_shell_command"\n'
PREFIX = SHELL + 'commandPrefix = "{}"\ndecision = "{}"\npriority = {}\n'


def rule(prefix: str, decision: str, priority: int = 100, more: str = "") -> str:
    return "[[rule]]\n" + PREFIX.format(prefix, decision, priority) + more + "\n"


COMMANDS = [
    "mytool",
    "mytool run",
    "mytool run x",
    "mytool drop",
    "mytool drop x",
    "mytools",
    "mytool-x",
    "other run",
    "mytool run && other run",
    "other run; mytool run",
    "mytool run > file",
    "mytool $(other run)",
    "A=1 mytool run",
    "(mytool run)",
    "mytool 'run'",
    "mytool  run",
]

PLAIN = {
    "(mytool run)": ["mytool run"],
    "mytool 'run'": ["mytool run"],
    "mytool  run": ["mytool run"],
    "mytool run && other run": ["mytool run", "other run"],
    "other run; mytool run": ["other run", "mytool run"],
}

# A policy, whether the host's loader has nothing against it, and the commands that both allow.
ROWS = {
    "a prefix": (rule("mytool run", "allow"), True, {"mytool run", "mytool run x"}),
    "a refusal": (
        rule("mytool", "allow") + rule("mytool drop", "deny", 200),
        True,
        {"mytool", "mytool run", "mytool run x", "mytool 'run'", "mytool  run", "(mytool run)"},
    ),
    "a question": (rule("mytool run", "ask_user"), True, set()),
    "no priority": (rule("mytool run", "allow").replace("priority = 100\n", ""), False, set()),
    "a priority too high": (rule("mytool run", "allow", 1000), False, set()),
    "a word that is not a decision": (rule("mytool run", "yes"), False, set()),
    "no tool": (rule("mytool run", "allow").replace(SHELL, ""), False, set()),
    "another tool's prefix": (
        rule("mytool run", "allow").replace("run_shell_command", "write_file"),
        False,
        set(),
    ),
    "a prefix and an expression": (
        rule("mytool run", "allow", more='commandRegex = "x"'),
        False,
        set(),
    ),
    "broken TOML": (rule("mytool run", "allow") + "[[rule", False, set()),
    "another mode": (rule("mytool run", "allow", more='modes = ["plan"]'), True, set()),
    "an expression": (
        "[[rule]]\n" + SHELL + 'commandRegex = "mytool r.*"\ndecision = "allow"\npriority = 1\n',
        True,
        set(),
    ),
}


@pytest.mark.parametrize(("policy", "accepted", "allowed"), ROWS.values(), ids=ROWS)
def test_the_loader_and_the_import_agree(
    policy: str, accepted: bool, allowed: set[str], theirs: Theirs
) -> None:
    assert wider(theirs, [policy], COMMANDS) == []
    assert (theirs.say([])[1] == []) is accepted
    said = zip(COMMANDS, ours(theirs.home, COMMANDS), strict=True)
    assert {c for c, decision in said if decision is Decision.ALLOW} >= allowed


WORDS = st.sampled_from(["mytool", "mytool run", "mytool drop", "other run", "my", "mytool  run"])
TOOLS = st.sampled_from(['"run_shell_command"', '["run_shell_command", "glob"]', '"*"', '"glob"'])
WISHES = st.sampled_from(["allow", "allow", "allow", "deny", "ask_user"])
MORE = st.sampled_from(
    [
        "",
        "",
        "",
        'modes = ["default"]',
        'modes = ["yolo"]',
        "interactive = true",
        "interactive = false",
        'subagent = "x"',
        "allowRedirection = true",
        'argsPattern = "run"',
        'commandRegex = "my.*"',
        'mcpName = "m"',
        "toolAnnotations = { a = 1 }",
        "unknown = 1",
    ]
)


@st.composite
def policies(draw: st.DrawFn) -> str:
    """A rule that the loader takes."""
    lines = [f"toolName = {draw(TOOLS)}"]
    if draw(st.integers(0, 5)):
        prefixes = draw(st.lists(WORDS, min_size=1, max_size=2))
        lines.append(f"commandPrefix = {json.dumps(prefixes)}")
    lines.append(f'decision = "{draw(WISHES)}"')
    lines.append(f"priority = {draw(st.sampled_from([0, 1, 1, 2, 50, 999]))}")
    return "\n".join(["[[rule]]", *lines, draw(MORE)]) + "\n"


FILES = st.lists(st.lists(policies(), min_size=1, max_size=3).map("\n".join), max_size=2)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(FILES)
def test_nothing_imported_is_wider(theirs: Theirs, files: list[str]) -> None:
    assert wider(theirs, files, COMMANDS) == []

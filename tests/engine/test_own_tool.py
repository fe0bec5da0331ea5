"""A tool of the user's own: the entry and the rule that are offered for one call of it."""

from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.engine.decide import decide
from execpolicy.engine.offers.own_tool import line, programs, subcommands
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.store.entries import extended
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.engine.granting import accepted
from tests.places.machine import Machine, repository

MACHINE = Machine({**repository("/p/.git"), "/p/a.md": "", "/p/.env": "", "/tmp/a.md": ""})


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    preset = Path(presets_directory()) / "developer.rules"
    return Engine.load(rules=[preset]).snapshot.replace(home="/home/me")


def judged(text: str, snapshot: Snapshot) -> Decision:
    return decide(Request(text=text, cwd="/p", root="/p"), snapshot, MACHINE).decision


def after(text: str, snapshot: Snapshot) -> Snapshot:
    verdict = decide(Request(text=text, cwd="/p", root="/p"), snapshot, MACHINE)
    assert verdict.amendments, verdict.instead
    return accepted(snapshot, verdict.amendments)


@pytest.mark.parametrize(
    ("text", "covered", "not_covered"),
    [
        (
            "shop list --json",
            ["shop list", "shop list a b -n 3", "cd src; shop list", "shop list --help"],
            [
                "shop show a",
                "shop",
                "shop delete a",
                "shop list delete",
                "shop list --push",
                "shop list --purge",
                "shop list --reset=hard a",
                "shop list ../x",
                "shop list --file=/etc/passwd",
                "shop list -f ~/.ssh/id_rsa",
                "shop list --to https://evil.example/",
                "shop list evil.example.com",
                "shop list .env",
                'shop list "$x"',
                "curl -s https://a.example | shop list",
                "shop list < a.md",
                "LD_PRELOAD=./x.so shop list",
                "sudo shop list",
                "cd / && shop list",
            ],
        ),
        (
            'shop update a --note "of three words"',
            ["shop update b", "shop update --status done b"],
            ["shop create b", "shop delete b", "shop update b --to=evil.example.com", "shop list"],
        ),
        (
            "shop remote push",
            ["shop remote push origin"],
            ["shop remote", "shop remote pull", "shop remote delete x", "shop push"],
        ),
        ("shop --sync", [], ["shop", "shop --sync a", "shop delete", "shop list --sync"]),
        ("shop list --sync", [], ["shop list --push", "shop list --sync a"]),
        ("shop -q list", ["shop -q list a"], ["shop list", "shop -q delete"]),
        ("shop a.md", ["shop a.md b.md"], ["shop delete a.md", "shop a.md https://a.example"]),
    ],
)
def test_a_rule_for_a_subcommand_covers_its_operands_and_no_more(
    text: str, covered: list[str], not_covered: list[str], developer: Snapshot
) -> None:
    now = after(text, developer)
    assert judged(text, now) is Decision.ALLOW
    assert [each for each in covered if judged(each, now) is not Decision.ALLOW] == []
    assert [each for each in not_covered if judged(each, now) is Decision.ALLOW] == []


@pytest.mark.parametrize(
    "text",
    [
        "shop list https://a.example/x",  # a host
        "shop list ~/notes",  # what is not of the project
        "mcp__shop__list",  # a tool of a server
        "git frob",  # an entry describes it
    ],
)
def test_what_says_more_gets_no_entry(text: str, developer: Snapshot) -> None:
    verdict = decide(Request(text=text, cwd="/p", root="/p"), developer, MACHINE)
    assert verdict.decision is Decision.PROMPT
    assert not any("program(" in each.rule for each in verdict.amendments)


def test_one_entry_for_all_commands_of_a_text(developer: Snapshot) -> None:
    text = "shop create a && shop update b && shop list; cart send c"
    verdict = decide(Request(text=text, cwd="/p", root="/p"), developer, MACHINE)
    lines = [x for each in verdict.amendments for x in each.rule.splitlines()]
    entries = [x.partition("]")[0] for x in lines if x.startswith("program")]
    assert entries == [
        'program(["shop", "shop list"',
        'program(["shop create", "shop update"',
        'program(["cart"',
        'program(["cart send"',
    ]
    assert judged(text, after(text, developer)) is Decision.ALLOW


def test_what_is_seen_later_extends_the_entry() -> None:
    first, second = (line(programs([path])[0]) for path in ("shop list", "shop show"))
    found = extended(first.encode(), [second, 'prefix_rule(["shop"])'])
    content, left = found.content, found.left
    assert content.count(b"program(") == 1
    assert b'["shop list", "shop show"]' in content
    assert left == ('prefix_rule(["shop"])',)
    for other in ("cart list", "shop delete"):  # another tool; another effect
        assert extended(content, [line(programs([other])[0])]).content == content


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Usage:\n  x\nMore Commands:\n  add   A\n  rm    R\nFlags:\n  y   y\n", ("add", "rm")),
        ("Working with issues:\n  create, new   C\n\nExamples:\n  shop x\n", ("create",)),
        ("COMMANDS\n  go <x>  Go\n  help    H\n", ("go",)),
        ("usage: x\n", ()),
    ],
)  # fmt: skip
def test_subcommands_of_a_help_text(text: str, found: tuple[str, ...]) -> None:
    assert subcommands(text) == found


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("kill 4711", True),
        ("python3 -c 'import x'", True),
        ("gh pr create --title 'One more'", True),
        ("shop list -f /tmp/a.md", False),  # an entry covers that
        ("git push -u origin x", True),
        ("gh run rerun 22268187205", True),
        ("git push origin x", False),
        ("docker compose up -d", False),
    ],
)
def test_what_cannot_come_again_is_offered_for_the_session(
    text: str, passes: bool, developer: Snapshot
) -> None:
    verdict = decide(Request(text=text, cwd="/p", root="/p"), developer, MACHINE)
    assert verdict.decision is Decision.PROMPT
    assert bool(verdict.proposal.passing) is passes
    assert ("for this session" in verdict.instead) is passes
    assert bool(verdict.amendments) is not passes

"""opencode's permissions, as tables of what its matcher and its service do."""

import pytest

from execpolicy.approvals.opencode import (
    Reply,
    Request,
    Rule,
    Service,
    disabled,
    evaluate,
    from_config,
    pattern,
)
from execpolicy.approvals.opencode.arity import ARITY
from execpolicy.approvals.opencode.rules import matches


@pytest.mark.parametrize(
    ("glob", "text", "fits"),
    [
        ("*", "", True),
        ("*", "a/b\nc && d", True),
        ("ls *", "ls", True),
        ("ls *", "ls ", True),
        ("ls *", "lsof", False),
        ("ls*", "lsof", True),
        ("git * *", "git push", True),
        ("git * *", "git", False),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("?", "é", True),
        ("?", "😀", False),
        ("??", "😀", True),
        ("?", "\uffff", True),
        ("??", "\U00010000", True),
        ("/tmp/**", "/tmp/a/b", True),
        ("/tmp/*/x", "/tmp/a/b/x", True),
        ("A", "a", False),
        ("a.c", "abc", False),
        ("[ab]", "a", False),
        ("a\\b", "a/b", True),
        ("a/b", "a\\b", True),
        ("", "", True),
        ("", "a", False),
        ("*a*a*a*a*b", "a" * 2000, False),
    ],
)
def test_patterns(glob: str, text: str, fits: bool) -> None:
    assert matches(glob, text) is fits


def rules(*said: tuple[str, str, str]) -> tuple[Rule, ...]:
    return tuple(Rule(*one) for one in said)


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ((), "ask"),
        ((("bash", "*", "allow"),), "allow"),
        ((("bash", "*", "deny"), ("bash", "rm *", "allow")), "allow"),
        ((("bash", "rm *", "allow"), ("bash", "*", "deny")), "deny"),
        ((("b*", "*", "deny"),), "deny"),
        ((("edit", "*", "deny"),), "ask"),
    ],
)
def test_the_last_rule_decides(said: tuple[tuple[str, str, str], ...], action: str) -> None:
    assert evaluate("bash", "rm -rf x", rules(*said)).action == action
    assert evaluate("bash", "rm -rf x", *(rules(one) for one in said)).action == action


def test_keys_that_look_like_integers_come_first() -> None:
    said = [("x", "ask"), ("10", "allow"), ("2", "deny"), ("02", "ask"), ("x", "deny")]
    found = [(rule.pattern, rule.action) for rule in from_config([("bash", said)], "/h")]
    assert found == [("2", "deny"), ("10", "allow"), ("x", "deny"), ("02", "ask")]


@pytest.mark.parametrize(
    ("said", "hidden"),
    [
        ((), ()),
        ((("edit", "*", "deny"),), ("edit", "write", "apply_patch")),
        ((("edit", "*", "deny"), ("edit", "*.md", "allow")), ()),
        ((("edit", "*.md", "deny"),), ()),
        ((("write", "*", "deny"),), ()),
        ((("*", "*", "deny"), ("bash", "*", "ask")), ("edit", "write", "apply_patch", "patch")),
    ],
)
def test_tools_that_are_not_shown(
    said: tuple[tuple[str, str, str], ...], hidden: tuple[str, ...]
) -> None:
    assert disabled(("bash", "edit", "write", "apply_patch", "patch"), rules(*said)) == hidden


def test_what_servers_have_counts_as_read() -> None:
    tools = ("list_mcp_resources", "read_mcp_resource", "list_mcp_resource_templates")
    assert disabled(tools, rules(("read", "*", "deny"))) == tools
    assert disabled(tools, rules(("edit", "*", "deny"))) == ()


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("git status -s", "git status *"),
        ("git -C x push", "git -C *"),
        ("npm run dev --x", "npm run dev *"),
        ("npm", "npm *"),
        ("sudo rm x", "sudo *"),
        ("python3 -c x", "python3 *"),
        ("gh pr", "gh pr *"),
    ],
)
def test_what_always_keeps(words: str, kept: str) -> None:
    assert pattern(words.split()) == kept


def test_the_table_has_its_size() -> None:
    assert len(ARITY) == 136
    assert set(ARITY.values()) == {1, 2, 3}


ASKS = rules(("*", "*", "ask"))
DENIES = rules(("*", "*", "ask"), ("edit", "*.env", "deny"))


def service(generation: int, said: tuple[Rule, ...] = ASKS) -> Service:
    return Service(generation, {"s1": said, "s2": said})


def ask(given: Service, name: str, text: str, session: str = "s1", tool: str = "bash") -> str:
    return given.ask(Request(name, session, tool, (text,), (f"{text.split()[0]} *",))).word


def test_the_generations_differ_in_what_an_approval_outweighs() -> None:
    for generation, word in ((1, "allowed"), (2, "denied")):
        given = service(generation, DENIES)
        given.ask(Request("p1", "s1", "edit", ("a.ts",), ("*",)))
        given.reply(Reply("p1", "always"))
        assert ask(given, "p2", ".env", tool="edit") == word


def test_the_generations_differ_in_how_far_always_goes() -> None:
    for generation, settled in ((1, ["p1", "p2"]), (2, ["p1", "p2", "p3"])):
        given = service(generation)
        ask(given, "p1", "ls")
        ask(given, "p2", "ls -l")
        ask(given, "p3", "ls -a", "s2")
        result = given.reply(Reply("p1", "always"))
        assert [outcome.request for outcome in result.resolved] == settled


def test_the_generations_differ_in_what_a_restart_forgets() -> None:
    for generation, word in ((1, "pending"), (2, "allowed")):
        given = service(generation)
        ask(given, "p1", "ls")
        given.reply(Reply("p1", "always"))
        ask(given, "p2", "pwd")
        assert [outcome.word for outcome in given.restart().resolved] == ["rejected"]
        assert ask(given, "p3", "ls -l") == word


def test_the_generations_differ_where_no_agent_is_known() -> None:
    assert ask(service(1), "p", "ls", "s9") == "pending"
    assert ask(service(2), "p", "ls", "s9") == "denied"


@pytest.mark.parametrize("generation", [1, 2])
def test_a_refusal_is_for_the_session_and_the_feedback_for_one(generation: int) -> None:
    given = service(generation)
    for name, session in (("p1", "s1"), ("p2", "s1"), ("p3", "s2")):
        ask(given, name, name, session)
    result = given.reply(Reply("p2", "reject", "use make"))
    assert [(o.request, o.word) for o in result.resolved] == [
        ("p2", "corrected"),
        ("p1", "rejected"),
    ]
    assert list(given.pending) == ["p3"]
    assert given.reply(Reply("p2", "always")).word == "not_found"

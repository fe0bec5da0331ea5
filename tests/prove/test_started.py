"""A command that starts another one has that one's effects: it is tried with each of them."""

import pytest

from execpolicy.commands.proving import side
from execpolicy.prove.compare import compare
from execpolicy.prove.questions.query import passing
from execpolicy.prove.side import Side
from execpolicy.prove.witness import LOOSER
from execpolicy.store import loader
from execpolicy.store.sources.files import RulesFile
from tests.prove.oracle import replay

MEMORY: dict[object, object] = {}
MAKE = 'prefix_rule(["make", "lint"])\n'


def shipped(text: str) -> Side:
    """The shipped rules, and these of a user."""
    snapshot = loader.load([RulesFile("user", "/a.rules", text.encode())], memory=MEMORY)
    assert not snapshot.diagnostics, snapshot.diagnostics
    return side(snapshot)


def stops(program: str, *effects: str, decision: str = "forbidden") -> str:
    return f'prefix_rule({program.split()}, "{decision}", effects = {[*effects]})\n'


LOOSENS = [
    (stops("nice", "execute"), "", "nice make"),
    (stops("timeout", "execute"), "", "timeout 1 make"),
    (stops("sudo", "execute"), "", "sudo make"),
    (stops("nice", "destroy"), "", "nice rm x"),
    (stops("nice", "network", "remote"), "", "nice curl https://host.example/"),
    (stops("bash", "destroy"), "", "bash -c 'rm x'"),
    (stops("ssh", "destroy"), "", "ssh x 'rm x'"),
    (stops("docker exec", "destroy"), "", "docker exec x rm x"),
    (stops("find", "execute", "destroy"), stops("find", "destroy"), "find . -exec make ';'"),
    (stops("nice", "execute", decision="prompt") + MAKE, MAKE, "nice make lint"),
]


@pytest.mark.parametrize(("old", "new", "shown"), LOOSENS, ids=[row[2] for row in LOOSENS])
def test_what_a_started_command_does_is_seen(old: str, new: str, shown: str) -> None:
    both = shipped(old), shipped(new)
    proof = compare(*both)
    assert (proof.answer, proof.witnesses[0].shown) == (LOOSER, shown)
    replay(both, proof.witnesses[0])


PASSES = [
    ('prefix_rule(["curl"], hosts = ["a.example"])', "network", "curl", "curl a.example"),
    (
        'network_rule("*.b.example", "https", "allow")',
        "network",
        "curl",
        "curl https://a.b.example/",
    ),
    ('prefix_rule(["git", "push"], hosts = ["a.example"])', "remote", "git push", "a.example"),
    (
        'path_rule(["/srv/**"], modes = ["write"], decision = "allow")',
        "write",
        "touch",
        "touch /srv/x",
    ),
    ('posture(destroy = {"temporary": "allow"})', "destroy", "timeout", "timeout 1 rm /tmp/d/x"),
    ('posture(destroy = {"temporary": "allow"})', "destroy", "bash", "bash -c 'rm /tmp/d/x'"),
    (MAKE, "execute", "find", "find . -exec make lint ';'"),
]


@pytest.mark.parametrize(("rules", "effect", "words", "shown"), PASSES)
def test_what_rules_let_pass_is_found(rules: str, effect: str, words: str, shown: str) -> None:
    found = [each.shown for each in passing(shipped(rules), tuple(words.split()), (effect,))]
    assert any(shown in each for each in found), found[:5]


def test_what_is_removed_is_there() -> None:
    """Removing what is not there loses nothing, and is not an example of it."""
    found = passing(shipped('prefix_rule(["rm"], effects = ["read"])'), ("rm",), ("destroy",))
    assert [*found] == []

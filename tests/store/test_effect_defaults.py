"""What postures say about effects, and that `remote` includes `network`."""

from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.store.effect_defaults import EffectDefaults
from tests.store.support import decision, user

ALLOW, PROMPT, FORBIDDEN = Decision

BASE = 'posture(network = "prompt", remote = "prompt")'

ROWS = [
    ("", PROMPT, PROMPT),
    ('posture(network = "allow")', ALLOW, PROMPT),
    ('posture(network = "forbidden")', FORBIDDEN, FORBIDDEN),
    ('posture(remote = "forbidden")', PROMPT, FORBIDDEN),
    ('posture(remote = "allow")', PROMPT, PROMPT),
    ('posture(network = "allow", remote = "allow")', ALLOW, ALLOW),
    ('posture(network = "forbidden", remote = "allow")', FORBIDDEN, FORBIDDEN),
    ('posture(network = "allow", remote = "forbidden")', ALLOW, FORBIDDEN),
]


@pytest.mark.parametrize(("text", "network", "remote"), ROWS)
def test_remote_is_never_looser_than_network(
    text: str, network: Decision, remote: Decision
) -> None:
    postures = [p for layer in (BASE, text) for p in compile_text(layer).postures]
    defaults = EffectDefaults(postures)
    assert (defaults.decide("network"), defaults.decide("remote")) == (network, remote)


def test_the_layer_that_forbids_network_decides_about_remote() -> None:
    text = compile_text('posture(network = "forbidden")', "a.rules", "user")
    defaults = EffectDefaults([*compile_text(BASE, "b.rules", "builtin").postures, *text.postures])
    assert defaults.layer("remote") == "user"


FILES = [
    # what the files of one layer say, in this order: write elsewhere, in the project; what is dead
    (('write = "prompt"', 'write = "forbidden"'), FORBIDDEN, FORBIDDEN, ["a0:1"]),
    (('write = "forbidden"', 'write = "prompt"'), FORBIDDEN, FORBIDDEN, ["a1:1"]),
    (('write = "prompt"', 'write = {"project": "allow"}'), PROMPT, PROMPT, ["a1:1"]),
    (('write = {"project": "allow"}', 'write = "prompt"'), PROMPT, PROMPT, ["a0:1"]),
    (('write = {"project": "forbidden"}', 'write = "allow"'), ALLOW, FORBIDDEN, []),
    (('write = "allow"', 'read = "forbidden"'), ALLOW, ALLOW, []),
    (('write = {"project": "allow"}',), PROMPT, ALLOW, []),
]


@pytest.mark.parametrize(("said", "elsewhere", "inside", "dead"), FILES)
def test_of_the_files_of_one_layer_the_strictest_decides(
    said: tuple[str, ...], elsewhere: Decision, inside: Decision, dead: list[str]
) -> None:
    files = [(f"posture({text})", f"a{number}", "user") for number, text in enumerate(said)]
    files = [('posture(write = "forbidden")', "b", "builtin"), *files]
    defaults = EffectDefaults([p for file in files for p in compile_text(*file).postures])
    if said == ('write = {"project": "allow"}',):
        elsewhere = FORBIDDEN  # what the layer below says
    assert (defaults.decide("write"), defaults.decide("write", ("project",))) == (elsewhere, inside)
    assert [str(d.span) for d in defaults.dead] == dead


def test_a_dead_posture_is_told_where_rules_are_loaded(home: Path) -> None:
    user(home, 'posture(network = "forbidden")', "a.rules")
    user(home, 'posture(network = "allow")', "b.rules")
    told = Engine.load().snapshot.diagnostics
    assert [(d.code, d.severity, Path(d.span.file).name) for d in told] == [
        ("dead", "warning", "b.rules")
    ]
    assert decision(home, "curl https://example.org") is FORBIDDEN


def test_remote_is_never_looser_than_a_network_that_nobody_speaks_of() -> None:
    defaults = EffectDefaults(compile_text('posture(remote = "allow")').postures)
    assert (defaults.decide("network"), defaults.decide("remote")) == (PROMPT, PROMPT)


OPENING = 'posture(confined = {"execute": {"project": "allow"}})'
INSIDE = [
    # layers and files of postures, and what code of the project may do in the sandbox then
    ([('posture(execute = "forbidden")', "a", "user"), (OPENING, "b", "user")], FORBIDDEN),
    ([(OPENING, "b", "user"), ('posture(execute = "forbidden")', "a", "user")], FORBIDDEN),
    ([(OPENING, "b", "builtin"), ('posture(execute = "forbidden")', "a", "user")], FORBIDDEN),
    ([('posture(execute = "forbidden")', "a", "builtin"), (OPENING, "b", "user")], ALLOW),
    ([('posture(execute = "forbidden")\n' + OPENING, "a", "user")], ALLOW),
    ([('posture(execute = "prompt")', "a", "user"), (OPENING, "b", "user")], ALLOW),
    (
        [('posture(execute = {"system": "forbidden"})', "a", "user"), (OPENING, "b", "user")],
        ALLOW,
    ),
]


@pytest.mark.parametrize(("files", "expected"), INSIDE)
def test_what_is_forbidden_stays_so_in_the_sandbox(
    files: list[tuple[str, str, str]], expected: Decision
) -> None:
    """Unless the same file, or a higher layer, says what holds there."""
    defaults = EffectDefaults([p for file in files for p in compile_text(*file).postures])
    assert defaults.confined("execute", ("project",)) is expected

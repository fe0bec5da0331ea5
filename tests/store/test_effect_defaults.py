"""What postures say about effects, and that `remote` includes `network`."""

import pytest

from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.store.effect_defaults import EffectDefaults

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

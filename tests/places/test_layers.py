"""What a `place(...)` of each layer may do: a project adds below its root, and no layer shrinks
`policy`."""

import re

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.model.errors import PolicyError
from execpolicy.model.operation import Request
from execpolicy.model.rule import PlaceRule
from execpolicy.policy.policy import Policy
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.places.machine import Machine, repository

HOME = "/home/me"
ROOT = f"{HOME}/app"
FILES = {
    **repository(f"{ROOT}/.git"),
    f"{ROOT}/a.txt": "",
    f"{HOME}/lib/b.txt": "",
}
ALLOW, PROMPT = Decision.ALLOW, Decision.PROMPT


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    return Engine.load(rules=[f"{presets_directory()}/developer.rules"]).snapshot


def decided(snapshot: Snapshot, layer: str, line: str, text: str) -> Decision:
    old = snapshot.policy
    more = [rule for rule in compile_text(line, layer=layer).rules if isinstance(rule, PlaceRule)]
    places = [*old.places.rules, *old.places.bases.rules, *more]
    policy = Policy([*places, *old.paths.rules], old.packed)
    request = Request(text=text, cwd=ROOT, shell="bash")  # noqa: S604
    machine = Machine(FILES, root=ROOT)
    return decide(request, snapshot.replace(policy=policy, home=HOME), machine).decision


ADDED = [
    # the layer, its line, a command, and what is decided without the line and with it
    ("user", 'place("credentials", ["**/*.token"])', "cat x.token", ALLOW, PROMPT),
    ("user", 'place("control", ["/tmp/x/*"])', "touch /tmp/x/y", ALLOW, PROMPT),
    ("user", 'place("project", ["~/lib/*"])', "touch ~/lib/b.txt", PROMPT, ALLOW),
    ("system", 'place("project", ["~/lib/*"])', "touch ~/lib/b.txt", PROMPT, ALLOW),
    ("project", 'place("credentials", ["./x.token"])', "cat x.token", ALLOW, PROMPT),
    ("project", 'place("control", ["**/*.hook"])', "touch a.hook", ALLOW, PROMPT),
    # `**/` of a project is below its root
    ("project", 'place("credentials", ["**/*.txt"])', "cat a.txt", ALLOW, PROMPT),
    ("project", 'place("credentials", ["**/*.md"])', "cat /srv/b.md", ALLOW, ALLOW),
    ("project", 'place("credentials", ["b.md"])', "cat /srv/b.md", ALLOW, ALLOW),
    # only the user takes paths out, and nobody out of `policy`
    ("user", 'place("credentials", [], unless = ["./.env"])', "touch .env", PROMPT, ALLOW),
    ("user", 'place("control", [], unless = ["./.envrc"])', "touch .envrc", PROMPT, ALLOW),
    ("user", 'place("control", [], unless = ["./.envrc"])', "touch x/.envrc", PROMPT, PROMPT),
    ("user", 'place("policy", [], unless = ["/*"])', "touch .execpolicy/x", PROMPT, PROMPT),
]


@pytest.mark.parametrize(("layer", "line", "text", "without", "expected"), ADDED)
def test_what_a_line_adds_and_takes_out(
    developer: Snapshot, layer: str, line: str, text: str, without: Decision, expected: Decision
) -> None:
    assert decided(developer, layer, "", text) is without
    assert decided(developer, layer, line, text) is expected


REFUSED = [
    ("project", 'place("control", ["~/x/*"])', "may lie outside the project"),
    ("project", 'place("credentials", ["/etc/x"])', "may lie outside the project"),
    ("project", 'place("control", ["$PATH/*"])', "may lie outside the project"),
    ("project", 'place("control", [], unless = ["./.envrc"])', "has no effect here"),
    ("system", 'place("credentials", [], unless = ["./.env"])', "has no effect here"),
    ("project", 'place("project", ["./../x/*"])', "is not a class that a file declares"),
    ("project", 'place("project", ["./x/*"])', "is not a class that a file declares"),
    ("user", 'place("project", ["~/*"])', "is not a directory of a project"),
    ("user", 'place("project", ["/*"])', "is not a directory of a project"),
    ("user", 'place("project", ["~/lib"])', "is not a directory of a project"),
    ("user", 'place("project", ["~/l?b/*"])', "is not a directory of a project"),
    ("user", 'place("project", ["**/lib/*"])', "is not a directory of a project"),
    ("user", 'place("temporary", ["/x/*"])', "is not a class that a file declares"),
    ("user", 'place("nothing", ["/x/*"])', "unknown class"),
    ("user", 'place("control", ["a/b"])', "is a relative path"),
    ("user", 'place("control", ["./a/../b"])', "climbs with `..`"),
]


@pytest.mark.parametrize(("layer", "line", "message"), REFUSED)
def test_what_a_layer_may_not_say(layer: str, line: str, message: str) -> None:
    with pytest.raises(PolicyError, match=re.escape(message)):
        compile_text(line, layer=layer)

"""What is said of files before they are trusted: examples of what they let through."""

import pytest

from execpolicy.commands.proving import opened
from execpolicy.store.sources.files import RulesFile

SAID = [
    (
        'prefix_rule(["widget", "push"], effects = ["unknown"], exact = True)',
        "loosens: widget push",
    ),
    ('network_rule("x.example", "https", "allow")', "loosens: a connection: https://x.example"),
    ('prefix_rule(["widget", "push"], "forbidden")', "loosens nothing"),
    # it asks for `execute` as well
    ('prefix_rule(["terraform", "apply"], effects = ["remote"])', "loosens nothing"),
]


@pytest.mark.parametrize(("text", "said"), SAID, ids=[said for _, said in SAID])
def test_once_it_is_trusted(text: str, said: str) -> None:
    file = RulesFile("project", "/p/.execpolicy/rules/a.rules", text.encode(), trusted=False)
    first = next(opened([file], [file.replace(trusted=True)]))
    assert first.startswith(said)

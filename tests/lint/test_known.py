"""Slips and evasions are found in every alternative, in the middle of patterns, in exceptions."""

import pytest

from execpolicy.lint.run import lint
from execpolicy.store.sources.files import RulesFile

CASES = [
    # Code, what it is about, column.
    ('prefix_rule(["git", "stauts", "-s"])', ["unknown-subcommand stauts 21"]),
    ('prefix_rule(["git", ["status", "shwo"], "-s"])', ["unknown-subcommand shwo 32"]),
    (
        'prefix_rule(["git"], "prompt", unless = [["git", "stauts"]])',
        ["unknown-subcommand stauts 50"],
    ),
    (
        'prefix_rule(["git", "push"], "prompt", unless = [["git", "push", "--dry-rnu"]])',
        ["unknown-option --dry-rnu 66"],
    ),
    ('prefix_rule(["git", "push"], "prompt", unless = [["git", "push", "--dry-run"]])', []),
    ('prefix_rule([["git", "kubctl"], "x"], "prompt")', ["unknown-program kubctl 22"]),
    (
        'prefix_rule(["git", ["push", "commit"], "--force"], "forbidden")',
        [
            "evaded-alias --force 41",
            "evaded-order git push 41",
            "evaded-order git commit 41",
        ],
    ),
    (
        'prefix_rule([["git", "hg"], "push", ["-f", "--force"]], "forbidden")',
        ["evaded-order git push 38", "evaded-order hg push 38"],
    ),
    ('prefix_rule(["curl"], effects = ["network"], hosts = ["a.example"])', []),
    (
        'prefix_rule(["curl"], effects = ["network"], hosts = ["@configured"])',
        ["banned-prefix curl 14"],
    ),
    (
        'prefix_rule(["curl"], effects = ["execute", "network"], hosts = ["a.example"])',
        ["banned-prefix curl 14"],
    ),
    ('prefix_rule(["rm", ["-r", "-f"]], "prompt")', ["evaded-alias -r 21", "evaded-order rm 21"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_every_place_is_looked_at(text: str, expected: list[str]) -> None:
    found = [
        f
        for f in lint([RulesFile("user", "x.rules", text.encode())])
        if f.code.startswith(("unknown-", "evaded-", "banned-"))
    ]
    assert len(found) == len(expected), [f.diagnostic.message for f in found]
    for finding, wanted in zip(found, expected, strict=True):
        code, _, rest = wanted.partition(" ")
        what, _, column = rest.rpartition(" ")
        assert (finding.code, finding.span.column) == (code, int(column))
        assert f"`{what}" in finding.diagnostic.message


CLEAN = [
    'prefix_rule(["rsync", "a/", "h:b/"], effects = ["remote"], hosts = ["h"], exact = True,'
    ' match = [["rsync", "a/", "h:b/"]])',
    'prefix_rule(["scp", "a", "h:b"], effects = ["remote"], hosts = ["h"], exact = True,'
    ' match = [["scp", "a", "h:b"]])',
    'prefix_rule(["./x.sh"], effects = ["execute"], below = True)',
    'prefix_rule(["nc", "-z", "h", "1"], effects = ["network"], exact = True,'
    ' match = [["nc", "-z", "h", "1"]])',
    'prefix_rule(["git", "push"], effects = ["remote"], hosts = ["@configured"])',
]


@pytest.mark.parametrize("text", CLEAN)
def test_what_is_meant_so_is_clean(text: str) -> None:
    found = lint([RulesFile("user", "x.rules", text.encode())])
    assert [each.code for each in found] == []

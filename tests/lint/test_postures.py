"""A posture that decides nothing is found, in its own file and beside others."""

import pytest

from execpolicy.lint.run import lint
from execpolicy.store.sources.files import RulesFile

FIRST = 'posture(read = "allow", write = "prompt")\n'
CASES = [
    ([FIRST, 'posture(write = "allow")\n'], ["b.rules:1 `write`"]),
    (['posture(execute = "allow")\n', 'posture(execute = "forbidden")\n'], ["a.rules:1 `execute`"]),
    ([FIRST, FIRST], []),
    ([FIRST, 'posture(destroy = "prompt")\n'], []),
    ([FIRST + 'posture(write = "allow")\n'], ["a.rules:1 `write`"]),
    (['posture(write = {"project": "allow"})\n' + FIRST], ["a.rules:1 `write` for `project`"]),
    ([FIRST + 'posture(write = {"project": "allow"})\n'], []),
    ([FIRST + 'posture(confined = {"write": "allow"})\n'], []),
    (
        ['posture(read = "allow", confined = {"read": "prompt"})\n'],
        ["a.rules:1 `read` in the sandbox"],
    ),
    (['posture(network = "prompt", remote = "allow")\n'], ["a.rules:1 `remote`"]),
]


@pytest.mark.parametrize(("texts", "expected"), CASES)
def test_what_decides_nothing_is_dead(texts: list[str], expected: list[str]) -> None:
    files = [
        RulesFile("user", f"{name}.rules", text.encode())
        for name, text in zip("ab", texts, strict=False)
    ]
    found = [finding for finding in lint(files) if finding.code == "dead"]
    shown = [
        f"{f.span.file}:{f.span.line} "
        + f.diagnostic.message.removeprefix("the posture of ").partition(" has no effect")[0]
        for f in found
    ]
    assert shown == expected

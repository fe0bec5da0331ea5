"""What `git push -u` asks for."""

import pytest

from execpolicy.sandbox.keys.upstream import upstream

PUSHES = [
    ("push -u o a", "o a", "push o a", "a refs/heads/a"),
    ("push --set-upstream o HEAD", "o HEAD", "push o HEAD", "now refs/heads/now"),
    ("push -fu o a:b", "o a:b", "push -f o a:b", "a refs/heads/b"),
    ("push -u o", "o", "push o", "now refs/heads/now"),
    (
        "push -u o +refs/heads/a:refs/heads/c/d",
        "o +refs/heads/a:refs/heads/c/d",
        "",
        "a refs/heads/c/d",
    ),
    ("push o a", "o a", "push o a", ""),
    ("push -u o a b", "o a b", "push o a b", ""),
    ("push -u o a$b", "o a$b", "push o a$b", ""),
    ("push -u", "", "push", ""),
    ("push -ofu o a", "o a", "push -ofu o a", ""),
    ("push -nu o a", "o a", "push -n o a", ""),
    ("push --dry-run -u o a", "o a", "push --dry-run o a", ""),
    ("push -qu o a:b", "o a:b", "push -q o a:b", "a refs/heads/b"),
]


@pytest.mark.parametrize(("words", "operands", "left", "follows"), PUSHES)
def test_what_is_asked(words: str, operands: str, left: str, follows: str) -> None:
    found = upstream(("git", *words.split()), tuple(operands.split()), "now")
    assert not left or found.argv == ("git", *left.split())
    name, _, merge = follows.partition(" ")
    expected = ((f"branch.{name}.remote", "o"), (f"branch.{name}.merge", merge)) if follows else ()
    assert found.settings == expected
    quiet = ["-q"] if "-qu" in words else []
    target = merge.removeprefix("refs/heads/")
    told = ["branch", *quiet, f"--set-upstream-to=o/{target}", name] if follows else []
    assert [*found.told] == told

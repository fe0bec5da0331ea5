"""A program that is named by `~/…` or `$HOME/…` is one by its path."""

import pytest

from execpolicy.model.operation import Exec, Opaque
from execpolicy.shell.reader import read


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("~/.docker/bin/docker ps", "~/.docker/bin/docker"),
        ("$HOME/bin/x", "~/bin/x"),
        ("${HOME}/bin/x a", "~/bin/x"),
        ('"$HOME"/bin/x', "~/bin/x"),
        ('"$HOME/bin/x" a', "~/bin/x"),
        # a tilde that is quoted is a name
        ("'~/bin/x' a", "./~/bin/x"),
        ('"~/bin/x"', "./~/bin/x"),
        ("\\~/bin/x", "./~/bin/x"),
        # the text sets HOME, or more is computed
        ("HOME=/x; ~/bin/x", None),
        ("HOME=/x ~/bin/x", None),
        ("~/$x/y", None),
        ("~/bin/*", None),
        ("~other/bin/x", None),
        ("$HOMER/x", None),
    ],
)
def test_the_program(text: str, program: str | None) -> None:
    found = read(text).operations
    named = [each.argv[0] for each in found if isinstance(each, Exec)]
    assert named == ([] if program is None else [program])
    assert any(isinstance(each, Opaque) for each in found) is (program is None)

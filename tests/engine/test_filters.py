"""All variables of the environment are shown as one is, unless a search for fixed words follows."""

import pytest

from execpolicy import Decision, Engine

ASKS = """
env
printenv
printenv -0
export -p
declare -x
set
env | sort
env | grep TOKEN
env | grep -i secret
env | grep .
env | grep ''
env | grep -v PATH
env | grep -A3 ^PATH=
env | grep -f words
env | grep "$x"
env | grep 'PATH\\|KEY'
env | tee x | grep PATH
env | grep PATH other
env >&2 | grep PATH
env | grep PATH; env
env | { grep PATH; cat; }
printenv HOME API_TOKEN
"""
FREE = """
env | grep ^PATH=
env | grep -i path
env | grep -E '^(PATH|HOME)='
env | egrep 'NODE|PYTHON' | sort
env 2>&1 | grep LANG
printenv | rg '^LC_'
set | grep -c ^HISTSIZE=
printenv HOME PATH
env FOO=1 ls
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.mark.parametrize("text", ASKS.strip().splitlines())
def test_more_than_fixed_words_asks(engine: Engine, text: str) -> None:
    assert engine.check(text, cwd="/tmp").decision is Decision.PROMPT


@pytest.mark.parametrize("text", FREE.strip().splitlines())
def test_fixed_words_and_names_are_free(engine: Engine, text: str) -> None:
    assert engine.check(text, cwd="/tmp").decision is Decision.ALLOW


def test_words_of_a_secret_that_is_there_ask(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODE_AUTH_TOKEN", "x")
    assert engine.check("env | grep NODE", cwd="/tmp").decision is Decision.PROMPT

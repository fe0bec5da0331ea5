"""All variables of the environment are shown as one is, unless a search for fixed words follows, or
none of them is a secret."""

import os

import pytest

from execpolicy import Decision, Engine
from execpolicy.engine.standing import Standing, standing

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
OWN = """
env | sort
printenv
export -p
env; git status
"""
"""What asks where the environment has a secret, and where it is not the process's own."""
NOT_OWN = """
bash -lc env
source a.sh; env
eval "$x"; env
ssh h env
docker run x env
sudo printenv
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
def test_more_than_fixed_words_asks(
    engine: Engine, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", "x")
    assert engine.check(text, cwd="/tmp").decision is Decision.PROMPT


@pytest.fixture
def without_secrets(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    for name in filter(engine.snapshot.variables.secret, [*os.environ]):
        monkeypatch.delenv(name)


@pytest.mark.usefixtures("without_secrets")
@pytest.mark.parametrize("text", OWN.strip().splitlines())
def test_the_own_environment_asks_for_its_secrets(engine: Engine, text: str) -> None:
    verdict = engine.check(text, cwd="/tmp")
    assert verdict.decision is Decision.ALLOW
    assert standing(verdict) is Standing.LEFT  # a host's shell may have more


@pytest.mark.usefixtures("without_secrets")
@pytest.mark.parametrize("text", NOT_OWN.strip().splitlines())
def test_another_environment_is_not_known(engine: Engine, text: str) -> None:
    shown = [m.sentence for m in engine.check(text, cwd="/tmp").matches]
    assert any("shows all variables" in sentence for sentence in shown)


@pytest.mark.parametrize("text", FREE.strip().splitlines())
def test_fixed_words_and_names_are_free(engine: Engine, text: str) -> None:
    assert engine.check(text, cwd="/tmp").decision is Decision.ALLOW


def test_words_of_a_secret_that_is_there_ask(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODE_AUTH_TOKEN", "x")
    assert engine.check("env | grep NODE", cwd="/tmp").decision is Decision.PROMPT

"""A project in which a shell is wrapped as an agent would be."""

from pathlib import Path

import pytest

from tests.sandbox.conftest import base as base
from tests.sandbox.conftest import project as project
from tests.sandbox.conftest import repository as repository
from tests.sandbox.conftest import sandboxes as sandboxes


@pytest.fixture
def home(base: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that lies in no temporary directory, which would be mounted below the session's."""
    made = base / "home"
    made.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(made / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(made / ".local/state"))
    return made


@pytest.fixture(params=["C", pytest.param("Python", marks=pytest.mark.rest)])
def shim(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The programs that stand in the place of all others; that in Python each day for some."""
    return chosen(request.param, monkeypatch)


@pytest.fixture(params=["C", "Python"])
def each_shim(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both of them."""
    return chosen(request.param, monkeypatch)


def chosen(kind: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have sessions take the one of this kind."""
    from execpolicy.support.resources import compiled

    if kind == "C" and not Path(compiled("shim")).exists():
        pytest.skip("NOT TESTED: the package was built without a compiler")
    if kind == "Python":
        monkeypatch.setenv("EXECPOLICY_SHIM", "python")
    return kind

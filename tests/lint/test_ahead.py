"""The shipped rules are compiled beside the reading of large files, once."""

import subprocess
from pathlib import Path

import pytest

from execpolicy.lint.ahead import ENOUGH_BYTES, compiled_ahead
from execpolicy.store import loader, prebuilt


@pytest.fixture(autouse=True)
def nothing_prebuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a checkout whose rules were changed since it was installed."""
    monkeypatch.setattr(prebuilt, "read", lambda: None)


def test_an_empty_cache_is_filled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with compiled_ahead(ENOUGH_BYTES - 1):
        assert not loader.compiled()
    assert not loader.compiled()
    with compiled_ahead(ENOUGH_BYTES):
        pass
    assert loader.compiled()
    monkeypatch.setattr(subprocess, "Popen", lambda *_args, **_more: pytest.fail("started again"))
    with compiled_ahead(ENOUGH_BYTES):
        pass


def test_a_cache_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    with compiled_ahead(ENOUGH_BYTES):
        pass
    assert not loader.compiled()
    assert (tmp_path / "file").read_text() == ""

"""What was compiled is kept; whatever is odd about it means to compile again, and nothing else."""

import marshal
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.store import loader
from execpolicy.store.compiled import cache
from execpolicy.store.compiled.parts import CompiledLayers
from execpolicy.store.sources import files
from execpolicy.support import directories
from tests.store.dying import STEPS, in_child, suicide
from tests.store.support import user
from tests.waiting import HANG_SECONDS
from tests.warm import warm

VALUE = {"a": (1, "mytool", b"c", None)}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Path(directories.cache())


@pytest.fixture
def shipped_rules(own_cache: Path, common_cache: Path, tmp_path: Path) -> None:
    """The cache has the shipped rules: these tests are about those of the user."""
    warm(common_cache, tmp_path / "cache")


def test_a_value_comes_back(own_cache: Path) -> None:
    cache.write("x", "stamp", VALUE, [b"one", b"", b"three"])
    found = cache.read("x", "stamp")
    assert found is not None
    assert found[0] == VALUE
    assert [found[1][n] for n in range(len(found[1]))] == [b"one", b"", b"three"]
    assert os.stat(own_cache).st_mode & 0o777 == 0o700
    assert os.stat(own_cache / "x").st_mode & 0o777 == 0o600


def test_another_stamp_is_another_value() -> None:
    cache.write("x", "stamp", VALUE)
    assert cache.read("x", "other") is None
    assert cache.read("y", "stamp") is None


def test_what_old_code_made_of_rules_is_not_for_newer_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that began before another version was installed goes on with its own code."""
    path = tmp_path / "a.rules"
    path.write_text('prefix_rule(["a"], decision = "forbidden")\n')
    recall = loader._recall

    def stamps(*began: str) -> set[str]:
        found: set[str] = set()

        def noted(name: str, mark: str) -> CompiledLayers | None:
            found.add(mark)
            return recall(name, mark)

        monkeypatch.setattr(loader, "_began", [*began])
        monkeypatch.setattr(loader, "_recall", noted)
        assert Engine.load(rules=[path]).check("a").decision is Decision.FORBIDDEN
        return found

    assert stamps()
    assert stamps() == stamps()
    assert stamps().isdisjoint(stamps("a version before"))


def install(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(directories, "package_directory", lambda: f"/venv{number}/execpolicy")


def test_each_installation_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2):
        install(monkeypatch, number)
        cache.write("x", "stamp", number)
    for number in (1, 2):
        install(monkeypatch, number)
        found = cache.read("x", "stamp")
        assert found is not None
        assert found[0] == number


def test_what_old_installations_left_goes(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    aside = own_cache.parent / "notes"
    aside.mkdir(parents=True)
    (aside / "x").write_text("not ours")
    for number in range(cache.INSTALLATIONS + 3):
        install(monkeypatch, number)
        cache.write("x", "stamp", number)
        os.utime(directories.cache(), (number, number))
    kept = []
    for number in range(cache.INSTALLATIONS + 3):
        install(monkeypatch, number)
        kept += [number] if cache.read("x", "stamp") else []
    assert kept == [*range(3, cache.INSTALLATIONS + 3)]
    assert (aside / "x").exists()


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _link(path: Path) -> None:
    path.rename(path.with_name("real"))
    path.symlink_to("real")


ODD: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-5]),
    "cut in the header": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "a flipped bit": lambda path: path.write_bytes(path.read_bytes()[:-5] + b"\xff" * 5),
    "another word of the same length": lambda path: path.write_bytes(
        path.read_bytes().replace(b"mytool", b"notool")
    ),
    "another version": lambda path: path.write_bytes(
        path.read_bytes().replace(b"execpolicy 0", b"execpolicy 9")
    ),
    "noise": lambda path: path.write_bytes(os.urandom(4096)),
    "a directory": _directory,
    "a link": _link,
    "writable by others": lambda path: path.chmod(0o666),
    "in a directory of everybody": lambda path: path.parent.chmod(0o777),
}


@pytest.mark.parametrize("spoil", ODD.values(), ids=ODD)
def test_whatever_is_odd_is_no_value(spoil: Callable[[Path], object], own_cache: Path) -> None:
    cache.write("x", "stamp", VALUE)
    assert cache.read("x", "stamp") is not None
    spoil(own_cache / "x")
    assert cache.read("x", "stamp") is None


@pytest.mark.usefixtures("shipped_rules")
@pytest.mark.parametrize("spoil", ODD.values(), ids=ODD)
def test_an_odd_cache_never_changes_a_decision(
    spoil: Callable[[Path], object], own_cache: Path, home: Path, tmp_path: Path
) -> None:
    user(home, 'prefix_rule(["mytool"])\nprefix_rule(["ls"], "forbidden")')
    Engine.load(cwd=tmp_path)
    (kept,) = own_cache.glob("layers-*")
    spoil(kept)
    engine = Engine.load(cwd=tmp_path)
    assert engine.check("mytool").decision is Decision.ALLOW
    assert engine.check("ls").decision is Decision.FORBIDDEN


def test_a_damaged_entry_asks(own_cache: Path) -> None:
    cache.write("x", "stamp", VALUE, [b"good", b"damaged"])
    path = own_cache / "x"
    path.write_bytes(path.read_bytes().replace(b"damaged", b"changed"))
    found = cache.read("x", "stamp")
    assert found is not None
    assert found[1][0] == b"good"
    with pytest.raises(LookupError):
        found[1][1]


@pytest.mark.usefixtures("shipped_rules")
def test_values_that_are_no_part_are_compiled_again(home: Path, tmp_path: Path) -> None:
    user(home, 'prefix_rule(["mytool"])')
    Engine.load(cwd=tmp_path)
    (kept,) = Path(directories.cache()).glob("layers-*")
    stamp = kept.read_bytes().split(b"\n")[1].decode()
    values: list[object] = [None, (), (None, ()), ({}, (1, 2, 3)), [marshal.dumps(1)]]
    for value in values:
        cache.write(kept.name, stamp, value)
        assert Engine.load(cwd=tmp_path).check("mytool").decision is Decision.ALLOW


def test_a_disk_that_refuses_is_no_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    cache.write("x", "stamp", VALUE)
    assert cache.read("x", "stamp") is None


@pytest.mark.usefixtures("shipped_rules")
def test_what_is_cached_decides_as_what_is_compiled(home: Path, tmp_path: Path) -> None:
    user(
        home,
        'prefix_rule(["mytool"], unless = [["mytool", "x"]])\nposture(write = "allow")\n'
        'program("other", "-v", "out")\nnetwork_rule("example.com", "https", "allow")',
    )
    found = Engine.load(cwd=tmp_path).store.found().files
    fresh, kept = loader.load(found, cached=False), loader.load(found)
    for command in ("mytool", "mytool x", "other -v y", "curl https://example.com", "git push"):
        verdicts = []
        for snapshot in (fresh, kept):
            engine = Engine.load(cwd=tmp_path)
            engine.store.current = snapshot
            verdicts.append(engine.check(command))
        assert verdicts[0] == verdicts[1]


PROGRAM = """
import sys
from execpolicy.store.compiled import cache
for n in range(200):
    cache.write("x", "stamp", {"n": n, "pad": "p" * 20000}, [b"b" * 1000])
    found = cache.read("x", "stamp")
    assert found is None or (found[0]["pad"] == "p" * 20000 and found[1][0] == b"b" * 1000)
"""


def test_processes_never_corrupt_it_for_one_another() -> None:
    running = [subprocess.Popen([sys.executable, "-c", PROGRAM]) for _ in range(4)]
    assert [process.wait(HANG_SECONDS) for process in running] == [0, 0, 0, 0]


@pytest.mark.parametrize("stage", STEPS)
def test_killed_at_any_step_of_writing_it_is_the_old_or_the_new(
    stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first step of writing is over when a small part of the data is there."""
    cache.write("x", "stamp", {"n": "old"}, [b"old" * 1000])
    write = os.write
    monkeypatch.setattr(cache, "replace", partial(files.replace, step=suicide(stage)))
    monkeypatch.setattr(os, "write", lambda file, data: write(file, bytes(data[:1000])))
    status = in_child(lambda: cache.write("x", "stamp", {"n": "new"}, [b"new" * 1000]))
    assert os.WTERMSIG(status) == signal.SIGKILL
    found = cache.read("x", "stamp")
    assert found is not None
    kept = "new" if stage in ("renamed", "done") else "old"
    assert (found[0], found[1][0]) == ({"n": kept}, kept.encode() * 1000)

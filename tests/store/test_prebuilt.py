"""The package carries its rules compiled; they count while nothing they were made from changed."""

import os
import shutil
from pathlib import Path

import pytest

from execpolicy import resources
from execpolicy.engine.engine import Engine
from execpolicy.store import compiler, loader, prebuilt
from execpolicy.store.parts import Part
from execpolicy.store.tables import KeptTables, PackagedTables


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of its own, with few rules and no cache."""
    package = tmp_path / "package"
    shutil.copytree(resources.package_directory(), package, ignore=shutil.ignore_patterns("data"))
    rules = package / "data/rules"
    rules.mkdir(parents=True)
    for name in ("posix.rules", "more.rules"):
        (rules / name).write_text('program("tool", operands = "file*")\n'.replace("tool", name[:4]))
    (rules / "more.rules").write_text('prefix_rule(["more", "x"], decision = "forbidden")\n')
    monkeypatch.setattr(resources, "_PACKAGE", str(package))
    monkeypatch.setattr(resources, "_FOUND", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return package


def blobs(part: Part) -> list[bytes]:
    assert part.table is not None
    return [part.table[1][n] for n in range(len(part.table[1]))]


def test_what_is_read_is_what_would_be_compiled(package: Path) -> None:
    assert prebuilt.read() is None
    prebuilt.write()
    found, made = prebuilt.read(), compiler.compile_part(loader.builtin_files())
    assert found is not None
    assert found.replace(table=None) == made.replace(table=None)
    assert blobs(found) == blobs(made)


def test_it_is_read_where_nothing_is_cached(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prebuilt.write()
    monkeypatch.setattr(compiler, "compile_part", lambda *_: pytest.fail("compiled"))
    engine = Engine.load(rules=[])
    verdict = engine.check("more x; posi a")
    assert verdict.decision.word == "forbidden"
    origins = [m.origin for m in verdict.matches if m.origin]
    assert {o.file for o in origins} == {
        os.path.join(package, "data/rules", name) for name in ("more.rules", "posix.rules")
    }
    (package / "data/compiled/builtin").unlink()
    assert Engine.load(rules=[]).check("more x; posi a") == verdict  # from the cache


def _edit(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("data/rules/more.rules", "forbidden", "prompt"),
        ("data/rules/posix.rules", "posi", "posy"),
        ("catalogue/kinds.py", '"text": ()', '"text": ("unknown",)'),
        ("language/words.py", '"""', '""" '),
    ],
)
def test_it_counts_only_for_what_it_was_made_from(
    package: Path, name: str, old: str, new: str
) -> None:
    prebuilt.write()
    assert prebuilt.read() is not None
    _edit(package / name, old, new)
    assert prebuilt.read() is None
    _edit(package / name, new, old)
    assert prebuilt.read() is not None


def test_it_holds_no_path_of_the_machine_that_made_it(package: Path) -> None:
    prebuilt.write()
    data = (package / "data/compiled/builtin").read_bytes()
    assert str(package).encode() not in data
    assert b"more.rules" in data


@pytest.mark.parametrize("end", [0, 20, 60, 200, -1])
def test_one_that_is_cut_short_is_none(package: Path, end: int) -> None:
    prebuilt.write()
    path = package / "data/compiled/builtin"
    path.write_bytes(path.read_bytes()[:end])
    assert prebuilt.read() is None


def test_rules_with_a_problem_are_not_built(package: Path) -> None:
    (package / "data/rules/more.rules").write_text("prefix_rule([])\n")
    with pytest.raises(ValueError, match=r"more\.rules"):
        prebuilt.write()
    assert not (package / "data/compiled/builtin").exists()


def test_tables_of_the_package_come_to_the_cache(package: Path) -> None:
    kept = KeptTables("syntax")
    assert kept.load("stamp") is None
    PackagedTables("syntax").save("stamp", ({"a": 1}, ["b"]))
    assert PackagedTables("syntax").load("stamp") is None
    assert kept.load("another") is None
    assert kept.load("stamp") == ({"a": 1}, ["b"])
    (package / "data/compiled/syntax").unlink()
    assert kept.load("stamp") == ({"a": 1}, ["b"])

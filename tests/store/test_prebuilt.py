"""The package carries its rules compiled; they count while nothing they were made from changed."""

import os
import shutil
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.store.compiled import cache, compiler, inputs, prebuilt
from execpolicy.store.compiled.parts import CompiledLayers
from execpolicy.store.compiled.tables import KeptTables, PackagedTables
from execpolicy.support import resources


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
    shutil.copytree(resources.words_directory(), rules / "words")
    monkeypatch.setattr(resources, "_PACKAGE", str(package))
    monkeypatch.setattr(resources, "_FOUND", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return package


def blobs(part: CompiledLayers) -> list[bytes]:
    assert part.table is not None
    return [part.table[1][n] for n in range(len(part.table[1]))]


def test_what_is_read_is_what_would_be_compiled(package: Path) -> None:
    assert prebuilt.read() is None
    prebuilt.write()
    found, made = prebuilt.read(), compiler.compile_part(inputs.builtin_files())
    assert found is not None
    assert found.replace(table=None) == made.replace(table=None)
    assert blobs(found) == blobs(made)


def test_it_is_read_in_place(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prebuilt.write()
    monkeypatch.setattr(compiler, "compile_part", lambda *_: pytest.fail("compiled"))
    engine = Engine.load(rules=[])
    verdict = engine.check("more x; posi a")
    assert verdict.decision.word == "forbidden"
    origins = [m.origin for m in verdict.matches if m.origin]
    assert {o.file for o in origins} == {
        os.path.join(package, "data/rules", name) for name in ("more.rules", "posix.rules")
    }
    assert not list(tmp_path.glob("cache/**/builtin"))
    assert Engine.load(rules=[]).check("more x; posi a") == verdict


def test_a_table_that_is_gone_or_stale_is_compiled_and_kept(package: Path) -> None:
    prebuilt.write()
    verdict = Engine.load(rules=[]).check("more x; posi a")
    (package / "data/compiled/builtin").unlink()
    assert Engine.load(rules=[]).check("more x; posi a") == verdict
    assert prebuilt.fresh() is None


def _age(path: Path, seconds: int) -> None:
    """As if the file had been changed so long ago: the inode's time cannot be set."""
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - seconds))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("data/rules/more.rules", "forbidden", "prompt"),
        ("data/rules/more.rules", '"x"', '"y"'),
        ("data/rules/posix.rules", "posi", "posy"),
    ],
)
@pytest.mark.parametrize("settled", [0, 10**12])
def test_a_change_of_the_rules_shows_at_once(
    package: Path, name: str, old: str, new: str, settled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    prebuilt.write()
    monkeypatch.setattr(prebuilt, "SETTLED", settled)
    _edit(package / name, old, new)
    _age(package / name, 1000)
    assert prebuilt.fresh() is None


@pytest.mark.parametrize("change", ["more", "fewer"])
def test_a_rules_file_that_comes_or_goes_shows_at_once(package: Path, change: str) -> None:
    prebuilt.write()
    rules = package / "data/rules"
    if change == "more":
        (rules / "new.rules").write_text("")
    else:
        (rules / "posix.rules").unlink()
    assert prebuilt.fresh() is None


@pytest.fixture
def checkout(package: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same with the rules beside the package."""
    (package / "data/rules").rename(package.parent / "rules")
    monkeypatch.setattr(resources, "_FOUND", {})
    return package


def test_in_a_checkout_a_change_of_rules_or_code_shows_at_once(checkout: Path) -> None:
    prebuilt.write(checkout=True)
    assert prebuilt.fresh() is not None
    for name in ("../rules/more.rules", "language/builtins/words.py", "catalogue/scripts/sed.py"):
        text = (checkout / name).read_text()
        (checkout / name).write_text(text)
        assert prebuilt.fresh() is None
        prebuilt.write(checkout=True)
        assert prebuilt.fresh() is not None


def test_a_table_that_was_copied_from_another_checkout_does_not_count(checkout: Path) -> None:
    prebuilt.write(checkout=True)
    rules = checkout.parent / "rules"
    shutil.copytree(rules, checkout.parent / "copy")
    shutil.rmtree(rules)
    (checkout.parent / "copy").rename(rules)
    table = checkout / "data/compiled/builtin"
    table.write_bytes(table.read_bytes())
    assert prebuilt.fresh() is None


def test_a_table_of_a_wheel_does_not_count_in_a_checkout(checkout: Path) -> None:
    prebuilt.write()
    assert prebuilt.fresh() is None


def _edit(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("data/rules/more.rules", "forbidden", "prompt"),
        ("data/rules/posix.rules", "posi", "posy"),
        ("catalogue/kinds/names.py", '"text": ()', '"text": ("unknown",)'),
        ("language/builtins/words.py", '"""', '""" '),
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


def test_tables_of_the_package_are_read_where_they_lie(package: Path) -> None:
    kept = KeptTables("syntax")
    assert kept.load("stamp") is None
    PackagedTables("syntax").save("stamp", ({"a": 1}, ["b"]))
    assert PackagedTables("syntax").load("stamp") is None
    assert kept.load("another") is None
    assert kept.load("stamp") == ({"a": 1}, ["b"])
    assert not os.path.exists(cache.place("syntax"))
    (package / "data/compiled/syntax").unlink()
    assert kept.load("stamp") is None
    kept.save("stamp", ({"a": 2}, []))
    assert kept.load("stamp") == ({"a": 2}, [])

"""Which tests hold which folder of the package, as CONTRIBUTING.md says."""

import re
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| `(?P<folder>[\w/]+)` \| (?P<tests>`tests/[^|]+) \|$", re.M)


def held(root: Path = ROOT) -> dict[str, tuple[str, ...]]:
    """The patterns of folders and files of tests, by the folder of the package."""
    text = (root / "CONTRIBUTING.md").read_text()
    return {m["folder"]: tuple(re.findall(r"`([^`]+)`", m["tests"])) for m in _ROW.finditer(text)}


def holding(path: str, root: Path = ROOT) -> list[Path]:
    """The test files for a file of the package: those of the deepest folder that has a row."""
    table = held(root)
    parts = path.split("/")[1:]
    folders = ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
    folder = next(folder for folder in folders if folder in table)
    found = [file for pattern in table[folder] for file in files(pattern, root)]
    return list(dict.fromkeys(found))


def files(pattern: str, root: Path = ROOT) -> list[Path]:
    """The test files that a pattern of the table means; of a folder all below it."""
    found = sorted(root.glob(pattern))
    return [
        f for path in found for f in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])
    ]


def ordered(tests: Sequence[Path], path: str, line: str) -> list[Path]:
    """Test files, those first that are likely to see a change of this line of a file the soonest.

    A test that names the module, or a name of the line, is likely to; else a long table of what is
    tried in this process. Properties, which try many examples, come last.
    """
    module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    words = {module.rpartition(".")[2], *re.findall(r"[A-Za-z_]{5,}", line)}

    def order(file: Path) -> tuple[bool, int, bool, int]:
        text = file.read_text()
        named = sum(word in text for word in words) + 5 * (module in text)
        return "property" in file.parts, -named, "import subprocess" in text, -len(text)

    return sorted(tests, key=order)

"""The page of all files: `python -m tests.pages.files` writes it from their own words."""

import ast
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "files.md"
HEAD = """# Files

Each file with the first sentence of what it says of itself, by folders, to be searched for a word.
[ARCHITECTURE.md](../ARCHITECTURE.md) says how they work together,
[CONTRIBUTING.md](../CONTRIBUTING.md) what is changed for what.
This page is written by `python -m tests.pages.files`.
"""
SUFFIXES = (".py", ".rules", ".c", ".bash", ".js", ".ts")
FOLDERS = ("execpolicy", "rules", "grammar", "plugins", "tests", "benchmarks")
LEFT_OUT = ("__pycache__", "node_modules", "data")
"""`execpolicy/data/` is what the build copies."""


def page() -> str:
    """The whole page."""
    listed = sorted((str(file.parent.relative_to(ROOT)), file) for file in files())
    folders = groupby(listed, key=lambda row: row[0])
    return HEAD + "".join(_section(at, [file for _, file in rows]) for at, rows in folders)


def files() -> Iterator[Path]:
    """The files that the page names."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            parts = file.relative_to(ROOT).parts
            is_empty = file.name == "__init__.py" and not file.read_text()
            is_data = folder == "tests" and file.suffix != ".py"
            if file.suffix in SUFFIXES and not (is_empty or is_data or {*LEFT_OUT} & {*parts}):
                yield file


def _section(folder: str, listed: list[Path]) -> str:
    rows = "".join(f"| `{file.relative_to(ROOT)}` | {sentence(file)} |\n" for file in listed)
    return f"\n## {folder}\n\n| file | what it is |\n|---|---|\n{rows}"


def sentence(file: Path) -> str:
    """The first sentence of a file: of its docstring or its first comment."""
    text = file.read_text()
    if file.suffix == ".py":
        text = ast.get_docstring(ast.parse(text)) or ""
    else:
        lines = (re.sub(r"^\s*(#|//|/?\*+/?)\s?", "", line) for line in text.splitlines())
        text = "\n".join(lines).lstrip()
    paragraph = text.partition("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.?]) (?=[A-Z`])", paragraph)[0].rstrip(":").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())

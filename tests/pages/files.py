"""The page of all files: `python -m tests.pages.files` writes it from their own words."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby, takewhile
from pathlib import Path

from tests.catalogue.shipped import RULES, programs
from tests.pages.lists import lists
from tests.pages.numbers import numbers
from tests.pages.users import users

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "files.md"
HEAD = """# Files

Each file with the first sentence of what it says of itself and with the files that import it, by
folders, to be searched for a word.
[ARCHITECTURE.md](../ARCHITECTURE.md) says how they work together,
[CONTRIBUTING.md](../CONTRIBUTING.md) what is changed for what.
This page is written by `python -m tests.pages.files`.
"""
PROGRAMS = """
## Programs by their rules files

Each program with the files that have an entry for it; where those are several, for which of its
subcommands. What decides about all programs (places, words, protections) stands beside them.

| program | file |
|---|---|
"""
WORDS = """
## Lists of words

Names that no entry of a program has, by their lists, with the files that read them.

| list | file | what it is | read by |
|---|---|---|---|
"""
NUMBERS = """
## Numbers of the package

Limits, times, sizes and counts that have a name. A page that says one, in words or in digits, is
held by a row of `FIGURES` in `tests/pages/test_pages.py`, which changes with it; tests may say it
again.

| number | name | file | what it is |
|---|---|---|---|
"""
SAID = (".py", ".rules", ".c", ".h", ".bash", ".js", ".ts", ".toml", ".words", ".rules_test")
"""What begins with a sentence about itself; of the rest, which is data, the page has the names."""
DATA = (".json", ".jsonl", ".txt", ".rules", ".html", ".css", ".lark", ".md")
FOLDERS = (".ci", "execpolicy", "rules", "grammar", "plugins", "tests", "benchmarks")
_NUMBERED = (".py", ".c", ".h")
LEFT_OUT = frozenset(("__pycache__", "node_modules", "data"))
"""`execpolicy/data/` is what the build copies."""


def page() -> str:
    """The whole page."""
    listed = sorted((str(file.parent.relative_to(ROOT)), file) for file in files())
    folders = groupby(listed, key=lambda row: row[0])
    sections = [_section(at, [file for _, file in rows]) for at, rows in folders]
    numbered = "".join(map(_numbers, files()))
    words = (f"| `{name}` | `{file}` | {said} | {by} |\n" for name, file, said, by in lists())
    tables = (PROGRAMS, *_programs(), WORDS, *words, NUMBERS)
    return HEAD + "".join((*sections, *tables)) + numbered


def _programs() -> Iterator[str]:
    """A row for each program, with its subcommands where several files share them."""
    by_file: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in RULES:
        for name in {name for each in programs(path) for name in each.names}:
            program, _, rest = name.partition(" ")
            by_file[program][f"rules/{path.name}"].append(rest)
    for program, found in sorted(by_file.items()):
        shared = len(found) > 1
        where = (
            f"`{file}`" + (f" ({', '.join(filter(None, sorted(rest)))})" if shared else "")
            for file, rest in sorted(found.items())
        )
        yield f"| `{program}` | {'; '.join(where)} |\n".replace(" ()", "")


def files() -> Iterator[Path]:
    """The files that the page names."""
    yield from (ROOT / "pyproject.toml", ROOT / "hatch_build.py", ROOT / ".ci" / "run")
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            is_empty = file.name == "__init__.py" and not file.read_text()
            parts = file.relative_to(ROOT).parts
            if file.suffix in (*SAID, *DATA) and not is_empty and not LEFT_OUT & {*parts}:
                yield file


def says(file: Path) -> bool:
    """Whether a file begins with a sentence about itself."""
    is_example = "tests" in file.parts and file.suffix == ".rules"
    return file.name == "run" or (file.suffix in SAID and not is_example)


def _section(folder: str, listed: list[Path]) -> str:
    said = "".join(
        f"| `{file.relative_to(ROOT)}` | {sentence(file)} | {users(file)} |\n"
        for file in listed
        if says(file)
    )
    table = f"\n| file | what it is | imported by |\n|---|---|---|\n{said}" if said else ""
    names = ", ".join(f"`{file.name}`" for file in listed if not says(file))
    data = f"\nData: {names}\n" if names else ""
    title = "the project itself" if folder == "." else folder
    return f"\n## {title}\n{table}{data}"


def _numbers(file: Path) -> str:
    path = file.relative_to(ROOT)
    found = numbers(file) if path.parts[0] == "execpolicy" and file.suffix in _NUMBERED else ()
    rows = ((value, name, said or f"({sentence(file)})") for name, value, said in found)
    return "".join(f"| {value} | `{name}` | `{path}` | {said} |\n" for value, name, said in rows)


def sentence(file: Path) -> str:
    """The first sentence of a file: of its docstring or its first comment."""
    text = file.read_text()
    if file.name == "pyproject.toml":
        return "The package: its name, what it needs, its scripts, and how it is checked."
    if file.suffix == ".py":
        text = ast.get_docstring(ast.parse(text)) or ""
    elif file.suffix in (".c", ".h", ".js", ".ts"):
        lines = (re.sub(r"^\s*(//|/?\*+/?)\s?", "", line) for line in text.splitlines())
        text = "\n".join(lines).lstrip()
    else:
        lines = (line for line in text.splitlines() if not line.startswith("#!"))
        first = takewhile(lambda line: line.startswith("#"), lines)
        text = "\n".join(line.lstrip("# ") for line in first)
    paragraph = text.partition("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.?]) (?=[A-Z`])", paragraph)[0].rstrip(":").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())

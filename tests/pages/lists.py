"""The lists of words in `rules/words`: what each holds, and which files read it."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def lists() -> Iterator[tuple[str, str, str, str]]:
    """Each list with its file, what stands above it there, and the files that read it."""
    modules = {file: file.read_text() for file in sorted((ROOT / "execpolicy").rglob("*.py"))}
    for file in sorted((ROOT / "rules" / "words").glob("*.words")):
        asking = {m: text for m, text in modules.items() if f'words_of("{file.stem}")' in text}
        for name, said in _named(file):
            reading = [m for m, text in asking.items() if f'"{name}"' in text] or asking
            shown = ", ".join(f"`{each.relative_to(ROOT)}`" for each in reading)
            yield name, f"rules/words/{file.name}", said, shown


def _named(file: Path) -> Iterator[tuple[str, str]]:
    """The names of the lists, each with the comment before it."""
    said: list[str] = []
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            said.append(line.lstrip("# "))
        elif line and not line[0].isspace():
            yield line.rstrip(":"), " ".join(said)
            said = []
        else:
            said = []

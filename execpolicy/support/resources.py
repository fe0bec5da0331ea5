"""Finds the data that ships with the package: the rules, word lists and the grammar.

In an installed package they lie in `execpolicy/data`, in a checkout beside the package.
"""

import os
import sys

BUILTIN = "builtin"
"""The layer of the shipped rules."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def package_directory() -> str:
    """The absolute path of the package itself."""
    return _PACKAGE


def python() -> tuple[str, ...]:
    """The words that start this Python where a module of this package follows.

    It may be started in a project, whose modules it must not load.
    """
    return (sys.executable, *(("-I",) if sys.flags.isolated else ("-E", "-P")), "-m")


def rules_directory() -> str:
    """The absolute path of the directory with the shipped `*.rules` files."""
    return _find("rules")


def words_directory() -> str:
    """The absolute path of the directory with the word lists."""
    return os.path.join(_find("rules"), "words")


def words_of(subject: str) -> dict[str, frozenset[str]]:
    """The lists about a subject by their names.

    A line that ends in `:` names a list, the indented lines after it hold its words, and `#` begins
    a comment. Raises `OSError` where the file is missing.

    >>> sorted(words_of("ffmpeg")["bare"])
    ['psnr', 'ssim']
    """
    if subject in _READ:
        return _READ[subject]
    with open(os.path.join(words_directory(), f"{subject}.words"), encoding="utf-8") as file:
        text = file.read()
    lists: dict[str, list[str]] = {}
    words: list[str] = []
    for line in text.split("\n"):
        if line.startswith(" "):
            words += line.split()
        elif line and line[0] != "#":
            words = lists[line.rstrip(":")] = []
    return _READ.setdefault(subject, {name: frozenset(each) for name, each in lists.items()})


_READ: dict[str, dict[str, frozenset[str]]] = {}


def compiled(name: str) -> str:
    """The absolute path of what the build of the package made under this name, if it did."""
    return os.path.join(_PACKAGE, "data", "compiled", name)


def plugins_directory() -> str:
    """The absolute path of the directory with the plugins for hosts."""
    return _find("plugins")


def presets_directory() -> str:
    """The absolute path of the directory with the presets for a first layer."""
    return os.path.join(_find("rules"), "presets")


def lint_page(name: str) -> str:
    """The page of `docs/lint` with this name: a code of `lint`, or `README` for the list."""
    return _text(_find("docs"), f"lint/{name}.md")


def commands_text() -> str:
    """The page with the help of every command."""
    return _text(_find("docs"), "commands.md")


def grammar_text() -> str:
    """The text of `rules.lark`, the grammar of the rules language."""
    return _text(_find("grammar"), "rules.lark")


def schema_text() -> str:
    """The JSON Schema of a verdict."""
    return _text(_find("grammar"), "verdict.schema.json")


def package_text(path: str) -> str:
    """The text of a file that lies in the package."""
    return _text(_PACKAGE, path)


def _text(directory: str, name: str) -> str:
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return file.read()


_FOUND: dict[str, str] = {}


def _find(name: str) -> str:
    found = _FOUND.get(name)
    if found is None:
        shipped = os.path.join(_PACKAGE, "data", name)
        beside = os.path.join(os.path.dirname(_PACKAGE), name)
        found = _FOUND[name] = shipped if os.path.isdir(shipped) else beside
    return found

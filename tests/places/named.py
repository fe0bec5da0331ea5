"""One path for each declaration of the shipped classes, and other ways to write it."""

from collections.abc import Iterator

from execpolicy.model.rule import ON_PATH
from execpolicy.policy.place_index import PlaceIndex
from tests.places.machine import Machine, repository

HOME = "/home/me"
ROOT = f"{HOME}/app"
PROGRAMS = f"{HOME}/.local/bin"


def paths(index: PlaceIndex, place: str) -> list[str]:
    """A path of each pattern of a class that its exceptions leave in it."""
    found = [_sample(text) for rule in index.rules if rule.place == place for text in rule.paths]
    return [path for path in dict.fromkeys(found) if _is_of(path, place, index)]


def _sample(pattern: str) -> str:
    if pattern == ON_PATH:
        return "~/.local/bin/x"
    text = pattern.removeprefix("**/").replace("**/", "a/")
    return text.replace("*", "x").replace("?", "x")


def _is_of(path: str, place: str, index: PlaceIndex) -> bool:
    of_path = path.startswith("~/.local/bin/")
    return of_path or any(rule.place == place for rule in index.of(absolute(path), HOME, ROOT))


def absolute(path: str) -> str:
    return path.replace("~", HOME) if path[:1] in "~/" else f"{ROOT}/{path}"


def spellings(path: str) -> Iterator[str]:
    """The path itself, through another directory, in capitals, as a glob, through a link."""
    directory, slash, name = path.rpartition("/")
    yield path
    yield f"{directory}{slash}./{name}" if slash else f"src/../{name}"
    yield f"{directory}{slash}{name.upper()}"
    yield f"{directory}{slash}{name[:-1]}?"
    yield f"links/{linked(path)}"
    if directory not in ("", "~"):
        yield f"links/{linked(directory)}/{name}"


def linked(path: str) -> str:
    """The name of a link to a path."""
    return "l" + path.replace("/", "-").replace("~", "-").replace(" ", "-").replace(".", "-")


def machine(every: list[str]) -> Machine:
    """A repository below the home, with all of the paths and a link to each."""
    files = {
        **repository(f"{ROOT}/.git"),
        f"{ROOT}/a": "",
        f"{ROOT}/src/a": "",
        f"{ROOT}/.git/config": "",
    }
    for path in every:
        files[absolute(path)] = ""
        directory = path.rpartition("/")[0]
        for target in (path, directory):
            if target not in ("", "~"):
                files[f"{ROOT}/links/{linked(target)}"] = f"→ {absolute(target)}"
    return Machine(files, root=ROOT, path=(PROGRAMS, "/usr/bin"))

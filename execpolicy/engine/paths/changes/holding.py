"""Which files of the policy a directory holds that is removed or written over as a whole.

`rm -r .`, `tar x` and `git checkout` name no file of the policy, and change those that lie below.
"""

from _collections_abc import Iterator

from execpolicy.engine.paths.touched import Overlay
from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.policy.place_index import PlaceIndex
from execpolicy.support.path_match import PathPattern, below

_NOT_THERE = frozenset(("missing", "unknown"))


def held(
    directory: str, whole: bool, index: "PlaceIndex", where: "Whereabouts"
) -> "Iterator[Overlay]":
    """The overlays of `policy` that name something which is there.

    `directory` is a real path. With `whole`, a directory in the session's root stands for the
    root: git changes all of a work tree, and a member of an archive may be called `../x`.
    """
    root = where.root.path if where.root else None
    start = root if whole and root is not None and below(directory, root) else directory
    for pattern, rule in index.literals("policy"):
        for path in _literal_prefixes(pattern, where.home, [start, *([root] if root else [])]):
            if below(path, start) and where.resolver.kind(path) not in _NOT_THERE:
                yield Overlay(rule, path)
                break


def _literal_prefixes(
    pattern: PathPattern, home: str | None, anywhere: "list[str]"
) -> "Iterator[str]":
    """The paths up to the first wildcard. A pattern for any directory is looked for in few."""
    parts = [*pattern.parts]
    while parts[:1] == ["**"]:
        del parts[0]
    end = next((at for at, part in enumerate(parts) if "*" in part or "?" in part), len(parts))
    name = "/".join(parts[:end])
    if not name:
        return
    if pattern.anchor == "~":
        yield from [f"{home}/{name}"] if home else []
    elif pattern.anchor == "/":
        yield f"/{name}"
    else:
        yield from (f"{directory.rstrip('/')}/{name}" for directory in anywhere)

"""What a tree reaches by the links in it, for programs that follow them."""

from _collections_abc import Callable, Iterator

from execpolicy.engine.paths.bases import Base
from execpolicy.engine.paths.literal_paths import LiteralPaths
from execpolicy.engine.paths.touched import Touched
from execpolicy.engine.paths.trees import files, is_wide, walked
from execpolicy.model.rule import ELSEWHERE, GENERATED
from execpolicy.support.path_match import below

MAX_DIRECTORIES = 64
"""Directories that links are followed to. Behind more of them there may be anything."""


def followed(
    root: str,
    extent: str,
    takes: "Callable[[str], bool]",
    literal: LiteralPaths,
    *,
    enters: bool = True,
) -> "Iterator[Touched]":
    """The classes of all that the links below a directory lead to, and the links below those.

    What a link leads to inside the tree is looked at there, unless the extent leaves it out.
    `takes` says of a path below the root, by way of links, whether the program looks at it. Without
    `enters`, links to files outside count alone, as for programs that change the files of a tree:
    these leave alone what a build or an installer made.
    """
    where = literal.where
    place = where.resolver.locate(root)
    start = place.real or place.lexical
    if is_wide(where, start):
        yield _anything(root, literal)
        return
    inside = "visible" if extent == "visible" else "tree"
    seen = [] if extent == "visible" else [start]
    waiting = [(start, "")]
    while waiting:
        directory, way = waiting.pop()
        links = _links(directory, literal) if enters else _edited(directory, literal)
        if links is None or len(seen) > MAX_DIRECTORIES:
            yield _anything(root, literal)
            return
        for link in links:
            real = where.resolver.locate(link).real
            kind = "missing" if real is None else where.resolver.kind(link)
            name = way + link[len(directory) :]
            if real is None or kind == "missing" or (below(real, start) and not enters):
                continue
            if kind != "directory":
                yield literal.place(link) if takes(name) else Touched((), ())
                continue
            if not enters or any(below(real, each) for each in seen):
                continue
            seen.append(real)
            found = None if is_wide(where, real) else files(literal.index, where, real, inside)
            if found is None:
                yield _anything(real, literal)
                continue
            waiting.append((real, name))
            taken = [path for path in found if takes(name + path[len(real) :])]
            laid = tuple(literal.among(taken))
            yield Touched((literal.bases.of(real),) if taken else (), laid)


def _links(directory: str, literal: LiteralPaths) -> "tuple[str, ...] | None":
    found = walked(literal.where, directory)
    return None if found is None else found.links


def _edited(directory: str, literal: LiteralPaths) -> "tuple[str, ...] | None":
    """The links below a directory that nothing makes again; in a large tree those that are neither
    hidden nor ignored by git."""
    links = _links(directory, literal)
    if links is None:
        found = walked(literal.where, directory, visible=True)
        return None if found is None else found.links
    return tuple(path for path in links if literal.bases.of(path).place != GENERATED)


def _anything(path: str, literal: LiteralPaths) -> Touched:
    """What may be anywhere below a path."""
    return Touched((Base(ELSEWHERE),), tuple(literal.everything(path)))

"""The stages of a survey: each takes what the one before it gives, so their order is their types.

`tree` looks below the roots, `surroundings` at the home, at paths named as a whole and where
protected links lead, `followed` again at what has a protected name through a link. `whole` ends a
survey before a run, `Followed.survey` one after it, which needs no more.
"""

import os
from _collections_abc import Iterable

from execpolicy.sandbox.scan.home import Cover
from execpolicy.sandbox.scan.indirect.aliases import links_on
from execpolicy.sandbox.scan.links import Linked, is_installed, linked
from execpolicy.sandbox.scan.names import (
    OWN,
    SECRET,
    DeclaredPattern,
    NameIndex,
    NameMatch,
    tightens,
)
from execpolicy.sandbox.scan.opened import Openings
from execpolicy.sandbox.scan.status import Unseen, entries_of, in_order, is_empty, linked_inode
from execpolicy.sandbox.scan.survey import hard_links
from execpolicy.sandbox.scan.survey.matching import Matching
from execpolicy.sandbox.scan.survey.result import Survey
from execpolicy.sandbox.scan.survey.traversal import Traversal
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

MAX_NAMES = 2_000_000
"""Names of what is only read; what is beyond them is not there."""
MAX_HOME, HOME_DEPTH = 5_000, 3
"""Names of a home that are looked at, and how far below it."""


class Tree:
    """All below the roots was looked at. What git names there may be taken up besides."""

    def __init__(self, roots: tuple[str, ...], matching: Matching, traversal: Traversal) -> None:
        self.roots, self.matching, self.traversal = roots, matching, traversal
        self.directories: list[str] = []
        self.linked: dict[str, tuple[Linked, ...]] = {}

    @property
    def repositories(self) -> "list[str]":
        """The git directories that were found."""
        return [path for path, one in self.matching.notes.by_path.items() if one.repository]


class Surroundings(Value):
    """What lies around the roots was looked at, too."""

    tree: Tree


class Followed(Value):
    """Links were followed: all names of what is protected in what was looked at are known."""

    tree: Tree

    def survey(self) -> Survey:
        """What was found."""
        tree, traversal = self.tree, self.tree.traversal
        return Survey(
            found=tree.matching.holdings.by_path,
            noted=tree.matching.notes.by_path,
            directories=tuple(tree.directories),
            closed=tuple(traversal.closed),
            long=tuple(traversal.long),
            unseen=tuple(traversal.unseen),
            linked=tuple(tree.linked.items()),
        )


def tree(
    index: NameIndex,
    roots: "Iterable[str]",
    openings: "Openings | None" = None,
    closed: "Iterable[str]" = (),
) -> Tree:
    """Look at all that lies below these directories.

    With `openings` all that can be opened is looked into but for what is `closed`.
    """
    made = Tree(tuple(roots), Matching(index), Traversal(openings, closed))
    made.matching.reach.roots = made.roots
    for root in made.roots:
        _below(root, made)
    return made


def _below(root: str, made: Tree) -> None:
    matching, traversal = made.matching, made.traversal
    of_note = matching.index.of_note
    for here, entries in traversal.below(root, lambda entries: matching.onward(of_note(entries))):
        made.directories.append(here)
        if not traversal.is_again and not is_installed(here[len(root) :]):
            made.linked[here] = linked(sorted(entries, key=lambda entry: entry.name))
        matching.git_parts(here, {entry.name for entry in of_note(entries)}, is_root=here == root)
    for path in traversal.unnameable:
        matching.notes.note_unnameable(path)


def surroundings(made: Tree, covered: "Cover") -> Surroundings:
    """Look at the names in a home, and at what of it is to be searched and the directories beside
    the roots, as far as a short look comes; then at what patterns name as a whole."""
    home, matching = covered.home, made.matching
    listed, unseen = entries_of(home), Unseen("\0", (), ())
    if listed is not None and home != "/":
        # Files that programs write all the time; with several names one may be the project's.
        files = () if any(made.linked.values()) else covered.files(listed)
        unseen = Unseen(home, listed, files)
    matching.names_in([e for e in listed or [] if not unseen.has(e.path)])
    tops = [path for path in covered.searched if path not in made.roots]
    for root in made.roots:
        parent = os.path.dirname(root)
        if parent != "/" and not below(parent, home):
            tops += matching.names_in(entries_of(parent) or [])
    _briefly([path for path in tops if not matching.reach.is_below_root(path)], matching)
    _literal_paths(matching, unseen)
    _protected_links(matching)
    return Surroundings(made)


def _briefly(tops: "Iterable[str]", matching: Matching) -> None:
    """Look at directories, the nearest to the tops first."""
    waiting, left = [(path, 1) for path in tops], MAX_HOME
    generated = matching.index.policy.places.bases.generated
    while waiting and left > 0:
        here, depth = waiting.pop(0)
        entries = entries_of(here) or []
        left -= len(entries)
        for path in matching.onward(entries, links=False):
            if depth < HOME_DEPTH and generated(path, here) is None:
                waiting.append((path, depth + 1))


def _literal_paths(matching: Matching, unseen: Unseen) -> None:
    """Look at the paths that patterns name by themselves."""
    for path, one in matching.index.literal_paths():
        own = path.startswith(OWN) and not _is_device(path, one)
        if own or unseen.has(path) or not os.path.lexists(path):
            continue
        real = os.path.realpath(path)
        if matching.reach.is_below_root(real) or not _shows_nothing(path, one):
            places = (one.place,) if one.place else ()
            matching.add(path, NameMatch(places, (one.rule,) if one.rule else ()))
            for link in links_on(path) if real != path else ():
                matching.reach.take(link)


def _protected_links(matching: Matching) -> None:
    """Look at where the links lead that lie in directories which are protected as a whole."""
    known = matching.holdings.by_path
    found = [one for one in known.values() if one.kind == "directory" and one.places]
    # What the system starts is its packages' and root's: many links, and none to a project.
    tops = [one.path for one in found if "policy" in one.places or one.path[:5] != "/etc/"]
    # Sessions that a program writes beside its settings, all the time.
    sessions = {p for p in tops if "credentials" in known[p].places and _lies(p, tops)}
    for link, name in matching.reach.links_into_roots(tops, sessions):
        match = matching.index.through_links(name)
        if match is not None:
            matching.add(link, match)


def followed(seen: "Tree | Surroundings") -> Followed:
    """Look again at what turned out to have a protected name through a link."""
    made = seen.tree if isinstance(seen, Surroundings) else seen
    matching = made.matching
    for real in matching.reach.waiting():
        match = matching.index.match(real, os.path.basename(real))
        if match is not None:
            matching.add(real, match)
        for here in [path for path in made.directories if below(path, real)]:
            for _ in matching.onward(in_order(here)):
                pass
    for name in matching.reach.names():
        matching.notes.note(name)
    return Followed(made)


def whole(seen: Followed) -> Survey:
    """Look at the names alone of what the traversal did not come to, and hold hard links."""
    _names_past_limit(seen.tree)
    hard_links.hold(seen.tree.matching.holdings, seen.tree.linked)
    return seen.survey()


def _names_past_limit(made: Tree) -> None:
    """What is beyond the limit is only read: keys in it are not there, nor other names of them."""
    waiting, left = [*made.traversal.past_limit], MAX_NAMES
    holdings = made.matching.holdings
    kept = hard_links.protected(holdings.by_path, hidden=True) if waiting else {}
    inodes = {inode for _, inode in kept}
    while waiting:
        here = waiting.pop()
        entries = made.traversal.protectable(here, entries_of(here)) if left > 0 else None
        if entries is None:
            made.traversal.unseen.append(here)
            continue
        left -= len(entries)
        for entry in entries:
            if entry.inode() in inodes and (inode := linked_inode(entry.path)) in kept:
                holdings.hold_link(entry.path, kept[inode].places)
        waiting += made.matching.onward(entries, links=False)


def _lies(path: str, directories: "Iterable[str]") -> bool:
    return any(below(path, one) and path != one for one in directories)


def _shows_nothing(path: str, one: "DeclaredPattern") -> bool:
    """Whether what is kept secret need not be hidden: an empty directory, or closed to this user,
    who has no more rights inside."""
    if one.place is None or one.place.place not in SECRET:
        return False
    if not os.path.isdir(path):
        return not os.access(path, os.R_OK)
    return is_empty(path) or not (os.access(path, os.R_OK) or os.access(path, os.X_OK))


def _is_device(path: str, one: "DeclaredPattern") -> bool:
    """Whether a rule of the user opens a device that a run would not have."""
    opens = one.rule is not None and not tightens(one.rule) and "write" in one.rule.modes
    return opens and path.startswith("/dev/")

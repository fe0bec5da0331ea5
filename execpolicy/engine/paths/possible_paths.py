"""Every place that an access may touch, where it names more than one literal path.

A path that is computed is every place that it may be, as far as its beginning, the request's own
words and a bounded look at the directory can tell.
"""

from execpolicy.engine.paths import computed_paths
from execpolicy.engine.paths.bases import Base
from execpolicy.engine.paths.feeds.feeds import feed_of
from execpolicy.engine.paths.feeds.limits import Limits
from execpolicy.engine.paths.globs import is_glob, literal_directory
from execpolicy.engine.paths.literal_paths import LiteralPaths
from execpolicy.engine.paths.reach.request_words import RequestWords
from execpolicy.engine.paths.targets import is_foreign, unquoted, without_proc
from execpolicy.engine.paths.touched import Overlay, Touched, by_class, touched
from execpolicy.engine.paths.trees import is_wide, limits_of, searched
from execpolicy.model.operation import UNNAMED, Access, Dynamic, Word, is_pipe
from execpolicy.model.rule import ELSEWHERE
from execpolicy.support.path_match import below, name_fits, normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from execpolicy.engine.paths.changes.changing import Changing

MAX_NAMED = 1000
"""Names that arrive by globs, of all steps together; of those after them any may arrive."""
_ENTRIES = frozenset(("remove", "execute"))
"""Modes for which a link counts where it stands: it is what is removed, and what was put there."""
_CHANGING = frozenset(("write", "remove"))
_TREES = frozenset(("tracked", "tree", "visible"))
_HISTORY = frozenset(("staged", "history", "revision"))
_GLOBBED = frozenset(("tracked", "history", "revision"))


class PossiblePaths:
    """The classes of the paths of one request, whatever they are written as."""

    __slots__ = (
        *("_classes", "_dots", "_everything", "_index", "_known_changing", "_known_globs"),
        *("_known_near", "_literal", "_named_count", "_place", "_where", "_words"),
    )

    def __init__(self, literal: LiteralPaths) -> None:
        self._index, self._where = literal.index, literal.where
        self._place, self._classes = literal.place, literal.classes
        self._literal, self._everything = literal, literal.everything
        self._dots = True in [step.position.facts.dots for step in self._where.steps]
        self._words = RequestWords(literal)
        self._known_near: dict[tuple[str, str, str], tuple[Overlay, ...]] = {}
        self._named_count = 0
        self._known_changing: Changing | None = None
        self._known_globs: dict[tuple[str, tuple[str, ...], bool, bool], Touched] = {}

    def of(self, access: Access, number: int) -> Touched:
        """What an access of this step touches."""
        given = unquoted(access.path)
        path = without_proc(given)
        wanted = self._index.counted(access.mode, access.extent)
        found = self._of_path(access, path, number)
        bases, overlays = found.bases, [*found.overlays]
        if is_foreign(given):
            bases, overlays = (
                (*bases, Base(ELSEWHERE)),
                [*overlays, *by_class(self._everything("/"))],
            )
        if self._is_anywhere(path, number):
            overlays += self._anywhere(access, path)
        overlays += self._of_extent(access, path, number)
        for beyond in self._targets(access, path, number):
            bases, overlays = (*bases, *beyond.bases), [*overlays, *beyond.overlays]
        if access.extent == "below":
            bases = (*bases, Base(ELSEWHERE))  # a name of no fixed place, `.envrc` say
        if access.mode in _CHANGING and access.extent != "repository":
            overlays += self._changed(path, access, number)
        if access.source is not None and isinstance(access.path, str):
            arrived = self._arriving(access.source, access.path, number)
            bases, overlays = (*bases, *arrived.bases), [*overlays, *arrived.overlays]
        return touched(bases, overlays, wanted)

    def _of_extent(self, access: Access, path: str, number: int) -> "Iterator[Overlay]":
        """What is below a path of what the extent takes in."""
        if access.extent in _HISTORY:
            yield from self._kept(path, access.extent, number)
        elif access.extent in _TREES:
            roots = [*self._roots(path, number)]
            matched = isinstance(access.path, str) or not roots
            if is_glob(path) and matched and access.extent not in _GLOBBED:
                # the program expands it, and may match hidden names and below directories
                roots += map(literal_directory, self._where.absolute(path, number))
            yield from self._trees(roots, access.extent, limits_of(self._where, number))
            for root in roots if access.extent == "tracked" else ():
                put = self._staged(root, number)
                within = [each for each in put or () if below(each, normal(root))]
                yield from self._everything(root) if put is None else self._literal.among(within)
        if access.extent in _GLOBBED and is_glob(path):
            yield from self._pathspec(path, number, access.extent)

    def _targets(self, access: Access, path: str, number: int) -> "Iterator[Touched]":
        """What a path leads to beyond itself: by links, by what a file includes."""
        if access.follows:
            yield self._through_links(path, access, number)
        if access.extent == "including":
            yield self._included(path, number)

    def _of_path(self, access: Access, path: str, number: int) -> Touched:
        """What the word of a path, without quotes, may lead to."""
        if access.mode == "read" and is_pipe(access.path):
            return Touched((Base(ELSEWHERE),), ())
        removing = access.mode in _ENTRIES
        if isinstance(access.path, Dynamic):
            if computed_paths.is_computed(access.path, path):
                return self._computed(access.path, path, number, access.extent)
            if is_glob(path):
                arrived = self._names_of(access.source, number)
                return (
                    self._named_so(path, arrived, number)
                    if arrived
                    else self._globbed(path, number, removing)
                )
        return self._plain(path, number, removing)

    def relocated(self, found: Touched, access: Access, number: int) -> Touched:
        """The same with what other steps of the request put at the path before it is opened."""
        moves = self._literal.relocations
        path = unquoted(access.path)
        bases, overlays = [*found.bases], [*found.overlays]
        for absolute in self._where.absolute(path, number) if moves else ():
            for other in moves.others(absolute, number):
                there = self._place(other, access.mode in _ENTRIES)
                bases += there.bases
                overlays += there.overlays
                if access.mode in _CHANGING:
                    overlays += self._changing.program(other, access.extent, number)
            if access.mode == "write" and moves.is_unsettled(absolute, number):
                bases.append(Base(ELSEWHERE))
            if access.mode == "read" and moves.is_lost(absolute, number):
                bases.append(Base(ELSEWHERE))
                overlays += self._everything(absolute)
        wanted = self._index.counted(access.mode, access.extent)
        return touched(bases, overlays, wanted) if bases[len(found.bases) :] else found

    def _anywhere(self, access: Access, path: str) -> "Iterator[Overlay]":
        """A path below a directory that is computed: every one that the request names may be it,
        and what is computed itself, too, may be any that ends so."""
        if access.extent in _TREES or access.extent in _HISTORY or is_glob(path):
            yield from self._everything(path)
        elif self._may_be_any(access.path, path):
            yield from by_class(self._everything(path))
        yield from self._words.below(path)

    def _may_be_any(self, word: Word, path: str) -> bool:
        """Whether a path is computed, and credentials have a name that ends as it does."""
        if isinstance(word, str) or not self._where.moves:
            return False
        if not computed_paths.is_computed(word, path):
            return False
        end = word.suffix or computed_paths.after_computed(path)
        names = (pattern.parts[-1] for pattern, _ in self._index.literals("credentials"))
        return any(name.endswith(end) for name in names)

    def _plain(self, path: str, number: int, removing: bool) -> Touched:
        bases: list[Base] = []
        overlays: list[Overlay] = []
        for absolute in self._where.absolute(path, number):
            there = self._place(absolute, removing)
            bases += there.bases
            overlays += there.overlays
        if not bases or path[:1] == "~":  # the home of an unknown user, or just a name
            overlays += self._classes(normal(path), path)
        if not bases or self._is_anywhere(path, number):
            bases.append(Base(ELSEWHERE))
        return Touched(tuple(bases), tuple(overlays))

    def _is_anywhere(self, path: str, number: int) -> bool:
        """Whether a path is relative, and not all directories are known where its step may run."""
        return path[:1] not in ("/", "~") and self._where.of(number) is None

    def _names_of(self, source: "str | Dynamic | None", number: int) -> "set[str]":
        """The names that a glob of what is copied or moved stands for."""
        text = unquoted(source) if isinstance(source, Dynamic) else ""
        found = self._roots(text, number) if is_glob(text) else ()
        return {path.rpartition("/")[2] for path in found}

    def _named_so(self, path: str, names: "set[str]", number: int) -> Touched:
        """What arrives in the directory of a path under these names."""
        directory, self._named_count = path.rpartition("/")[0], self._named_count + len(names)
        if self._named_count > MAX_NAMED:
            return Touched((Base(ELSEWHERE),), tuple(self._everything(path)))
        each = [self._plain(f"{directory}/{name}", number, False) for name in sorted(names)]
        return Touched(
            tuple(base for one in each for base in one.bases),
            tuple(overlay for one in each for overlay in one.overlays),
        )

    # --- several paths ----------------------------------------------------------------------------

    def _globbed(self, path: str, number: int, removing: bool) -> Touched:
        """What a glob matches; where that is nothing, a fixed name that it could match.

        To remove all of a directory is to remove what makes it one.
        """
        every, anywhere = tuple(self._where.absolute(path, number)), self._is_anywhere(path, number)
        key = path, every, removing, anywhere
        if key not in self._known_globs:
            self._known_globs[key] = self._matching(*key)
        return self._known_globs[key]

    def _matching(
        self, path: str, every: tuple[str, ...], removing: bool, anywhere: bool
    ) -> Touched:
        bases: list[Base] = []
        overlays: list[Overlay] = []
        for absolute in every:
            matched = self._where.matches(absolute, self._dots)
            for each in matched or ():
                there = self._place(each, removing)
                bases += there.bases
                overlays += there.overlays
            if not matched:
                overlays += self._words.could_be(absolute)
            if removing or not matched:
                is_new = matched is not None and not removing
                bases += self._place(absolute if is_new else literal_directory(absolute)).bases
            if "**" in path:
                overlays += self._trees([literal_directory(absolute)], "tree", Limits())
        if not bases:
            overlays += self._words.could_be(path)
        if not bases or anywhere:
            bases.append(Base(ELSEWHERE))
        return Touched(tuple(bases), tuple(overlays))

    def _computed(self, word: Dynamic, path: str, number: int, extent: str) -> Touched:
        """A path of which only the beginning is known, or nothing."""
        known = path[: computed_paths.start(path)]
        if word.prefix not in ("", "/") and len(word.prefix) > len(known):
            known = word.prefix
        known = "" if known == "." else known.removeprefix("./")
        directory = known[: known.rfind("/") + 1]
        feed = feed_of(self._where.steps, number, word)
        overlays = [*self._words.mentions(), *self._classes(computed_paths.stand_in(path), path)]
        overlays += self._words.ending(computed_paths.tail(path), path)
        if feed is not None:
            from execpolicy.engine.paths.feeds.fed import Fed

            fed = Fed(self._literal, self._dots)
            feed = feed.whole_trees() if extent in _TREES else feed
            return Touched((Base(ELSEWHERE), *fed.bases(feed)), (*overlays, *fed.of(feed, number)))
        bases = [Base(ELSEWHERE)]
        for text in self._where.assigned.filled(word):
            there = (self._globbed if is_glob(text) else self._plain)(text, number, False)
            bases, overlays = [*bases, *there.bases], [*overlays, *there.overlays]
        overlays += self._words.filling(path)
        if directory:
            overlays += self._classes(normal(directory), path)
        for absolute in self._where.absolute(directory or ".", number):
            place = self._where.resolver.locate(absolute)
            start = place.real or place.lexical
            overlays += self._classes(start, path)
            bases += [self._literal.bases.of(start)] if directory else []
            if not is_wide(self._where, start):
                end = word.suffix or computed_paths.tail(path)
                key = start, known, end
                if key not in self._known_near:
                    self._known_near[key] = tuple(self._found_below(*key))
                overlays += self._known_near[key]
        return Touched(tuple(bases), tuple(overlays))

    def _found_below(self, directory: str, known: str, suffix: str) -> "Iterator[Overlay]":
        """Credentials in a tree, of which a computed path that begins and ends so may be one, and
        links there that lead to some."""
        name = known[known.rfind("/") + 1 :]
        near = self._where.resolver.nearby(directory)
        links = frozenset(near.links)
        beginning = f"{directory.rstrip('/')}/{name}"
        found = [p for p in near.files if p.endswith(suffix) and p.startswith(beginning)]
        telling = frozenset(self._index.telling(found))
        for path in found:
            if path in links:
                yield from self._place(path).overlays
            elif path in telling:
                yield from self._classes(path, path)

    def _arriving(self, source: "str | Dynamic", path: str, number: int) -> Touched:
        """What the files below a directory become where it is copied to: a file that is there as a
        link is written through it."""
        text = unquoted(source)
        bases: list[Base] = []
        overlays: list[Overlay] = []
        computed = is_glob(text) or any(sign in text for sign in computed_paths.COMPUTED)
        for start in map(normal, self._where.absolute(text, number)):
            inside = () if computed else self._literal.copies.files_below(start)
            for target in map(normal, self._where.absolute(path, number)):
                overlays += self._literal.unknown_below(target) if computed else ()
                if not computed and self._literal.copies.is_unbounded(start):
                    overlays += self._literal.any_class(target)
                for each in self._literal.copies.of(start, target) if inside else ():
                    overlays += self._classes(each, each)
                for link in self._written_through(target, inside) if inside else ():
                    bases += self._place(link).bases
        return Touched(tuple(bases), tuple(overlays))

    def _written_through(self, target: str, inside: "Collection[str]") -> "Iterator[str]":
        """The places in a directory by which files that arrive there come to lie elsewhere."""
        there = self._where.resolver.below(target, False, False)
        if there is None:  # it has too many to look for its links
            locate = self._where.resolver.locate
            yield from (at for rest in inside if locate(at := target + rest).real != at)
            return
        for link in there.links:
            name = link[len(target) :]
            if any(rest == name or rest.startswith(name + "/") for rest in inside):
                yield link

    @property
    def _changing(self) -> "Changing":
        if self._known_changing is None:
            from execpolicy.engine.paths.changes.changing import Changing

            self._known_changing = Changing(self._literal, self._literal.relocations)
        return self._known_changing

    def _changed(self, path: str, access: Access, number: int) -> "Iterator[Overlay]":
        """What changes with a path beside the path itself."""
        changing, extent = self._changing, access.extent
        for absolute in self._roots(path, number) if extent != "entry" else ():
            yield from changing.held(absolute, extent in UNNAMED)
        for absolute in self._where.absolute(path, number) if extent not in UNNAMED else ():
            yield from changing.program(absolute, extent, number)
            yield from changing.arriving(absolute, number)

    # --- trees ------------------------------------------------------------------------------------

    def _roots(self, path: str, number: int) -> "Iterator[str]":
        """The directories that a word stands for, of a glob all that it matches."""
        for absolute in self._where.absolute(path, number):
            yield from (
                (self._where.matches(absolute, self._dots) or ()) if is_glob(path) else (absolute,)
            )

    def _trees(self, roots: "Iterable[str]", extent: str, taken: Limits) -> "Iterator[Overlay]":
        """What a program that reads all below would read; a tree without bounds has everything."""
        for absolute in roots:
            found = searched(self._index, self._where, absolute, extent, taken)
            if found is None:
                yield from self._unbounded(absolute, taken)
            yield from self._literal.among(found or ())

    def _unbounded(self, path: str, taken: Limits) -> "Iterator[Overlay]":
        """Credentials that a search with these limits may read, in a tree without bounds."""
        if is_wide(self._where, path) or taken.others:
            yield from self._everything(path)
        for pattern, rule in self._index.literals("credentials") if not taken.code else ():
            last = pattern.parts[-1]
            if last == "**" or taken.may_take(last):
                yield Overlay(rule, f"{path}, with all below it", within=True)
                return

    def _kept(self, path: str, extent: str, number: int) -> "Iterator[Overlay]":
        """What git keeps of a path, or of all of a repository."""
        from execpolicy.engine.paths import history

        for absolute in self._where.absolute(path, number):
            sought = sorted(self._index.counted("read", extent))
            found = history.kept(self._index, self._where, absolute, extent, sought)
            whole = history.is_whole(self._where, path, absolute, extent)
            real = self._where.resolver.locate(absolute).real or normal(absolute)
            put = self._staged(absolute, number)
            if found is None or put is None:
                yield from self._everything(absolute)
            for overlay in self._literal.among((*(found or ()), *(put or ()))):
                if whole or history.below_any_case(overlay.path, real):
                    yield overlay

    def _staged(self, path: str, number: int) -> "tuple[str, ...] | None":
        """What other steps may have put into the repository of a path; None where it is too much
        to look at."""
        if len(self._where.steps) == 1:
            return ()
        from execpolicy.engine.paths.changes.staged import staged

        return staged(self._index, self._where, path, number)

    def _through_links(self, path: str, access: Access, number: int) -> Touched:
        """What a program reaches that follows the links of a tree."""
        from execpolicy.engine.paths.reach.followed import followed

        limits, enters = limits_of(self._where, number), access.extent != "edited"

        def takes(inside: str) -> bool:
            names = [name for name in inside.split("/") if name]
            return not names or limits.take(names) or limits.bring(names)

        found = [
            each
            for root in self._roots(path, number)
            for each in followed(root, access.extent, takes, self._literal, enters=enters)
        ]
        bases = tuple(base for each in found for base in each.bases)
        return Touched(bases, tuple(overlay for each in found for overlay in each.overlays))

    def _included(self, path: str, number: int) -> Touched:
        """What the files that a word stands for include of others."""
        from execpolicy.engine.paths.reach.included import included

        here = self._where.of(number) or ()
        found = [
            each
            for root in self._roots(path, number)
            for each in included(root, here, self._literal)
        ]
        bases = tuple(base for each in found for base in each.bases)
        return Touched(bases, tuple(overlay for each in found for overlay in each.overlays))

    def _pathspec(self, path: str, number: int, extent: str) -> "Iterator[Overlay]":
        """What git takes for a glob: its `*` matches slashes and dots, too (gitglossary(7))."""
        from execpolicy.engine.paths import history
        from execpolicy.engine.paths.feeds.name_globs import fits

        for absolute in self._where.absolute(path, number):
            directory = normal(literal_directory(absolute))
            tracked = self._where.resolver.tracked(directory)
            if extent != "tracked":
                sought = sorted(self._index.counted("read", extent))
                tracked = history.kept(self._index, self._where, directory, extent, sought)
            matched = [each for each in tracked or () if fits(absolute, each) is not False]
            yield from self._literal.among(matched)
            if tracked is None or (extent == "tracked" and not matched):
                yield from self._named(absolute.rpartition("/")[2].lower(), path)

    def _named(self, glob: str, shown: str) -> "Iterator[Overlay]":
        """The first credentials of a fixed name that a glob with some literal text fits."""
        piece = max(glob.replace("?", "*").split("*"), key=len)
        for place in self._index.sought if piece else ():
            for last, rule in self._index.last_names(place, piece):
                if name_fits(glob, last):
                    yield Overlay(rule, shown)
                    break

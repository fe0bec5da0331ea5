"""What rules and places say about a path or a host that an operation names."""

from _collections_abc import Iterator, Sequence

from execpolicy.engine.paths.globs import is_glob
from execpolicy.engine.paths.targets import (
    Places,
    matching_hosts,
    matching_paths,
    names,
    possible_paths,
    unquoted,
)
from execpolicy.engine.paths.touched import Overlay
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import (
    Access,
    Assign,
    Assignment,
    Connect,
    Dynamic,
    Exec,
    Variable,
    Word,
    show,
)
from execpolicy.model.rule import ON_PATH, OVERLAY, NetworkRule, PathRule
from execpolicy.model.verdict import Match, Source
from execpolicy.policy.place_index import PlaceIndex
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.path_match import below
from execpolicy.support.record import Value


class Ruled(Value):
    """What is said about a path, a host or a variable.

    `allowed`: an allow rule names it. `places` are the classes of a path.
    """

    matches: tuple[Match, ...] = ()
    allowed: bool = False
    places: tuple[str, ...] = ()


def accessed(access: Access, number: int, scene: Scene) -> Ruled:
    """What is said about a path."""
    paths, places = scene.paths, scene.places
    rules = matching_paths(paths, access, places)
    if len(places.directories) > 1 and access.mode in paths.allowed_modes:
        rules += _after_cd(access, number, scene)
    said = [_by_rule(rule, access, scene) for rule in rules if rule.decision]
    allowing = [rule for rule in rules if not rule.decision]
    if [rule for rule in allowing if rule.programs]:
        from execpolicy.engine.paths.feeds.openers import holds

        allowing = [rule for rule in allowing if holds(rule, access, number, scene)]
    if isinstance(access.path, Dynamic) or places.names:
        said.extend(_possible(access, scene))
    if access.mode in paths.strict_modes:
        reached = [*_indirect_rules(access, number, scene)]
        known = {(match.origin, match.decision) for match in said if reached}
        said += [each for each in reached if (each.origin, each.decision) not in known]
    if access.mode == "remove" and scene.ruled.own("read") and scene.relocations.takes(number):
        said.extend(_moved_on(access, number, scene))
    touched = scene.overlays.of(access, number)
    laid = [
        overlay
        for overlay in touched.overlays
        if not any(_names(rule, overlay, scene) for rule in allowing)
    ]
    said += [_by_place(overlay, access, scene) for overlay in laid]
    if allowing:
        said.extend(by_path(rule, access) for rule in allowing)
    return Ruled(tuple(said), bool(allowing), touched.classes)


def _after_cd(access: Access, number: int, scene: Scene) -> list[PathRule]:
    """The rules that allow a relative path where the request changed the directory: at each place
    where it may then lie there is one, or none is needed."""
    path = access.path
    if not isinstance(path, str) or path[:1] in ("/", "~"):
        return []
    found: dict[PathRule, None] = {}
    for absolute in scene.overlays.absolute(path, number):
        there, here = access.replace(path=absolute), Places(scene.places.home)
        rules = [rule for rule in matching_paths(scene.paths, there, here) if not rule.decision]
        if not rules and not _is_read(there, number, scene):
            return []
        found |= dict.fromkeys(rules)
    return list(found)


def _is_read(access: Access, number: int, scene: Scene) -> bool:
    """Whether a path may be read where it lies, whatever rules say."""
    touched = scene.overlays.of(access, number)
    if access.mode != "read" or touched.overlays:
        return False
    return scene.snapshot.defaults.decide("read", touched.classes) is Decision.ALLOW


def _moved_on(access: Access, number: int, scene: Scene) -> "Iterator[Match]":
    """The rules against reading what a step moves: no rule is about it where it then lies."""
    reading = access.replace(
        mode="read", extent="tree" if access.extent == "file" else access.extent
    )
    for rule in matching_paths(scene.paths, reading, scene.places):
        if rule.decision:
            yield _by_rule(rule, reading, scene)
    yield from _indirect_rules(reading, number, scene)


def unnamed(command: RequestCommand) -> "Iterator[Match]":
    """What is laid over the directory where a command may change files that it does not name.

    In the policy's own folder that is whatever does more than read; elsewhere, what is known to
    write. Git writes in `.git` as it has to.
    """
    access, scene = Access(".", "write", extent="entry"), command.scene
    writes = any(cause.effect in _WRITING for cause in command.reading.effects)
    own = command.operation.argv[0] in scene.snapshot.variables.repositories
    for overlay in scene.overlays.of(access, command.number).overlays:
        place = overlay.rule.place
        if place == "policy" or (writes and not (own and place == "control")):
            yield _by_place(overlay, access, scene)


_WRITING = frozenset(("write", "destroy"))


def by_path(rule: PathRule, access: Access) -> Match:
    """What a path rule says."""
    why = rule.justification or f"a rule for this path says {rule.decision.word}"
    shown = f"{access.mode} `{printable(show(access.path), 60)}`: {why}"
    return Match(Source.RULE, rule.decision, shown, rule.origin, (), rule.justification)


def _by_rule(rule: PathRule, access: Access, scene: Scene) -> Match:
    """What a path rule that tightens says: of what is written into a directory it may be."""
    if access.mode == "write" and not names(rule, access, scene.places):
        return _may_be(rule, access, show(access.path))
    return by_path(rule, access)


_OPEN = "what that leads to is not known, and may be any file"


def _may_be(rule: PathRule, access: Access, path: str, why: str = "") -> Match:
    why = why or rule.justification or f"a rule for this path says {rule.decision.word}"
    shown = f"{access.mode}s `{printable(path, 120)}`: {why}"
    return Match(Source.READER, Decision.PROMPT, shown, rule.origin)


def _by_place(overlay: "Overlay", access: Access, scene: Scene) -> Match:
    laid = OVERLAY[overlay.rule.place]
    why = laid.reads if access.mode == "read" else laid.writes
    said = f": {_OPEN}" if overlay.open else f", which {why}"
    shown = f"{access.mode}s `{printable(overlay.path, 120)}`{said}"
    effect = "destroy" if access.mode == "remove" else access.mode
    places = (overlay.rule.place,)
    decision = asked(effect, places, scene.snapshot)
    found = Match(
        Source.PLACE, decision, shown, overlay.rule.origin, effects=(effect,), places=places
    )
    return found if overlay.is_walled else found.replace(confined=Decision.ALLOW)


def asked(effect: str, places: tuple[str, ...], snapshot: Snapshot) -> Decision:
    """What is laid over a path asks, and is refused where a posture never asks."""
    return max(Decision.PROMPT, snapshot.defaults.decide(effect, places))


def _names(rule: PathRule, overlay: "Overlay", scene: Scene) -> bool:
    """Whether an allow rule names what is laid over the path, and does not just reach so far."""
    if overlay.rule.place == "policy":
        return False
    if ON_PATH in overlay.rule.paths:
        return any(_is_of_path(path, scene) for path in rule.paths)
    return any(_reaches(path, overlay.rule.place, scene) for path in rule.paths)


def _is_of_path(pattern: str, scene: Scene) -> bool:
    """Whether a pattern names a directory of PATH, or something in one."""
    root = scene.where.root
    path = pattern.removesuffix("/*").removesuffix("/**")
    if path[:2] == "./" and root is not None:
        path = root.path + path[1:]
    elif path[:2] == "~/" and scene.where.home:
        path = scene.where.home + path[1:]
    return any(below(path, at) for at in scene.resolver.programs())


def _reaches(pattern: str, place: str, scene: Scene) -> bool:
    index: PlaceIndex = scene.snapshot.policy.places
    fixed = pattern.removesuffix("/*").removesuffix("/**")
    home, root = scene.where.home, scene.where.root
    return any(r.place == place for r in index.of(fixed, home, root.path if root else None))


def _possible(access: Access, scene: Scene) -> "Iterator[Match]":
    """A path of which the end is computed may be one that a rule refuses.

    In the sandbox such a path is not there to be written, whatever the word turns out to be.
    """
    held = Decision.ALLOW if access.mode == "write" else None
    for rule in possible_paths(scene.paths, access, scene.places):
        why = f"may be a path for which a rule says {rule.decision.word}"
        shown = f"{access.mode} `{printable(show(access.path), 60)}`: {why}"
        yield Match(Source.READER, Decision.PROMPT, shown, rule.origin, confined=held)


def _indirect_rules(access: Access, number: int, scene: Scene) -> "Iterator[Match]":
    """Rules for what an access comes upon in other ways than by its text: through a link, as what a
    glob matches, or somewhere in a tree.

    What is written out, or matched, is one that the rule decides; of a tree, or of a glob that
    matches nothing, it may be.
    """
    of_git = access.extent in _OF_GIT
    overlays = () if of_git else scene.overlays.ruling(access, number)
    met: list[tuple[Overlay, bool]] = []
    if overlays:
        certain = access.extent in _ONE_PATH and not _is_computed(access.path)
        text = unquoted(access.path)
        unmatched = is_glob(text)
        met += [
            (
                each,
                certain
                and not (each.open or each.within or (unmatched and each.path.endswith(text))),
            )
            for each in overlays
        ]
    if access.mode != "read" and scene.ruled.own(access.mode):
        from execpolicy.engine.paths.changes.rewritten import rewritten

        met += rewritten(access, number, scene)
    for emptied in _emptied(access, number, scene):
        rules = matching_paths(scene.paths, emptied, scene.places)
        yield from (by_path(rule, emptied) for rule in rules if rule.decision)
    for overlay, is_met in met:
        rule = scene.ruled.rule(overlay.rule)
        why = _OPEN if overlay.open else ""
        yield by_path(rule, access) if is_met else _may_be(rule, access, overlay.path, why)


def _emptied(access: Access, number: int, scene: Scene) -> "Iterator[Access]":
    """The removal of each directory of which nothing is left: of which all files are handed to what
    removes them, or into which something is put by a command that removes all else."""
    if access.mode == "remove" and isinstance(access.path, Dynamic):
        from execpolicy.engine.paths.feeds.feeds import emptied

        starts = emptied(scene.steps, number, access.path)
        yield from (access.replace(path=start) for start in starts)
    if access.mode == "write" and access.extent == "entry":
        asked = "empties", number
        if asked not in scene.of_step:
            reading = scene.steps[number].reading
            causes = reading.effects if reading is not None else ()
            scene.of_step[asked] = any(c.effect == "destroy" and c.subject is None for c in causes)
        if scene.of_step[asked]:
            yield access.replace(mode="remove", extent="file")


_ONE_PATH = frozenset(("file", "names"))
_OF_GIT = frozenset(("repository", "restored"))


def _is_computed(word: Word) -> bool:
    from execpolicy.engine.paths.computed_paths import is_computed

    return isinstance(word, Dynamic) and is_computed(word, unquoted(word))


def connected(subject: Connect, snapshot: Snapshot) -> Ruled:
    """What tightening rules say about a host, and whether one allows it."""
    rules = matching_hosts(snapshot.policy, subject)
    allowed = any(not rule.decision for rule in rules)
    return Ruled(tuple(by_network(rule) for rule in rules if rule.decision), allowed)


def allowing_hosts(subject: Connect, snapshot: Snapshot) -> "Sequence[NetworkRule]":
    """The rules that allow a host."""
    return [r for r in matching_hosts(snapshot.policy, subject) if not r.decision]


def by_network(rule: NetworkRule) -> Match:
    """What a network rule says."""
    why = rule.justification or f"a rule for this host says {rule.decision.word}"
    shown = f"connect to `{rule.host}`: {why}"
    return Match(Source.RULE, rule.decision, shown, rule.origin, (), rule.justification)


def shown(variable: Variable, operation: Exec, number: int, scene: Scene) -> Ruled:
    """What is said about variables of the environment that a command prints.

    Code that runs before may have made more, and a host's shell may have more: there a hook leaves
    it to the host. A search for fixed words shows only those that the words let through.
    """
    name, is_secret = variable.name, scene.snapshot.variables.secret
    if variable.expanded:
        taken = tuple(_of_variable(name, operation, scene) for name in scene.secrets[:1])
        return Ruled(taken, allowed=True)  # what is not a secret is not told
    if isinstance(name, str):
        is_known = is_secret(name) or _is_renamed(name, operation, scene)
        return Ruled((_of_variable(name, operation, scene),)) if is_known else Ruled()
    if _is_renamed(None, operation, scene):
        return Ruled((_of_variable(scene.secrets[0], operation, scene),))
    known = next((n for n in sorted(scene.resolver.variables()) if is_secret(n)), None)
    if not scene.elsewhere and _lets_none_through(number, scene):
        return Ruled()
    if not scene.elsewhere and known is None and scene.inherits(number):
        found = _of_credentials("shows variables, and none is a secret", operation, scene)
        return Ruled((found.replace(decision=Decision.ALLOW, confined=Decision.ALLOW),))
    if scene.elsewhere or known is None:
        place = "of that place" if scene.elsewhere else "of the environment"
        why = f"shows all variables {place}, and one may be a secret"
        return Ruled((_of_credentials(why, operation, scene),))
    return Ruled((_of_variable(known, operation, scene),))


def _is_renamed(name: str | None, operation: Exec, scene: Scene) -> bool:
    """Whether the request may give a secret to a variable of this name, or of any."""
    made = (*operation.env, *_assigned(scene))
    return bool(scene.secrets) and any(name in (None, each.name) for each in made)


def _assigned(scene: Scene) -> "Iterator[Assignment]":
    """The variables that the request sets for all commands after that."""
    operations = (step.operation for step in scene.steps)
    yield from (each.assignment for each in operations if isinstance(each, Assign))


def _lets_none_through(number: int, scene: Scene) -> bool:
    """Whether all that is seen of the variables are lines with words that are in no secret one."""
    from execpolicy.engine.filters import literal_words

    known = scene.snapshot.variables
    names = [name.upper() for name in scene.resolver.variables() if known.secret(name)]
    words = [word.strip("^=").upper() for word in literal_words(number, scene)]
    return bool(words) and not any(
        known.in_secret(word) or any(word in name for name in names) for word in words
    )


def printed(command: RequestCommand) -> "Iterator[Match]":
    """A variable with a secret, if a command that reads may print it, or one that writes keeps it
    in a file of its own (`git commit -m "$TOKEN"`).

    It may come there by another name: `x=$TOKEN; echo $x`. What reaches another machine with it
    asks for that.
    """
    operation, scene = command.operation, command.scene
    if not _LOCAL.issuperset(c.effect for c in command.reading.effects):
        return
    from execpolicy.support.resources import words_of

    words = [w for w in (*operation.argv, operation.stdin) if isinstance(w, Dynamic)]
    if operation.argv[0] in words_of("commands")["silent"]:
        compared = tuple(_compared(operation.argv))
        words = [w for w in words if w in compared or "?" in w.source]  # told in a message of error
    if any(map(_is_variable, (name for word in words for name in word.names))):
        yield _of_variable(scene.secrets[0], operation, scene)


def _compared(argv: tuple[Word, ...]) -> "Iterator[Word]":
    """The words of which a `test` tells more than whether they are empty."""
    for at, sign in enumerate(argv):
        before, after = argv[at - 1] if at else "", argv[at + 1] if at + 1 < len(argv) else ""
        if not isinstance(sign, str):
            continue
        for word, other in ((before, after), (after, before)):
            begins = word.prefix if isinstance(word, Dynamic) else word
            differs = sign in _COMPARING and other != begins
            if differs or (sign[:1] == "-" and sign not in _OF_EMPTINESS):
                yield word


_COMPARING = frozenset(("=", "==", "!=", "<", ">", "=~"))
_OF_EMPTINESS = frozenset(("-n", "-z", "-a", "-o"))


def _is_variable(name: str) -> bool:
    """Whether this is a variable or an argument, and not the output of a command."""
    return name.isidentifier() or name.isdigit() or name in ("@", "*")


_LOCAL = frozenset(("read", "write"))


def _of_variable(name: str, operation: Exec, scene: Scene) -> Match:
    return _of_credentials(f"shows the value of `{name}`", operation, scene)


def _of_credentials(why: str, operation: Exec, scene: Scene) -> Match:
    return Match(
        Source.PLACE,
        asked("read", ("credentials",), scene.snapshot),
        why,
        effects=("read",),
        argv=operation.argv,
        places=("credentials",),
    )

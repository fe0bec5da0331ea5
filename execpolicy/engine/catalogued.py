"""What a command does in its surroundings, and what that means where no rule applies to it.

Each match carries the decision for running the command as it is, and the one for the sandbox. Of
what no sandbox contains both are the same.
"""

from _collections_abc import Container, Iterable, Mapping, Sequence

from execpolicy.catalogue import Cause, Reading
from execpolicy.catalogue.reading.cause import SHOWS_HELP, CommandPart, operand_effects
from execpolicy.catalogue.services import is_service
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Access, Connect, Dynamic, Opaque, show
from execpolicy.model.program import CONTAINED
from execpolicy.model.rule import ELSEWHERE, GENERATED, IN_PLACE, PROJECT, TEXT
from execpolicy.model.verdict import Match, Source
from execpolicy.store.effect_defaults import EffectDefaults
from execpolicy.support import startup
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

EXECUTE = "execute"
_CHANGES_INSIDE = CONTAINED - {"read"}
"""Effects that stay inside the walls wherever their words lead."""


class Effect(Value):
    """One effect as it was decided: the classes touched, both decisions, whose posture said so.

    `general`: what the program does whatever its words are, of what `why` says. `undo`: it passes
    in the sandbox because a snapshot holds what it destroys.
    """

    effect: str
    why: str
    places: tuple[str, ...]
    decision: Decision
    confined: Decision
    layer: str
    general: str = ""
    undo: bool = False


def by_effects(
    command: RequestCommand, answered: "Container[int]", places: "Mapping[int, tuple[str, ...]]"
) -> list[Match]:
    """One match an effect, with all its causes in words.

    `answered` are the numbers of the effects that an allow rule granted, `places` the classes of
    the paths by the number of the effect.
    """
    said: dict[str, list[Effect]] = {}
    effects = command.reading.effects
    told = operand_effects(effects) if len(effects) > 1 else ()
    general: list[Cause] = []
    for at, cause in enumerate(effects):
        if at in answered:
            continue
        if cause.effect in told and cause.is_general:
            general.append(cause)
            continue
        said.setdefault(cause.effect, []).append(_decided(cause, places.get(at, ()), command))
    for cause in general:
        known = said.setdefault(cause.effect, [])
        if known or cause.effect != "destroy":  # else rules answer for all that is removed
            other = known[0] if known else _decided(cause, (), command)
            known.insert(0, other.replace(why=cause.why, general=cause.why))
    if "read" in said and [each for each in said["read"] if each.decision]:
        said["read"] = [e if e.decision else e.replace(why="", general="") for e in said["read"]]
    joined = _joined(said) if "destroy" in said else said.values()
    return [_match(found, command) for found in joined if found]


def _joined(said: "dict[str, list[Effect]]") -> "Iterable[list[Effect]]":
    """The effects as they were decided, all of one name together: a removal may be a write."""
    found: dict[str, list[Effect]] = {}
    for effects in said.values():
        for each in effects:
            found.setdefault(each.effect, []).append(each)
    return found.values()


def opening(access: Access, number: int, scene: Scene) -> str:
    """The effect of opening a path: what can be brought back is not a loss."""
    if access.mode == "remove":
        return removal(access, number, scene)
    if access.replaces:
        from execpolicy.engine.paths.changes.losing import loses

        return "destroy" if loses(access, number, scene) else "write"
    return access.mode


def removal(access: Access, number: int, scene: Scene) -> str:
    """The effect of removing a path: what git brings back is not a loss."""
    if access.extent != "file" or not isinstance(access.path, str):
        return "destroy"
    found = scene.overlays.absolute(access.path, number)
    kept = bool(found) and all(_is_kept(path, number, scene) for path in found)
    return "write" if kept else "destroy"


def _is_kept(path: str, number: int, scene: Scene) -> bool:
    """Whether git has what stands at a path by then, or it is a name of the project and nothing
    stands or is put there."""
    resolver = scene.resolver
    moved = scene.relocations.origins(path, number) if number else ()
    if all(map(resolver.unchanged, (path, *moved))):
        return True
    defaults = scene.snapshot.defaults
    root = scene.where.root
    if root is None or not below(path, root.path):
        return False
    if defaults.decide("write", (PROJECT,)) or defaults.decide("destroy", (PROJECT,)) > _PROMPT:
        return False  # it asks as any change does, or all that removes is refused
    is_name = _GLOBS.isdisjoint(path)  # else git may take it for a pattern
    missing = is_name and resolver.kind(path) == "missing" and not scene.relocations.puts(path)
    return missing and all(map(_names_files, scene.steps[:number]))


def _names_files(step: "ExpandedOperation") -> bool:
    """Whether a step makes no file but those that it names: `git stash pop` brings back others."""
    reading = step.reading
    if reading is None:
        return not isinstance(step.operation, Opaque)
    subjects = (cause.subject for cause in reading.effects if cause.effect != "read")
    return all(
        isinstance(s, Access) and s.mode != "execute" and s.extent == "file" for s in subjects
    )


_PROMPT = Decision.PROMPT
_GLOBS = frozenset("*?[\\")


def confined(
    effect: str,
    places: tuple[str, ...],
    subject: object,
    defaults: EffectDefaults,
    computed: bool = False,
) -> Decision:
    """The decision for an effect in the sandbox.

    `computed`: a computed word may have the effect. It is contained as a written one is: it changes
    what lies in the project.
    """
    outside = defaults.decide(effect, places)
    if effect in _CHANGES_INSIDE:
        if isinstance(subject, Access) and ELSEWHERE in places and _is_unnamed(subject):
            places = tuple(place for place in places if place != ELSEWHERE) or (PROJECT,)
        if computed:
            return min(outside, defaults.confined(effect, (PROJECT,)))
        if not places:
            return min(outside, defaults.confined(effect, (PROJECT,)))
        return min(outside, defaults.confined(effect, places))
    if effect == "destroy" and places == (GENERATED,):
        return defaults.confined(effect, places)
    if effect == "network" and not isinstance(subject, Connect):
        return defaults.confined(effect)
    return outside


def undone(
    subject: object, places: tuple[str, ...], number: int, scene: Scene, computed: bool = False
) -> Decision:
    """The decision in the sandbox for what destroys: that for a write where a snapshot, which is
    taken before it runs, holds all of it; PROMPT elsewhere."""
    from execpolicy.engine.paths.changes.undoable import held

    if not held(subject, places, number, scene, computed):
        return _PROMPT
    return min(_PROMPT, confined("write", places, subject, scene.snapshot.defaults, computed))


def _is_unnamed(access: Access) -> bool:
    """Whether which paths these are is computed, or chosen by what a program reads."""
    return isinstance(access.path, Dynamic) or access.extent == "below"


def _decided(cause: Cause, places: tuple[str, ...], command: RequestCommand) -> Effect:
    scene = command.scene
    defaults, effect, subject = scene.snapshot.defaults, cause.effect, cause.subject
    if effect == "destroy" and isinstance(subject, Access) and subject.mode == "remove":
        effect = removal(subject, command.number, scene)
    counted = places
    if isinstance(subject, Access) and subject.extent == "names":
        counted = ()  # names and sizes are not content
    standing = defaults.standing(effect, (TEXT,) if cause.known else counted)
    decision = standing.decision
    runs_code = subject is not None and cause.is_code
    if runs_code and effect != EXECUTE:
        return _by_code(effect, cause, places, defaults)
    inside, why = decision, cause.why
    if effect == "read" and decision and isinstance(subject, Access):
        why = _where_read(subject, counted)
    if effect == "unknown":
        inside, why = _unknown(cause, command, decision)
    elif decision is not Decision.ALLOW and (counted or not _runs_outside_sandbox(cause, command)):
        computed = cause.by.part is CommandPart.COMPUTED
        held = counted or _grounds(effect, command)
        inside = confined(effect, held, subject, defaults, computed)
    undo = False
    if effect == "destroy" and inside is _PROMPT:
        inside = undone(
            subject, counted, command.number, scene, cause.by.part is CommandPart.COMPUTED
        )
        undo = inside is not _PROMPT
    layer = standing.by.layer if standing.by else ""
    general = runs_code or cause.is_general
    said = why if general else ""
    return Effect(effect, why, places, decision, inside, layer, said, undo)


def _where_read(access: Access, places: tuple[str, ...]) -> str:
    """What is read, and that it lies elsewhere: a read asks because of its place alone."""
    outside = "" if IN_PLACE.issuperset(places) else ", which lies outside of the project"
    return f"reads `{printable(show(access.path))}`{outside}"


def _grounds(effect: str, command: RequestCommand) -> tuple[str, ...]:
    """The classes of the directory in which code runs that no path names, as far as it is known."""
    if effect != EXECUTE:
        return ()
    return command.scene.overlays.of(_HERE, command.number).classes


_HERE = Access(".", "execute", extent="entry")


def _runs_outside_sandbox(cause: Cause, command: RequestCommand) -> bool:
    """Whether what a program does without a place is not done by code in the sandbox: a server
    does it, or git, of which a run that writes to its directory starts nothing."""
    reading, scene = command.reading, command.scene
    if is_service(reading.origin):
        return True
    own = command.operation.argv[0] in scene.snapshot.variables.repositories
    if not own or cause.effect != EXECUTE or cause.by.part is CommandPart.COMPUTED:
        return False
    read = scene.steps[command.number].reading
    return read is None or any(cause.effect != "read" for cause in read.effects)


def _unknown(cause: Cause, command: RequestCommand, decision: Decision) -> tuple[Decision, str]:
    """What a program that no entry describes is in the sandbox, and why."""
    inside = command.scene.snapshot.defaults.confined("unknown")
    if inside >= decision or not command.reading.is_unknown:
        return decision, cause.why
    from execpolicy.engine.paths.reach.unknown_programs import refusal

    defaults = command.scene.snapshot.defaults

    def holds(access: Access, places: tuple[str, ...]) -> bool:
        return confined(access.mode, places, access, defaults) is Decision.ALLOW

    refused = refusal(command, holds)
    return (decision, f"{cause.why}, and {refused}") if refused else (inside, cause.why)


def _by_code(
    effect: str, cause: Cause, places: tuple[str, ...], defaults: EffectDefaults
) -> Effect:
    """What a program does because code of a place says so: who lets that code run lets it do this.

    What a posture forbids stays forbidden.
    """
    decision, inside = defaults.decide(effect, places), defaults.confined(effect, places)
    by_code = defaults.decide(EXECUTE, places)
    if decision is Decision.PROMPT:
        decision = min(decision, by_code)
        inside = min(inside, decision, defaults.confined(EXECUTE, places))
    layer = defaults.layer(effect if decision < by_code else EXECUTE, places)
    return Effect(effect, cause.why, places, decision, inside, layer, cause.why)


def _match(effects: list[Effect], command: RequestCommand) -> Match:
    found = effects[0] if len(effects) == 1 else _together(effects)
    return Match(
        Source.CATALOGUE,
        found.decision,
        f"{found.effect} ({found.why})" if found.why else found.effect,
        command.reading.origin,
        effects=(found.effect,),
        argv=command.operation.argv,
        places=found.places,
        posture=found.layer,
        said=found.general or found.why,
        confined=found.confined,
        undo=found.undo and found.confined is not _PROMPT,
    )


def _together(effects: list[Effect]) -> Effect:
    """Several of one name as one: the strictest decisions, all places, and nothing said twice."""
    strictest = max([each.decision for each in effects])
    layers = [each.layer for each in effects if each.decision is strictest]
    return Effect(
        effects[0].effect,
        "; ".join({each.why: None for each in effects if each.why}),
        tuple(dict.fromkeys([place for each in effects for place in each.places])),
        strictest,
        max([each.confined for each in effects]),
        min(layers, key=_by_user),
        "; ".join({each.general: None for each in effects if each.general}),
        True in [each.undo for each in effects],
    )


def _by_user(layer: str) -> bool:
    return layer not in ("", "builtin")


def _losing(effects: tuple[Cause, ...], number: int, scene: Scene) -> tuple[Cause, ...]:
    """The effects, a write as what it is where it loses what nothing brings back."""
    from execpolicy.engine.paths.changes.losing import loses

    return tuple(
        cause.replace(effect="destroy", why=_lost(cause.subject))
        if cause.effect == "write"
        and isinstance(cause.subject, Access)
        and loses(cause.subject, number, scene)
        else cause
        for cause in effects
    )


def _lost(access: Access) -> str:
    """What is lost, in words."""
    shown = printable(show(access.path), 60)
    if access.mode == "remove":
        return f"moves `{shown}`, which git could not bring back, to where it may be removed"
    if access.extent == "restored":
        return "writes over files that git ignores, and could not bring back"
    return f"replaces `{shown}`, which git could not bring back"


def _may_lose(cause: Cause) -> bool:
    """Whether an effect may lose a file that no word says is removed."""
    access = cause.subject
    if cause.effect != "write" or not isinstance(access, Access):
        return False
    return access.replaces or access.mode == "remove" or access.extent == "restored"


def in_surroundings(command: RequestCommand, planted: str | None) -> RequestCommand:
    """The command with what its place adds to its effects.

    `planted` is the program of the project that PATH finds in its place, if there is one.
    """
    known, asked = command.scene.in_place, (command.number, planted)
    if asked not in known:
        known[asked] = _in_place(command, planted)
    reading = known[asked]
    return command if reading is command.reading else command.replace(reading=reading)


def _in_place(command: RequestCommand, planted: str | None) -> Reading:
    reading, number, scene = command.reading, command.number, command.scene
    name = command.operation.argv[0]
    if not isinstance(name, str):
        return reading
    found: tuple[Cause, ...] = ()
    if _obeys_its_place(command, name):
        startup.ahead("repository")
        from execpolicy.engine.paths import grounds

        found = grounds.causes(command)
    if planted is not None:
        why = f"`{name}` is `{planted}` here, code of the project"
        found = (*found, Cause("execute", why, Access(planted, "execute")))
    effects = reading.effects
    if _may_not_happen(effects):
        effects = _happening(effects, number, scene)
    touching = [cause for cause in effects if cause.subject is not None]
    if touching and any(map(_may_lose, touching)):
        effects = _losing(effects, number, scene)
    if found or effects is not reading.effects:
        reading = reading.replace(effects=(*effects, *found) or _ONLY_READS)
        command = command.replace(reading=reading)
    if "/" in name or ((touching or found) and [c for c in reading.effects if c.is_code]):
        from execpolicy.engine.paths.own_code import settled

        return settled(command)
    return reading


def _obeys_its_place(command: RequestCommand, name: str) -> bool:
    """Whether the directory says what a program runs: its repository, or modules in it.

    A program with subcommands that is called without one shows something, and looks at nothing.
    """
    path, snapshot = command.reading.path, command.scene.snapshot
    known = path[0] if path else name  # a program by its path is that program
    if known not in snapshot.variables.repositories:
        return command.reading.imports or "-m" in path
    if len(path) > 1 or command.reading.effects == (SHOWS_HELP,):
        return len(path) > 1
    entry = snapshot.catalogue.entry(known)
    return entry is None or not entry.children


_ONLY_READS = (Cause("read", "only reads"),)


def _may_not_happen(effects: tuple[Cause, ...]) -> bool:
    """Whether some effect depends on the files of the project."""
    return bool([c for c in effects if c.if_missing or c.where or c.hooks or c.missing])


def _happening(effects: tuple[Cause, ...], number: int, scene: Scene) -> tuple[Cause, ...]:
    """The effects that may happen here, as far as they depend on the files of the project."""
    if any(cause.where and not cause.hooks for cause in effects):
        from execpolicy.engine.paths.reach import project_settings

        effects = project_settings.happening(
            effects, number, scene.where, lambda: scene.relocations
        )
    return tuple(cause for cause in effects if _happens(cause, number, scene))


def _happens(cause: Cause, number: int, scene: Scene) -> bool:
    """Whether an effect may happen, as far as other files than settings say."""
    if cause.hooks:
        from execpolicy.engine.paths.git_code import runs

        return runs(number, scene, cause.hooks)
    if cause.missing:
        return not _are_files(scene.where.named(cause.missing, number), scene)
    return not (cause.if_missing and _is_there(cause, number, scene))


def _is_there(cause: Cause, number: int, scene: Scene) -> bool:
    """Whether a file that would be created where it is missing certainly exists."""
    subject = cause.subject
    if not isinstance(subject, Access) or not isinstance(subject.path, str):
        return False
    return _are_files(scene.overlays.absolute(subject.path, number), scene)


def _are_files(found: "Sequence[str]", scene: Scene) -> bool:
    return bool(found) and all(scene.resolver.kind(path) == "file" for path in found)

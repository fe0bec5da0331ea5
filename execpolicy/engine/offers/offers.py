"""What would have to be allowed for one operation that is asked about, and nothing more.

A command is offered by its first words only where its entry tells what other words would do: where
it writes what its operands name. All else is offered exactly as it was asked, and with the digest
of the text that it reads where that says what it does.
"""

from execpolicy.catalogue.banned import banned
from execpolicy.catalogue.conditions.granted import REACHING, named_hosts, turns_elsewhere
from execpolicy.catalogue.kinds.kind import all_names
from execpolicy.catalogue.option import Option
from execpolicy.catalogue.reading.cause import Cause, CommandPart, operand_effects
from execpolicy.catalogue.reading.reading import Reading
from execpolicy.engine.offers.passing import is_passing, is_temporary
from execpolicy.engine.offers.prefixes import prefix_of
from execpolicy.engine.rules.grants import Happening
from execpolicy.engine.rules.input import digest, obeys
from execpolicy.engine.rules.remotes import configured_host
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Connect, Dynamic, Exec, Opaque, Operation, Word, show
from execpolicy.model.program import EFFECTS, OF_CODE
from execpolicy.model.rule import CONFIGURED, IN_PLACE, Conditions, NetworkRule, Origin, PathRule
from execpolicy.model.verdict import JudgedOperation, Match, Source
from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.support.resources import BUILTIN, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.offers.own_tool import OwnTool

MAX_CHARS = 4000
ORIGIN = Origin("user", "<proposed>", 0)
_PROTOCOLS = ("http", "https")


class Wanted(Value):
    """What a command would need: the words that a rule names, and what it would have to lift.

    `argv` are all words of the command, empty where one is computed. `tool`: the entries that the
    rule rests on, where the program is one of the user's own. `passing`: the words will not come
    again, so that a rule for them would serve this one call.
    """

    words: tuple[str, ...]
    exact: bool
    conditions: Conditions
    argv: tuple[str, ...] = ()
    tool: "OwnTool | None" = None
    passing: bool = False


class Offer(Value):
    """The rules that one operation needs, or what to do instead of allowing it.

    `passing`: the rules are for what is not there.
    """

    command: Wanted | None = None
    rules: tuple[PathRule | NetworkRule, ...] = ()
    instead: str = ""
    passing: bool = False


def offer(judged: JudgedOperation, number: int, scene: Scene) -> Offer:
    """The narrowest rules that answer what is asked about one operation."""
    asking = [match for match in judged.matches if match.decision]
    operation = judged.operation
    refusal = next(filter(None, (_refused(match, operation) for match in asking)), "")
    if refusal:
        return Offer(instead=refusal)
    if isinstance(operation, Access):
        rule = _path_rule(operation, number, scene)
        passing = is_temporary(operation, number, scene)
        return Offer(rules=(rule,), passing=passing) if rule else Offer(instead=_UNNAMED)
    if isinstance(operation, Connect):
        found = _network_rule(operation)
        return Offer(rules=(found,)) if found else Offer(instead=_UNNAMED)
    reading = scene.steps[number].reading
    if isinstance(operation, Exec) and reading is not None:
        from execpolicy.engine.catalogued import in_surroundings

        there = scene.at(number)
        command = RequestCommand(operation, reading, number, there)
        planted = there.planted(operation.argv[0])
        command = in_surroundings(command, planted)
        return _of_tool(command) or _command(command, asking)
    if _is_sourced(operation):
        return Offer()  # the command after it is offered
    return Offer(instead=_COMPUTED)


_COMPUTED = "write it in a way that can be read, without what is computed"
_KEPT = "take the secret out of the words: a rule would keep it"
_NAMED = ("file", "names")
_FETCHED = ((), (CONFIGURED,))
_UNNAMED = "write out the path or the host that is computed"


def _refused(match: Match, operation: Operation) -> str:
    """What to do where no rule can answer a question."""
    if "policy" in match.places:
        return "change the rules yourself, in an editor"
    if match.source is Source.RULE and match.origin is not None:
        if match.origin.layer == BUILTIN:
            return "do it yourself, in an editor: a shipped rule asks about this each time"
        return "the rule that asks is the user's own: answer each time"
    if match.source is Source.READER and not _is_sourced(operation):
        named = match.variable
        return f"leave out `{named}`, or answer each time" if named else _COMPUTED
    return ""


def _is_sourced(operation: Operation) -> bool:
    """Whether it is the text of a file that a shell reads commands from."""
    return isinstance(operation, Opaque) and operation.sourced


def _command(command: RequestCommand, asking: "list[Match]") -> Offer:
    reading = command.reading
    guarded = {n: c.subject for n, c in enumerate(reading.effects) if _is_guarded(c, command)}
    rules: list[PathRule] = []
    for access in guarded.values():
        found = _path_rules(access, command.number, command.scene)  # type: ignore[arg-type]
        if not found:
            return Offer(instead=_UNNAMED)
        rules += found
    effects = {e for m in asking if m.source is Source.CATALOGUE for e in m.effects}
    causes = [c for n, c in enumerate(reading.effects) if c.effect in effects and n not in guarded]
    effects -= {c.effect for n, c in enumerate(reading.effects) if n in guarded} - {
        cause.effect for cause in causes
    }
    if reading.secrets and any(m.source is Source.PLACE for m in asking):
        effects.add("read")
    if any(m.source is Source.PLACE for m in asking) and not guarded and not reading.secrets:
        return Offer(instead="show whether it is set, or its length, and not its value")
    if effects == {"read"} and not reading.secrets:
        opened = _opened(causes, command)
        if opened:
            is_gone = all(map(command.scene.is_missing, (p for r in opened for p in r.paths)))
            return Offer(rules=(*rules, *opened), passing=is_gone)
    if not effects:
        return Offer(rules=tuple(rules))
    wanted = _wanted(command, effects, causes)
    return wanted if wanted.command is None else wanted.replace(rules=tuple(rules))


def _opened(causes: list[Cause], command: RequestCommand) -> list[PathRule]:
    """Rules that let be read what a command reads beside the project, where that is all that asks;
    of a directory above the home none."""
    from execpolicy.engine.offers.beside import beside

    patterns = beside(causes, command.number, command.scene, _written)
    shown = [_shown(pattern, command.scene) for pattern in patterns]
    if None in shown:
        return []
    paths = [path for path in shown if path is not None]
    return [PathRule((path,), ("read",), Decision.ALLOW, None, ORIGIN) for path in paths]


def _is_guarded(cause: Cause, command: RequestCommand) -> bool:
    """Whether what is laid over a path asks."""
    if not isinstance(cause.subject, Access):
        return False
    return bool(command.scene.overlays.of(cause.subject, command.number).overlays)


def _of_tool(command: RequestCommand) -> Offer | None:
    """An entry and a rule for a tool of the user's own; None where its words say more than that."""
    origin = command.reading.origin
    if origin is not None and origin.layer == BUILTIN:
        return None
    from execpolicy.engine.offers.own_tool import beside, own_tool

    tool, scene, number = own_tool(command), command.scene, command.number
    if tool is None or obeys(command) or command.operation.argv[-1] == "--help":
        return None
    there = scene
    if tool.paths:
        catalogue = beside(scene.snapshot.catalogue, tool.paths)
        there = scene.under(scene.snapshot.replace(catalogue=catalogue))
    reading = there.steps[number].reading
    assert reading is not None  # noqa: S101
    from execpolicy.engine.catalogued import in_surroundings

    own = in_surroundings(RequestCommand(command.operation, reading, number, there), None)
    causes = [cause for cause in own.reading.effects if cause.effect != "read"]
    conditions = _conditions(own, {cause.effect for cause in causes}, causes)
    words = tuple(word for word in own.operation.argv if isinstance(word, str))
    whole = len(words) == len(own.operation.argv) and not _holds_secret(words)
    lifted = conditions.effects and _LIFTED.issuperset(conditions.effects)
    if not lifted or not _is_in_place(conditions):
        return None
    if "remote" in conditions.effects and not tool.is_remote:  # a word after the rule's says it
        found = Wanted(words, exact=True, conditions=conditions, argv=words, tool=tool)
        return Offer(found.replace(passing=is_passing(command))) if whole else None
    argv = words if whole else ()
    return Offer(Wanted(tool.prefix, exact=False, conditions=conditions, argv=argv, tool=tool))


_LIFTED = frozenset(("execute", "remote"))


def _is_in_place(conditions: Conditions) -> bool:
    return IN_PLACE.issuperset(conditions.places)


def _wanted(command: RequestCommand, effects: "set[str]", causes: list[Cause]) -> Offer:
    """The words and the conditions of a rule for a command."""
    argv = command.operation.argv
    words = tuple(word for word in argv if isinstance(word, str))
    told = obeys(command)
    text = digest(command.operation) if told else ""
    if told and not text:
        return Offer(instead="save what is piped in as a file, read it, and run that")
    if sum(map(len, words)) > MAX_CHARS:
        return Offer(instead="put the text into a file of the project, and run that")
    conditions = _conditions(command, effects, causes).replace(stdin=(text,) if told else ())
    prefix = prefix_of(argv, command.reading, command.scene.snapshot)
    if prefix is not None and _holds_secret(prefix):
        return Offer(instead=_KEPT)
    if prefix is not None and not told and _is_known(command, conditions, causes):
        whole = len(words) == len(argv) and not _holds_secret(words)
        return Offer(
            Wanted(prefix, exact=False, conditions=conditions, argv=words if whole else ())
        )
    target = None if told else _target(command, conditions) or _getting(command, causes)
    if target is not None:
        return Offer(Wanted(target, exact=False, conditions=conditions))
    if len(words) < len(argv):
        return _of_computed(command, conditions, causes, prefix)
    if _holds_secret(words):
        return Offer(instead=_KEPT)
    passing = told or is_passing(command)
    return Offer(Wanted(words, exact=True, conditions=conditions, argv=words, passing=passing))


def _target(command: RequestCommand, conditions: Conditions) -> tuple[str, ...] | None:
    """The words up to the one that alone says what is changed elsewhere, and by which the rest is
    no more than what is sent there."""
    argv, path = command.operation.argv, command.reading.path
    first = argv[: len(path) + 1]
    if "-".join(path) not in _TARGETED or first[:-1] != path or conditions.effects not in _SENDS:
        return None
    words = tuple(word for word in first if isinstance(word, str))
    named = len(words) == len(first) > len(path) and words[-1][:1] != "-"
    return words if named and not _holds_secret(words) else None


_TARGETED = words_of("commands")["targeted"]
_SENDS = (("remote",), ("network", "remote"))


def _of_computed(
    command: RequestCommand,
    conditions: Conditions,
    causes: list[Cause],
    prefix: tuple[str, ...] | None,
) -> Offer:
    """The same where a word is computed: what comes before it, if all that follows is written."""
    if all(cause.effect == "read" for cause in causes):
        return Offer(instead="name each path that is read, and not what computes it")
    if any(cause.by.part is CommandPart.COMPUTED for cause in causes):
        return Offer(instead="write out what is computed, or put `--` before it")
    argv, catalogue = command.operation.argv, command.scene.snapshot.catalogue
    first = next(at for at, word in enumerate(argv) if isinstance(word, Dynamic))
    words = tuple(map(str, argv[:first]))
    in_place = conditions.effects == ("write",) and IN_PLACE.issuperset(conditions.places)
    if prefix is not None and len(words) >= len(prefix) and in_place and not conditions.stdin:
        while len(words) > len(prefix) and banned(words, catalogue):
            words = words[:-1]  # an option that waits for the computed word
        return Offer(Wanted(words, exact=False, conditions=conditions))
    return Offer(instead="write out what is computed")


def _holds_secret(words: tuple[str, ...]) -> bool:
    from execpolicy.support.redact import joined, redacted

    text = joined(words)
    return redacted(text) != text


def _conditions(command: RequestCommand, effects: "set[str]", causes: list[Cause]) -> Conditions:
    happening = Happening(command)
    removed = operand_effects(causes) & {"destroy"}  # what is written may be more than operands
    placed = (c for c in causes if not (c.effect in removed and c.is_general))
    places = frozenset[str]().union(*(happening.of(c) for c in placed if c.effect not in REACHING))
    hosts: tuple[str, ...] = ()
    if REACHING.intersection(effects):
        named = named_hosts(command.reading.effects)
        hosts = tuple(h.rstrip(".").lower() for h in named if isinstance(h, str))
        hosts = hosts or (configured_host(command) or CONFIGURED,)
    ordered = tuple(effect for effect in EFFECTS if effect in effects)
    return Conditions(ordered, (), tuple(sorted(places)), tuple(sorted(hosts)))


def _is_known(command: RequestCommand, conditions: Conditions, causes: list[Cause]) -> bool:
    """Whether the entry tells what other words after the prefix would do.

    That is where they name files of the project, or choose among what its own code does. What is
    done on another machine is another thing with each word: a bucket, a branch, an image, a
    namespace.
    """
    if not all(cause.is_inherent for cause in causes) or not causes:
        return False
    if all(cause.is_code for cause in causes):
        return _runs_project(command, conditions)
    named = all(_is_named(cause) for cause in causes)
    writes = conditions.effects == ("write",) and _only_paths(command.reading, causes)
    return writes and named and _is_in_place(conditions)


def _getting(command: RequestCommand, causes: list[Cause]) -> tuple[str, ...] | None:
    """The program, where all that asks is what is got from hosts by address, and its operands are
    addresses: it may get more of those, by other options that do no more than that, and with those
    up to the last by which it may get there in another way, such as to follow a redirection."""
    path, catalogue = command.reading.path, command.scene.snapshot.catalogue
    argv, entry = command.operation.argv, catalogue.entry(" ".join(path))
    turning = [cause for cause in causes if turns_elsewhere(cause)]
    got = [cause for cause in causes if cause not in turning]
    if not got or not all(map(_is_got, got)) or command.reading.inner:
        return None
    if argv[: len(path)] != path or entry is None:
        return None
    switches = (entry.options.get(cause.by.text) for cause in turning)
    kinds = ([place.kind for place in form.operands.places] for form in entry.forms)
    if not any(set(all_names(each)) == {"url"} for each in kinds) or not all(
        map(_is_switch, switches)
    ):
        return None
    named = [n for n, w in enumerate(argv) if any(c.by.is_named_by((show(w),)) for c in turning)]
    words = argv[: max((len(path), *(n + 1 for n in named)))]
    plain = tuple(word for word in words if isinstance(word, str))
    return plain if len(plain) == len(words) and not _holds_secret(plain) else None


def _is_switch(option: Option | None) -> bool:
    return option is not None and option.count == 0


def _is_got(cause: Cause) -> bool:
    """Whether an operand is the address of what is got by HTTP."""
    reached = cause.subject
    return (
        isinstance(reached, Connect)
        and reached.protocol in _PROTOCOLS
        and isinstance(reached.host, str)
        and cause.by.part in (CommandPart.PROGRAM, CommandPart.OPERAND)
    )


def _runs_project(command: RequestCommand, conditions: Conditions) -> bool:
    """Whether it runs the project's code, the same with all operands, and fetches at most what
    that needs from where it is configured to be."""
    own = _is_in_place(conditions)
    fetches = OF_CODE.issuperset(conditions.effects) and conditions.hosts in _FETCHED
    return own and fetches and not command.reading.inner and not _takes_tasks(command)


def _takes_tasks(command: RequestCommand) -> bool:
    """Whether more than one operand can name a task, of which `deploy` may be one."""
    entry = command.scene.snapshot.catalogue.entry(" ".join(command.reading.path))
    places = [place for form in entry.forms for place in form.operands.places] if entry else []
    return any(place.repeats and "task" in all_names([place.kind]) for place in places)


def _is_named(cause: Cause) -> bool:
    """Whether an operand names the file; what lands in a directory says nothing of its own."""
    if isinstance(cause.subject, Access):
        return cause.subject.extent in _NAMED
    return not cause.why


def _only_paths(reading: Reading, causes: list[Cause]) -> bool:
    return not reading.inner and all(cause.effect == "write" for cause in causes)


def _path_rules(access: Access, number: int, scene: Scene) -> list[PathRule]:
    """A rule for the path, or for each that asks among those that a directory stands for."""
    rule = _path_rule(access, number, scene)
    if rule is not None:
        return [rule]
    paths = [overlay.path for overlay in scene.overlays.of(access, number).overlays]
    if not all(path[:1] == "/" and path.isprintable() and " " not in path for path in paths):
        return []
    found = [_path_rule(access.replace(path=p, extent="file"), number, scene) for p in paths]
    return [rule for rule in found if rule is not None]


def _path_rule(access: Access, number: int, scene: Scene) -> PathRule | None:
    """A rule for the very path, as seen from the session's root or the home."""
    written = _written(access.path)
    if written is None or access.extent not in _NAMED:
        return None
    found = scene.overlays.absolute(written, number)
    if len(found) != 1:
        return None
    from execpolicy.engine.paths.feeds.openers import narrowed

    path, programs = _shown(found[0], scene), narrowed(access, number, scene)
    if path is None or not programs:
        return None
    return PathRule((path,), (access.mode,), Decision.ALLOW, None, ORIGIN, programs)


def _written(path: Word) -> str | None:
    """The path as far as it is written out: of what is computed only the home is known."""
    if isinstance(path, str):
        return path
    from execpolicy.engine.paths.targets import at_home

    return path.source if at_home(path) else None


def _shown(path: str, scene: Scene) -> str | None:
    """The path as a rule writes it, from the project's root or the home; a final `/*` stays."""
    from posixpath import normpath

    body = path.removesuffix("/*")
    tail, path = path[len(body) :], normpath(body)
    root, home = scene.where.root, scene.where.home
    if any(sign in path for sign in "*?") or (tail and below(home or path, path)):
        return None
    for directory, sign in ((root.path if root and root.project else None, "."), (home, "~")):
        if directory and path.startswith(directory + "/"):
            return sign + path[len(directory) :] + tail
    return path + tail


def _network_rule(operation: Connect) -> NetworkRule | None:
    host, protocol = operation.host, operation.protocol
    if not isinstance(host, str) or protocol not in _PROTOCOLS:
        return None
    return NetworkRule(host.rstrip(".").lower(), protocol, Decision.ALLOW, None, ORIGIN)

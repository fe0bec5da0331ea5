"""A proof in the words of a user."""

from collections.abc import Iterator

from execpolicy.commands.render.reasons import closing, placed, reason_line
from execpolicy.model.errors import printable
from execpolicy.model.program import EFFECT
from execpolicy.model.rule import BASE, CONFIGURED, TOOL, Conditions, NetworkRule, PathRule
from execpolicy.prove.posture import UNKNOWN
from execpolicy.prove.questions.opening import Opened, Opening
from execpolicy.prove.witness import CANNOT_TELL, NO_LOOSER, Proof, Witness

NOTHING = f"{NO_LOOSER}: all commands, paths and hosts are decided at least as strictly as before"
MOST_KEPT = 3
_REMOTES = "`origin` and the remotes that branches track"
_MODES = {"read": "reads", "write": "writes", "remove": "removes"}
ELSE = "all else is decided at least as strictly as before"
NONE_STRICTER = "nothing else is decided more strictly than before"
EQUAL = "equal: all commands, paths and hosts are decided alike"
BUT_STRICTER = f"{NO_LOOSER}, but stricter: what follows is decided more strictly than before"
WHAT_TO_DO = (
    "each entry is one example: the line that it names may let more through. `x` stands for any "
    "word or name. Where the change is meant, leave it as it is"
)


def comparison_lines(loosened: Proof, tightened: Proof | None = None) -> Iterator[str]:
    """Whether what is new is looser; with `tightened` also whether it is stricter."""
    nothing = not loosened.witnesses and not loosened.unknown
    if tightened is None or not nothing:
        yield from proof_lines(loosened)
    elif tightened.witnesses:
        yield BUT_STRICTER
    else:
        yield NOTHING if tightened.unknown else EQUAL
    if loosened.witnesses:
        yield WHAT_TO_DO
    if tightened is not None and (tightened.witnesses or tightened.unknown):
        yield from proof_lines(tightened, "stricter", NONE_STRICTER)


def proof_lines(proof: Proof, word: str = "looser", otherwise: str = ELSE) -> Iterator[str]:
    """The lines of an answer; `word` says what a witness is, and `otherwise` what is known of all
    else where something cannot be told."""
    for witness in proof.witnesses:
        yield from _witness(witness, word)
    for why in proof.unknown:
        yield f"{CANNOT_TELL}: {printable(why, 300)}"
    if not proof.witnesses:
        yield otherwise if proof.unknown else NOTHING


def _witness(witness: Witness, word: str) -> Iterator[str]:
    where = ", in the sandbox alone" if witness.field == "confined" else ""
    of_path = witness.kind == "path"
    yield f"{word}{where}: {printable(_written(witness), 300)}"
    yield f"  - {reason_line(witness.old, witness.left_out[0], of_path)}"
    yield f"  + {reason_line(witness.new, witness.left_out[1], of_path)}"
    close = closing(witness) if word == "looser" else ""
    if close:
        yield f"  to close it: {close}"


def _written(witness: Witness) -> str:
    """The witness: a command as it is typed, and in words what is none."""
    mode, _, path = witness.shown.partition(" ")
    if witness.kind == "path" and mode.removesuffix(TOOL) in _MODES:
        who = "a file tool of the agent" if mode.endswith(TOOL) else "any program"
        return f"{who} that {_MODES[mode.removesuffix(TOOL)]} {path}"
    if witness.shown == UNKNOWN:
        return f"a program that is not known (`{UNKNOWN}`)"
    return f"a connection: {witness.shown}" if witness.kind == "host" else witness.shown


def opening_lines(found: Opening) -> Iterator[str]:
    """What new rules open, and the first sorts of what they do not."""
    opens = "opens exactly" if found.is_whole else "opens at least"
    for each in found.opened:
        yield from _opened(each, opens)
    for rule in found.subjects:
        yield printable(f"{opens}: {_subject(rule)}", 300)
    for witness in found.others:
        where = " in the sandbox" if witness.field == "confined" else ""
        yield printable(f"opens also{where}: {_written(witness)}", 300)


def _opened(opened: Opened, opens: str) -> Iterator[str]:
    rule = opened.rule
    words = printable(" ".join("|".join(tokens) for tokens in rule.pattern), 200)
    shown = f"`{words}`" if rule.exact else f"`{words} …`"
    if not opened.passes:
        yield f"opens nothing of {shown}: it is allowed already, or more asks than this rule lifts"
    else:
        far = " in the sandbox" if opened.confined else ""
        said = (*_done(opened.effects), *_bounds(rule.pattern[0], rule.conditions or Conditions()))
        yield f"{opens}{far}: {shown}{': ' if said else ''}{', '.join(said)}"
    yield from (f"  not: {printable(placed(why), 200)}" for why in opened.kept[:MOST_KEPT])
    if len(opened.kept) > MOST_KEPT:
        yield f"  not: {len(opened.kept) - MOST_KEPT} sorts more"


def _done(effects: tuple[str, ...]) -> Iterator[str]:
    for effect in effects:
        if effect != "network" or "remote" not in effects:  # which says as much
            yield EFFECT[effect].removeprefix("only ")


def _bounds(programs: tuple[str, ...], conditions: Conditions) -> Iterator[str]:
    """The places and hosts outside of which it does not pass."""
    if conditions.places:
        yield f"only in {' and '.join(map(BASE.__getitem__, conditions.places))}"
    if conditions.hosts:
        configured = _REMOTES if programs == ("git",) else "the host that is configured"
        hosts = (configured if host == CONFIGURED else f"`{host}`" for host in conditions.hosts)
        yield f"only to {printable(' or '.join(hosts), 100)}"


def _subject(rule: PathRule | NetworkRule) -> str:
    if isinstance(rule, PathRule):
        return f"{' and '.join(rule.modes)} {', '.join(f'`{path}`' for path in rule.paths)}"
    ports = "".join(f":{port}" for port in rule.ports)
    return f"`{rule.protocol}://{rule.host}{ports}`"

"""A proof in the words of a user."""

from collections.abc import Iterator

from execpolicy.model.errors import printable
from execpolicy.model.program import EFFECT
from execpolicy.model.rule import CONFIGURED, Conditions, NetworkRule, PathRule
from execpolicy.prove.questions.opening import Opened, Opening
from execpolicy.prove.side import HOME, ROOT
from execpolicy.prove.witness import CANNOT_TELL, NO_LOOSER, Proof, Reason, Witness

NOTHING = f"{NO_LOOSER}: all commands, paths and hosts are decided at least as strictly as before"
MOST_KEPT = 3
_REMOTES = "`origin` and what branches follow"
_PLACES = {
    "project": "the project",
    "generated": "what the project generates",
    "temporary": "directories for temporary files",
    "tools": "the caches of tools",
    "repositories": "other repositories",
    "personal": "the home",
    "system": "the system",
}
_MODES = {"read": "reads", "write": "writes", "remove": "removes"}
EQUAL = "equal: all commands, paths and hosts are decided alike"


def proof_lines(proof: Proof, word: str = "looser") -> Iterator[str]:
    """The lines of an answer; `word` says what a witness is."""
    for witness in proof.witnesses:
        yield from _witness(witness, word)
    for why in proof.unknown:
        yield f"{CANNOT_TELL}: {printable(why, 300)}"
    if not proof.witnesses and not proof.unknown:
        yield NOTHING


def _witness(witness: Witness, word: str) -> Iterator[str]:
    where = " in the sandbox" if witness.field == "confined" else ""
    yield f"{word}{where}: {printable(_written(witness), 300)}"
    yield f"  - {_reason(witness.old)}"
    yield f"  + {_reason(witness.new)}"


def _written(witness: Witness) -> str:
    """The witness: a command as it is typed, and in words what is none."""
    mode, _, path = witness.shown.partition(" ")
    if witness.kind == "path" and mode in _MODES:
        return f"any program that {_MODES[mode]} {path}"
    return f"a connection: {witness.shown}" if witness.kind == "host" else witness.shown


def _reason(reason: Reason) -> str:
    at = f" ({printable(str(reason.origin))})" if reason.origin else ""
    return f"{reason.decision.word}: {printable(_placed(reason.why), 200)}{at}"


def _placed(why: str) -> str:
    """The words with the paths of a proof as the user would write them."""
    return why.replace(f"{ROOT}/", "./").replace(f"{HOME}/", "~/")


def opening_lines(found: Opening) -> Iterator[str]:
    """What new rules open, and the first sorts of what they do not."""
    opens = "opens exactly" if found.is_whole else "opens at least"
    for each in found.opened:
        yield from _opened(each, opens)
    for rule in found.subjects:
        yield printable(f"{opens}: {_subject(rule)}", 300)
    for witness in found.others:
        where = " in the sandbox" if witness.field == "confined" else ""
        yield printable(f"opens also{where}: {witness.shown}", 300)


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
    yield from (f"  not: {printable(_placed(why), 200)}" for why in opened.kept[:MOST_KEPT])
    if len(opened.kept) > MOST_KEPT:
        yield f"  not: {len(opened.kept) - MOST_KEPT} sorts more"


def _done(effects: tuple[str, ...]) -> Iterator[str]:
    for effect in effects:
        if effect != "network" or "remote" not in effects:
            yield EFFECT[effect].removeprefix("only ")


def _bounds(programs: tuple[str, ...], conditions: Conditions) -> Iterator[str]:
    """Where it passes alone."""
    if conditions.places:
        yield f"only in {' and '.join(map(_PLACES.__getitem__, conditions.places))}"
    if conditions.hosts:
        configured = _REMOTES if programs == ("git",) else "the host that is configured"
        hosts = (configured if host == CONFIGURED else f"`{host}`" for host in conditions.hosts)
        yield f"only to {printable(' or '.join(hosts), 100)}"


def _subject(rule: PathRule | NetworkRule) -> str:
    if isinstance(rule, PathRule):
        return f"{' and '.join(rule.modes)} {', '.join(f'`{path}`' for path in rule.paths)}"
    ports = "".join(f":{port}" for port in rule.ports)
    return f"`{rule.protocol}://{rule.host}{ports}`"

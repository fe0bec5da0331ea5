"""A proof in the words of a user."""

from collections.abc import Iterator

from execpolicy.model.errors import printable
from execpolicy.prove.side import HOME, ROOT
from execpolicy.prove.witness import CANNOT_TELL, NO_LOOSER, Proof, Reason, Witness

NOTHING = f"{NO_LOOSER}: all commands, paths and hosts are decided at least as strictly as before"
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
    yield f"{word}{where}: {printable(witness.shown, 300)}"
    yield f"  - {_reason(witness.old)}"
    yield f"  + {_reason(witness.new)}"


def _reason(reason: Reason) -> str:
    at = f" ({printable(str(reason.origin))})" if reason.origin else ""
    why = reason.why.replace(f"{ROOT}/", "./").replace(f"{HOME}/", "~/")
    return f"{reason.decision.word}: {printable(why, 200)}{at}"

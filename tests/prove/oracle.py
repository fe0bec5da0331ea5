"""Whether a proof agrees with the engine about each of many requests, for policies as text."""

from execpolicy.commands.proving import side
from execpolicy.model.operation import Request
from execpolicy.prove.compare import compare
from execpolicy.prove.side import Side, decisions
from execpolicy.prove.witness import CANNOT_TELL, LOOSER
from execpolicy.store import loader
from execpolicy.store.sources.files import RulesFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Memory = dict[object, object]
NOT_VALID = "not valid"


def loaded(text: str, memory: Memory, layer: str = "user") -> Side | None:
    """One side; None where the text is no policy."""
    files = [RulesFile(layer, "/a.rules", text.encode())]
    snapshot = loader.load(files, builtin=False, cached=False, memory=memory)
    return None if snapshot.diagnostics else side(snapshot)


def is_looser(old: Side, new: Side, request: Request) -> bool:
    """Whether the new policy decides one request less strictly."""
    pairs = zip(decisions(old.judge(request)), decisions(new.judge(request)), strict=True)
    return any(after < before for before, after in pairs)


def agree(
    both: tuple[Side, Side],
    requests: "Callable[[], Iterable[Request]]",
    shown: "Sequence[object]",
) -> str:
    """The answer of the proof, after every request was looked at if nothing is looser."""
    proof = compare(*both)
    assert proof.answer != CANNOT_TELL, (*shown, proof.unknown)
    for witness in proof.witnesses:
        assert witness.kind == "host" or is_looser(*both, witness.request), (*shown, witness)
    if proof.answer != LOOSER:
        found = next((r for r in requests() if is_looser(*both, r)), None)
        assert found is None, (*shown, found)
    return proof.answer

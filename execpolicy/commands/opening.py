"""What a change of rules files lets through, as far as that can be proved."""

from _collections_abc import Iterator, Sequence

from execpolicy.commands.proving import side
from execpolicy.commands.render.proof import NOTHING, proof_lines
from execpolicy.prove.compare import compare
from execpolicy.store import loader
from execpolicy.store.sources.files import RulesFile

MOST = 6
_LOOSENS_NOTHING = (
    "loosens nothing: all commands, paths and hosts are decided as strictly as before"
)


def opened(before: "Sequence[RulesFile]", after: "Sequence[RulesFile]") -> "Iterator[str]":
    """The lines that say so: an example for each of the first rules that loosen."""
    memory: dict[object, object] = {}
    old, new = (side(loader.load(files, memory=memory)) for files in (before, after))
    for line in proof_lines(compare(old, new, most=MOST), "loosens"):
        yield _LOOSENS_NOTHING if line == NOTHING else line

"""Whether one policy is nowhere looser than another, over all commands, paths and hosts.

A verdict is the strictest of its operations, so scripts need no proof of their own.
"""

from execpolicy.prove.catalogues import changes
from execpolicy.prove.commands import CommandSearch
from execpolicy.prove.guards import Surroundings, cells
from execpolicy.prove.hosts import loosened_hosts
from execpolicy.prove.paths import loosened_paths
from execpolicy.prove.posture import loosened_cells
from execpolicy.prove.side import FIELDS, Side
from execpolicy.prove.witness import Proof, Witness


def compare(old: Side, new: Side, fields: tuple[str, ...] = FIELDS, most: int = 24) -> Proof:
    """The proof that `new` is no looser than `old`, or what is.

    `fields` are the decisions of a verdict that count; `most` bounds the witnesses.
    """
    unknown: dict[str, None] = {}
    both = old, new
    found = _of_subjects(both, fields, unknown)
    loose, _ = cells(old, new)
    wider = bool(loose) or old.floored > new.floored
    different = [*changes(old.catalogue, new.catalogue)]
    steady = not (wider or found or unknown or different)
    around = Surroundings.of(old, new, steady)
    search = CommandSearch(both, around, fields, most, differ=bool(different))
    if wider:
        found += loosened_cells(search, loose)
    found += search.run()
    found += search.programs(different)
    if wider and not found:  # what the same rules leave to the posture, or hold below a floor
        found += _of_subjects(both, fields, unknown, everything=True) or search.run(everything=True)
    unknown |= search.unknown
    ordered = sorted(found, key=lambda each: (len(each.shown.split()), len(each.shown), each.shown))
    told: dict[object, Witness] = {}
    for each in ordered:  # of a program one that says the same is enough
        said = each.shown.partition(" ")[0], each.field, each.old, each.new
        told.setdefault(said if each.kind == "command" else each, each)
    return Proof(tuple(told.values()), tuple(unknown))


def _of_subjects(
    both: tuple[Side, Side],
    fields: tuple[str, ...],
    unknown: dict[str, None],
    everything: bool = False,
) -> list[Witness]:
    """Hosts and paths about which `new` is looser. `everything`: also where no rule differs."""
    parts = loosened_hosts, loosened_paths
    return [each for part in parts for each in part(both, fields, unknown, everything)]

"""Commands for what the posture of a new policy lets happen where that of an old one did not."""

from collections.abc import Iterator
from itertools import chain

from execpolicy.model.operation import Connect, Request
from execpolicy.prove.commands import CommandSearch
from execpolicy.prove.guards import Cell
from execpolicy.prove.paths import MODES, touching
from execpolicy.prove.side import HOME, OTHER_HOST, PLACES, ROOT, directory_of
from execpolicy.prove.witness import Witness, looser

UNKNOWN = "execpolicy-example"
"""A program that no entry describes."""
PLAIN = {
    "read": ("cat", "ls", "head"),
    "write": ("touch", "mkdir", "tee"),
    "destroy": ("rm", "rmdir", "shred"),
    "network": ("curl", "wget", "ping"),
    "remote": ("git push", "ssh", "scp"),
    "execute": ("make", "python3", "sh", "python3 -c 1"),
    "system": ("systemctl restart", "mount", "reboot"),
    "privilege": ("sudo", "su", "doas"),
    "unknown": (UNKNOWN, "x"),
}
"""Programs by an effect, to be tried first."""
MAX_MOVED = 3
"""Commands of a program that are tried in every sort of place; others in the project alone."""


def loosened_cells(search: CommandSearch, looser_in: list[Cell]) -> Iterator[Witness]:
    """A command for each effect of which the posture is looser somewhere, if there is one."""
    for effect in dict.fromkeys(effect for effect, _ in looser_in) or ("",):
        witness = next(_of_effect(search, effect), None)
        if witness is not None:
            yield witness


def _requests(effect: str) -> Iterator[tuple[str, Request, str]]:
    """What has an effect and is not a program."""
    modes = {"read": ("read",), "write": ("write",), "destroy": ("remove",), "": MODES}
    for _, path in PLACES if effect in modes else ():
        whole = path if path[:1] == "/" else f"{ROOT}/{path}"
        yield from touching(whole, modes=modes[effect])
    if effect in ("network", ""):
        connect = Connect(OTHER_HOST, "https")
        yield "host", Request(operations=(connect,), cwd=ROOT, root=ROOT), f"https://{OTHER_HOST}"


def _of_effect(search: CommandSearch, effect: str) -> Iterator[Witness]:
    """What shows that an effect is decided more loosely: tools first, then programs."""
    for kind, request, shown in _requests(effect):
        found = looser(
            "host" if kind == "host" else "path", shown, request, search.both, search.fields
        )
        if found is not None:
            yield found
    catalogue = search.both[1].catalogue
    names = [tuple(name.split()) for name in PLAIN.get(effect, ())]
    names += [(name,) for name in catalogue.programs() if "{" not in name]
    directories = tuple(dict.fromkeys((ROOT, HOME, *map(directory_of, PLACES))))
    for words in names:
        for number, tail in enumerate(chain([()], search.following(words))):
            for cwd in directories if number < MAX_MOVED else directories[:1]:
                witness = search.judged((*words, *tail), cwd)
                if witness is not None:
                    yield witness

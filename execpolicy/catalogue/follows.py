"""What a project adds to every call of a program: code that it names, hosts, files to write.

A setting is an effect, why it is there, the files of the project of which one must be there, and
the words that, alone, are answered before; None there where also `--help` and `--version` are.
"""

from execpolicy.catalogue.notation import NotationError
from execpolicy.program import EFFECTS, LOADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    Setting = tuple[str, str, tuple[str, ...], tuple[str, ...] | None]

_ADDS = {
    "execute": "may name code that is run",
    "network": "may name a host that is reached",
    "write": "may say that files are written",
}


def follows(loads: str, settings: str) -> "tuple[Setting, ...]":
    """The settings that `loads` and `settings` of an entry state. Raises `NotationError`.

    >>> follows("after", ".npmrc!network")
    (('network', '`.npmrc` of the project may name a host that is reached', ('.npmrc',), None),)
    """
    when, *early = loads.split() or ("after",)
    if when not in LOADS:
        raise NotationError(f"in loads: `{when}` is unknown: write {_list(LOADS)}")
    if early and when == "after":
        raise NotationError(f"in loads: `{early[0]}` is for `before` and `copy`: take it away")
    found, needed = _stated(settings)
    if needed and when == "after":
        raise NotationError(f"in settings: `{needed[0]}` adds nothing: write `{needed[0]}!network`")
    if when == "after":
        return found
    return (("execute", LOADS[when], needed, tuple(early)), *found)


def _stated(settings: str) -> "tuple[tuple[Setting, ...], tuple[str, ...]]":
    """The settings with effects, and the files of those without."""
    found: list[Setting] = []
    needed: list[str] = []
    for item in settings.split():
        file, _, effects = item.partition("!")
        if not effects:
            needed.append(file)
        for effect in filter(None, effects.split(",")):
            if effect not in _ADDS or effect not in EFFECTS:
                raise NotationError(f"in settings: `{item}`: write an effect of {_list(_ADDS)}")
            why = f"`{file.partition('=')[0]}` of the project {_ADDS[effect]}"
            found.append((effect, why, (file,), None))
    return tuple(found), tuple(needed)


def _list(words: "object") -> str:
    return ", ".join(f"`{word}`" for word in words)  # type: ignore[attr-defined]

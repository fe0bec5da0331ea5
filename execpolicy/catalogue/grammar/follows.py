"""What a project adds to every call of a program: code that it names, hosts, files to write."""

from execpolicy.catalogue.entry import Setting
from execpolicy.catalogue.grammar.notation import NotationError, listed
from execpolicy.model.place import SettingsFile
from execpolicy.model.program import LOADS

WITHOUT = "without="
NESTED = "**/"
"""Before a name: such a file counts beside each file that the program works on, too."""
_ADDS = {
    "execute": "may name code that is run",
    "network": "may name a host that is reached",
    "write": "may say that files are written",
    "overwrites": "may say that files elsewhere are written",
    "secret": "may hold a secret that is shown",
}


def check(loads: str, settings: str) -> None:
    """Raise `NotationError` for what makes no sense in one entry."""
    follows(loads, settings)
    _, needed = _stated(settings)
    if needed and loads.partition(" ")[0] in ("", "after"):
        item = next(item for item in settings.split() if "!" not in item)
        raise NotationError(f"in settings: `{item}` adds nothing: write `{item}!…`")


def follows(loads: str, settings: str) -> tuple[Setting, ...]:
    """The settings that `loads` and `settings` of an entry state. Raises `NotationError`.

    >>> [(s.effect, s.why) for s in follows("after", ".npmrc!network")]
    [('network', '`.npmrc` of the project may name a host that is reached')]
    """
    when, *words = loads.split() or ("after",)
    if when not in LOADS:
        raise NotationError(f"in loads: `{when}` is unknown: write {listed(LOADS)}")
    found, needed = _stated(settings)
    if when == "after":
        if words:
            raise NotationError(f"in loads: `{words[0]}` is for `before` and `copy`: take it away")
        return found
    off = tuple(word.removeprefix(WITHOUT) for word in words if word.startswith(WITHOUT))
    early = tuple(word for word in words if not word.startswith(WITHOUT))
    return (Setting("execute", LOADS[when], needed, early, off), *found)


def inherited(loads: str) -> str:
    """What `loads` of an entry says about its subcommands: not the words that it answers itself."""
    when, *words = loads.split() or [""]
    return " ".join([when, *(word for word in words if word.startswith(WITHOUT))])


def _stated(settings: str) -> tuple[tuple[Setting, ...], tuple[SettingsFile, ...]]:
    """The settings with effects, and the files of those without."""
    found: list[Setting] = []
    needed: list[SettingsFile] = []
    words = settings.split()
    off = tuple(each for word in words if word.startswith(WITHOUT) for each in _off(word))
    for item in (word for word in words if not word.startswith(WITHOUT)):
        stated, _, effects = item.partition("!")
        name, _, sought = stated.partition("=")
        nested, name = name.startswith(NESTED), name.removeprefix(NESTED)
        file = SettingsFile(name, tuple(sought.split("|")) if sought else (), nested)
        if not effects:
            needed.append(file)
        for effect in filter(None, effects.split(",")):
            if effect not in _ADDS:
                raise NotationError(f"in settings: `{item}`: write an effect of {listed(_ADDS)}")
            why = f"`{name}` of the project {_ADDS[effect]}"
            found.append(Setting(effect, why, (file,), off=off))
    return tuple(found), tuple(needed)


def _off(item: str) -> list[str]:
    return item.removeprefix(WITHOUT).split("|")

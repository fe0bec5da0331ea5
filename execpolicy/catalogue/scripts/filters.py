"""Graphs of ffmpeg's filters (ffmpeg-filters(1)): those that only compute on sound and pictures.

Every filter must be one that has no option for a file, a library or an address. In quotes and
after backslashes a name could hide, and `/option=path` takes a value out of a file.
"""

from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.support.resources import words_of

_LISTS = words_of("ffmpeg")
_KNOWN = _LISTS["computing"]
_BARE = _LISTS["bare"]


def effects(text: str) -> list[Effect]:
    """What the graph does beyond computing."""
    for name, options in _filters(text):
        if name not in _KNOWN and (name not in _BARE or options):
            return [Effect("execute", f"what the filter `{name}` opens is not known")]
    if set("\\'") & set(text) or "=/" in text or ":/" in text:
        return [Effect("execute", "a name may follow a sign that hides it")]
    return []


def _filters(text: str) -> list[tuple[str, str]]:
    """The name and the options of each filter, without the labels of what comes in and goes out."""
    found = []
    for part in text.replace(";", ",").split(","):
        part = part.strip()
        while part.startswith("[") and "]" in part:
            part = part.partition("]")[2].strip()
        part = part.partition("[")[0].strip()
        name, _, options = part.partition("=")
        found.append((name.strip().partition("@")[0], options))
    return found

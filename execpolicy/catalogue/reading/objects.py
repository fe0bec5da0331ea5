"""What git shows of its objects: which paths of which commits the words of a command choose.

Where no `--` stands among them, git takes a word for a revision or for a path, by looking which of
the two is there (gitcli(7)); after `--` all are pathspecs (gitglossary(7)). A command that is told
no path shows all that its commits hold, from the top of the repository on.
"""

from execpolicy.catalogue.reading.inside import (
    is_exclusion,
    is_from_top,
    is_head,
    is_id,
    is_pathspec,
    paths,
)
from execpolicy.model.operation import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.catalogue.reading.effects import Effects

EVERYTHING = "."


def shown(
    effects: "Effects", words: "Sequence[Word]", before: int | None, *, one: bool = False
) -> None:
    """Add what the operands of the kind `object` let be shown.

    `before` is the number of words in front of `--`, None where there is none. `one`: the command
    shows the very object that a word names, and of a commit no file.
    """
    revisions = words if before is None else words[:before]
    specs = () if before is None else [w for w in words[before:] if not is_exclusion(w)]
    limited = bool(specs)
    for word in revisions:
        limited |= _revision(effects, word, alone=before is None or one)
    for word in specs:
        for path in paths("object", word):
            effects.file("history", path, "")
    if any(map(is_from_top, words)) or not (limited or one):
        effects.file("history", EVERYTHING, "")


def _revision(effects: "Effects", word: Word, *, alone: bool) -> bool:
    """A word that may be a revision, or, where `alone`, a path; whether it says what is shown."""
    if not is_pathspec(word):
        for path in paths("object", word):
            effects.file("file", path, "")
        return True
    if isinstance(word, str) and (is_head(word) or is_exclusion(word)):
        return False
    if not alone and not (isinstance(word, str) and is_id(word)):
        return False
    for path in paths("object", word):
        effects.file("revision", path, "")
    return alone

r"""Programs of Miller's `put` and `filter` (miller.readthedocs.io/en/latest/reference-dsl).

Every function that is called must be one that only computes, or be defined in the text. What is
printed may be sent to a file or a command by `>`, `>>` and `|` anywhere after a statement that
prints. Strings are looked at as well: where one ends is not decided here. A comment could stand
between a name and its parenthesis.
"""

import re

from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.support.resources import words_of

_LISTS = words_of("miller")
_FUNCTIONS = _LISTS["functions"]
_STATEMENTS = _LISTS["statements"]
_PRINTING = _LISTS["printing"]
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_DEFINED = re.compile(r"\b(?:func|subr)\s+([A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_SENT = re.compile(r"(?<!\|)\|(?!\|)|>>?(?![>=])")


def effects(text: str) -> list[Effect]:
    """What the program does beyond computing.

    >>> effects('$z = sub($x, "a", "b") . NR')
    []
    >>> [each.effect for each in effects('$z = system("ls")')]
    ['execute']
    """
    if "#" in text:
        return [Effect("execute", "what follows `#` is not read")]
    words = set(_WORD.findall(text))
    found: list[Effect] = []
    known = _FUNCTIONS | _STATEMENTS | set(_DEFINED.findall(text))
    for name in _CALL.findall(text):
        if name not in known or name in ("system", "exec"):
            found.append(Effect("execute", f"what `{name}` does is not known"))
    if not _PRINTING.isdisjoint(words) and _SENT.search(text):
        found.append(Effect("execute", "what is printed may go to a command or a file"))
    if "tee" in words:
        found.append(Effect("write", "`tee` writes files"))
    if "ENV" in words:
        found.append(Effect("environment", "`ENV` holds the variables of the environment"))
    return found

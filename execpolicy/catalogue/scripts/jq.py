"""jq filters: they read, whatever they say.

A filter can read its input, the environment and modules, and nothing in the jq manual writes a file
or runs a program. Relatives of jq that take the same filters have operators that do; these words
are none of jq's, so they count.
"""

from execpolicy.catalogue.scripts import Effect

_ACTIVE = ("system", "exec", "shell")


def effects(text: str) -> list[Effect]:
    """What the filter does beyond reading."""
    words = "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
    return [("execute", f"`{word}` may run a program", None) for word in _ACTIVE if word in words]

"""Programs that are named by a path in the home."""

from _collections_abc import Collection

from execpolicy.model.operation import Word

_COMPUTING = frozenset("$`*?[]{}~\\'!…")
"""Signs of a word that a shell computes, or reads otherwise than it is written."""


def at_home(program: Word, moved: "Collection[str]") -> Word:
    """A program named by `~/…` or `$HOME/…` as one by its path, `~/…`.

    `moved` are the variables that the text sets: where HOME is one, the name is computed. A tilde
    that is quoted is the name of a directory.
    """
    if isinstance(program, str):
        return "./" + program if program[:1] == "~" and "/" in program else program
    if "HOME" in moved:
        return program
    source = program.source.replace('"', "")
    for home in ("~/", "$HOME/", "${HOME}/"):
        rest = source.removeprefix(home)
        if rest != source and _COMPUTING.isdisjoint(rest):
            return "~/" + rest
    return program

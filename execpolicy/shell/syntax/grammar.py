"""The grammar of scripts as one: its entry, and the productions that call each other in a circle.

The modules, from the top: lists, commands, compounds, loops, conditional, redirections, words.
"""

from execpolicy.shell.syntax import lists
from execpolicy.shell.syntax.parser import reread
from execpolicy.shell.syntax.state import BoundError, Script, UnreadableError
from execpolicy.shell.syntax.tree import Node
from execpolicy.shell.syntax.words import quotes, word


class _Grammar:
    """The productions that are called from below their module."""

    __slots__ = ()

    part = staticmethod(word.part)
    quoted_part = staticmethod(quotes.quoted_part)
    double_quoted = staticmethod(quotes.double_quoted)
    compound_list = staticmethod(lists.compound_list)
    enclosed_list = staticmethod(lists.enclosed_list)
    program = staticmethod(lists.program)


_GRAMMAR = _Grammar()


class Failure:
    """Why a text cannot be read, and from where on: what comes before it was read."""

    __slots__ = ("start", "why")

    def __init__(self, start: int, why: str) -> None:
        self.start = start
        self.why = why


class Tree:
    """What was read of a text, and why the rest was not."""

    __slots__ = ("failure", "inside", "script")

    def __init__(self, script: Script, inside: list[Node], failure: Failure | None) -> None:
        self.script = script
        self.inside = inside
        self.failure = failure


def parse(text: str, shell: str | None) -> Tree:
    """The tree of a script that `shell` will read: `bash`, `sh`, `zsh`, or None where unknown.

    The text has no NUL. Raises `RecursionError` where it is nested too deeply for Python.
    """
    script = Script(shell, text)
    inside: list[Node] = []
    failure = None
    try:
        reread(_GRAMMAR, script, text, inside, lists.program)
    except UnreadableError as problem:
        failure = Failure(script.unit, str(problem))
    except BoundError as bound:
        failure = Failure(0, str(bound))
    return Tree(script, inside, failure)

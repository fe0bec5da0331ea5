"""A list of commands in parts that run in shells of their own, one after the other.

Bash keeps variables, functions, directory, options and jobs from one command of a list to the next:
a list in which a command changes or asks for these has no parts.
"""

from execpolicy.shell.syntax import tree
from execpolicy.shell.syntax.grammar import parse
from execpolicy.shell.syntax.state import MAX_TEXT
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BETWEEN = ("&&", "||", ";", "\n")


class TextPart(Value):
    """A pipeline of the list, and what stands before it: `&&`, `||`, `;`, nothing for the first."""

    operator: str
    text: str

    def runs_after(self, code: int) -> bool:
        """Whether it runs where what ran before it ended with this code."""
        return {"&&": code == 0, "||": code != 0}.get(self.operator, True)


def parts_of(text: str) -> tuple[TextPart, ...]:
    """The parts of a text for bash; none where it is no such list, or is not understood.

    >>> [(one.operator, one.text) for one in parts_of("make -s | tail && git add .")]
    [('', 'make -s | tail'), ('&&', 'git add .')]
    """
    if len(text) > MAX_TEXT or "\0" in text:
        return ()
    try:
        read = parse(text, "bash")
    except RecursionError:
        return ()
    if read.failure is not None:
        return ()
    found: list[TextPart] = []
    operator = ""
    for node in _flat(read.inside):
        if isinstance(node, tree.Sign):
            if node.text not in _BETWEEN:
                return ()
            if node.text != "\n":
                operator = node.text
            continue
        commands = _commands(node)
        whole = all(_keeps_nothing(one) and _asks_for_nothing(one) for one in commands)
        if not (commands and whole):
            return ()
        before = (operator or ";") if found else ""
        found.append(TextPart(before, text[commands[0].start : commands[-1].end]))
        operator = ""
    return tuple(found)


def _flat(nodes: "Sequence[tree.Node]") -> "Iterator[tree.Node]":
    for node in nodes:
        if isinstance(node, tree.List | tree.AndOr):
            yield from _flat(node.inside)
        else:
            yield node


def _commands(node: tree.Node) -> "list[tree.Command]":
    """The commands of a pipeline; none of anything else."""
    inside = node.inside if isinstance(node, tree.Pipeline) else [node]
    signs = [one.text for one in inside if isinstance(one, tree.Sign)]
    found = [one for one in inside if isinstance(one, tree.Command)]
    whole = len(found) + len(signs) == len(inside) and "!" not in signs
    return found if whole else []


def _keeps_nothing(command: tree.Command) -> bool:
    """Whether a command changes nothing of the shell, and its text is that between its ends."""
    if any(redirect.body is not None for redirect in command.redirects):
        return False
    names = [word.text for word in command.words if isinstance(word, tree.Word)]
    return bool(names) and names[0] is not None and names[0] not in words_of("commands")["keeping"]


def _asks_for_nothing(command: tree.Command) -> bool:
    """Whether no word has the status, the last word or a job of a command before it."""
    words = [word for word in command.words if isinstance(word, tree.Word)]
    words += [one.value for one in command.assignments if one.value is not None]
    words += [one for each in command.redirects for one in (each.target, each.body) if one]
    return all(_is_plain(part) for word in words if word.text is None for part in word.parts)


def _is_plain(part: tree.Part) -> bool:
    if part.substitution is not None:
        return all(map(_is_plain_inside, part.substitution.inside))
    if part.kind in (tree.VARIABLE, tree.QUOTED_VARIABLE):
        return part.text.isidentifier() and part.text != "_"
    return part.kind in (tree.LITERAL, tree.QUOTED)


def _is_plain_inside(node: tree.Node) -> bool:
    if isinstance(node, tree.Command):
        return _asks_for_nothing(node)
    return isinstance(node, tree.Sign) or (
        isinstance(node, tree.Pipeline | tree.AndOr | tree.List | tree.Substitution)
        and all(map(_is_plain_inside, node.inside))
    )

"""A list of commands in parts that run in shells of their own, one after the other.

Bash keeps variables, functions, directory, options and jobs from one command of a list to the next:
a list in which a command changes or asks for these has no parts. But a `cd` to a known directory
and a plain assignment stand before each part that comes after them; where the directory is not
there any more that part does not run.
"""

from execpolicy.shell.single import changed_to, flat
from execpolicy.shell.syntax import tree
from execpolicy.shell.syntax.grammar import parse
from execpolicy.shell.syntax.state import MAX_TEXT
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

_BETWEEN = ("&&", "||", ";", "\n")


class TextPart(Value):
    """A pipeline of the list, and what stands before it: `&&`, `||`, `;`, nothing for the first.

    `is_step`: it is what the next part would do by itself, and was decided about with that;
    `is_begun`: its step is the part before.
    """

    operator: str
    text: str
    is_step: bool = False
    is_begun: bool = False

    def runs_after(self, code: int, *, ran: bool = True) -> bool:
        """Whether it runs where what ran last ended with this code. `ran`: that is the part just
        before it."""
        if self.is_begun:
            return ran and code == 0
        return {"&&": code == 0, "||": code != 0}.get(self.operator, True)

    def after(self, step: str) -> "tuple[TextPart, ...]":
        """The same after what it would begin with by itself."""
        return (self.replace(text=step, is_step=True), self.replace(is_begun=True))


def parts_of(text: str) -> tuple[TextPart, ...]:
    """The parts of a text for bash; none where it is not such a list, or is not understood.

    >>> [(one.operator, one.text) for one in parts_of("make -s | tail && git add .")]
    [('', 'make -s | tail'), ('&&', 'git add .')]
    >>> [one.text for one in parts_of("cd src && make && git add .")]
    ['cd src && make', 'cd src && git add .']
    """
    if len(text) > MAX_TEXT or "\0" in text:
        return ()
    try:
        read = parse(text, "bash")
    except RecursionError:
        return ()
    if read.failure is not None:
        return ()
    parts = _Parts()
    for node in flat(read.inside):
        if isinstance(node, tree.Sign):
            if node.text not in _BETWEEN:
                return ()
            if node.text != "\n":
                parts.operator = node.text
            continue
        commands = _commands(node)
        if not (commands and all(map(_asks_for_nothing, commands))):
            return ()
        words = text[commands[0].start : commands[-1].end]
        begins = len(commands) == 1 and _begins(commands[0])
        whole = begins or all(map(_keeps_nothing, commands))
        if not (whole and parts.add(words, begins=begins)):
            return ()
    return tuple(parts.found) if parts.waits is None else ()


class _Parts:
    """The parts so far. `begin` is what each of the next begins with, `waits` the operator before
    it where none came since. `certain`: that runs whatever came before."""

    def __init__(self) -> None:
        self.found: list[TextPart] = []
        self.operator = self.begin = ""
        self.waits: str | None = None
        self.certain = True

    def add(self, words: str, *, begins: bool) -> bool:
        """Take up a pipeline, or what the next begin with; whether that is a part."""
        joint = operator = (self.operator or ";") if self.found or self.begin else ""
        self.operator = ""
        if self.waits is not None:
            # Whether `cd x` after `&&` ran is not known to what comes after a `;`.
            if operator == "||" or (self.waits == "&&" and operator != "&&"):
                return False
            operator = self.waits
        elif self.begin:
            if operator == "||" or (operator != "&&" and not self.certain):
                return False
            joint = "&&"  # what came between may have taken the directory away
        before = {"": "", "&&": f"{self.begin} && "}.get(joint, f"{self.begin}; ")
        before = before if self.begin else ""
        self.waits = None
        if begins:
            self.begin, self.waits = before + words, operator
            self.certain &= operator != "&&"
            return operator != "||"
        self.found.append(TextPart(operator if self.found else "", before + words))
        return True


def _commands(node: tree.Node) -> "list[tree.SimpleCommand]":
    """The commands of a pipeline; none of anything else."""
    inside = node.inside if isinstance(node, tree.Pipeline) else [node]
    signs = [one.text for one in inside if isinstance(one, tree.Sign)]
    found = [one for one in inside if isinstance(one, tree.SimpleCommand)]
    whole = len(found) + len(signs) == len(inside) and "!" not in signs
    return found if whole else []


def _begins(command: tree.SimpleCommand) -> bool:
    """Whether it is `cd` to a directory of a known name, or nothing but assignments of such values:
    it does the same again."""
    values = [one.value for one in command.assignments if one.value is not None]
    if not command.words and not command.redirects:
        return bool(values) and all(value.text is not None for value in values)
    return changed_to(command) is not None


def _keeps_nothing(command: tree.SimpleCommand) -> bool:
    """Whether a command changes nothing of the shell, and its text is that between its ends."""
    if any(redirect.body is not None for redirect in command.redirects):
        return False
    names = [word.text for word in command.words if isinstance(word, tree.Word)]
    return bool(names) and names[0] is not None and names[0] not in words_of("commands")["keeping"]


def _asks_for_nothing(command: tree.SimpleCommand) -> bool:
    """Whether no word has the status, the last word or a job of a command before it."""
    words = [word for word in command.words if isinstance(word, tree.Word)]
    words += [one.value for one in command.assignments if one.value is not None]
    words += [one for each in command.redirects for one in (each.target, each.body) if one]
    return all(_is_plain(part) for word in words if word.text is None for part in word.parts)


def _is_plain(part: tree.WordPart) -> bool:
    if part.substitution is not None:
        return all(map(_is_plain_node, part.substitution.inside))
    if part.kind in (tree.VARIABLE, tree.QUOTED_VARIABLE):
        return part.text.isidentifier() and part.text != "_"
    return part.kind in (tree.LITERAL, tree.QUOTED)


def _is_plain_node(node: tree.Node) -> bool:
    if isinstance(node, tree.SimpleCommand):
        return _asks_for_nothing(node)
    return isinstance(node, tree.Sign) or (
        isinstance(node, tree.Pipeline | tree.AndOr | tree.List | tree.Substitution)
        and all(map(_is_plain_node, node.inside))
    )

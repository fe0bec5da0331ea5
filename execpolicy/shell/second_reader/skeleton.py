"""The text that the second reader is given: a tree without its words.

Every word is a `w`, reserved words and operators are as they stood, at most three words of a simple
command are shown. Each substitution is a text of its own. Commands that bashlex does not know are
written as what it takes for the same: a `case` as groups in a group, `[[ … ]]` and `((…))` as one
word, a `for ((…))` as one over a word.
"""

from _collections_abc import Callable, Iterator

from execpolicy.shell.chars import RESERVED
from execpolicy.shell.syntax.tree import (
    NEWLINE,
    NOT,
    SEMICOLON,
    AndOr,
    Beside,
    Branch,
    Case,
    Clause,
    CompoundRedirects,
    Coprocess,
    Definition,
    For,
    Group,
    If,
    Node,
    Pipeline,
    Sign,
    SimpleCommand,
    Subshell,
    Substitution,
    Test,
    While,
    Word,
)

MAX_SHOWN = 3


class Skeleton:
    """A text for the second reader, and the number of words of each simple command in it."""

    __slots__ = ("shapes", "signs", "waiting")

    def __init__(self, waiting: list[Substitution]) -> None:
        self.signs: list[str] = []
        self.shapes: list[int] = []
        self.waiting = waiting

    @property
    def text(self) -> str:
        """What the second reader reads."""
        return " ".join(self.signs).strip("\n ")

    def write(self, nodes: list[Node]) -> None:
        """Add what these nodes look like."""
        for node in nodes:
            write = _WRITERS.get(type(node))
            if write is not None:
                write(self, node)

    def add_substitutions(self, nodes: list[Node]) -> None:
        """Keep in mind the substitutions among these nodes, which have texts of their own."""
        for node in nodes:
            if isinstance(node, Substitution):
                self.waiting.append(node)

    def words(self, *shown: str) -> None:
        """Add a simple command of these words."""
        self.signs.append(" ".join(shown))
        self.shapes.append(len(shown))


def skeletons(nodes: list[Node]) -> "Iterator[Skeleton]":
    """The text of a script and those of its substitutions."""
    waiting: list[Substitution] = []
    while True:
        skeleton = Skeleton(waiting)
        skeleton.write(nodes)
        yield skeleton
        if not waiting:
            return
        nodes = waiting.pop().inside


def _sign(skeleton: Skeleton, sign: Sign) -> None:
    """A separator or an operator; of several line breaks one, and none at the beginning."""
    signs = skeleton.signs
    if sign is not NOT and (sign is not NEWLINE or (signs and signs[-1] != "\n")):
        signs.append(sign.text)


def _substitution(skeleton: Skeleton, node: Substitution) -> None:
    skeleton.waiting.append(node)


def _command(skeleton: Skeleton, command: SimpleCommand) -> None:
    """A reserved word among the words is shown, so that bashlex sees one where there is one."""
    skeleton.add_substitutions(command.inside)
    shown = ["w" for _ in command.assignments[:MAX_SHOWN]]
    for word in command.words[: MAX_SHOWN - len(shown)]:
        reserved = isinstance(word, Word) and not word.parts and word.text in RESERVED
        shown.append(word.text or "w" if shown and isinstance(word, Word) and reserved else "w")
    skeleton.words(*(shown or ["w"]))


def _write_body(skeleton: Skeleton, node: Branch | CompoundRedirects) -> None:
    skeleton.write(node.inside)


def _test(skeleton: Skeleton, node: Test) -> None:
    skeleton.add_substitutions(node.inside)
    skeleton.words("w")


def _subshell(skeleton: Skeleton, node: Subshell) -> None:
    skeleton.signs.append("(")
    skeleton.write(node.inside)
    skeleton.signs.append(")")


def _group(skeleton: Skeleton, node: Group) -> None:
    skeleton.signs.append("{")
    skeleton.write(node.inside)
    skeleton.signs.append("}")


def _if(skeleton: Skeleton, node: If) -> None:
    word = "if"
    for branch in node.branches:
        skeleton.signs.append(word)
        skeleton.write(branch.condition.inside)
        skeleton.signs.append("then")
        skeleton.write(branch.body.inside)
        word = "elif"
    if node.otherwise is not None:
        skeleton.signs.append("else")
        skeleton.write(node.otherwise.inside)
    skeleton.signs.append("fi")


def _while(skeleton: Skeleton, node: While) -> None:
    skeleton.signs.append(node.word)
    skeleton.write(node.condition.inside)
    skeleton.signs.append("do")
    skeleton.write(node.body.inside)
    skeleton.signs.append("done")


def _for(skeleton: Skeleton, node: For) -> None:
    skeleton.add_substitutions(node.inside)
    skeleton.signs += ["for", "w"]
    if node.arithmetic:
        skeleton.signs.append("in w ;")
    elif node.words is not None:
        skeleton.signs += ["in " + " ".join(["w"] * min(MAX_SHOWN, len(node.words))), ";"]
    elif SEMICOLON in node.inside:
        skeleton.write([n for n in _after(node.inside, SEMICOLON) if isinstance(n, Sign)])
    skeleton.signs.append("{" if node.braces else "do")
    skeleton.write(node.body.inside)
    skeleton.signs.append("}" if node.braces else "done")


def _after(nodes: list[Node], first: Sign) -> list[Node]:
    return nodes[nodes.index(first) :]


def _case(skeleton: Skeleton, node: Case) -> None:
    skeleton.add_substitutions(node.inside)
    skeleton.signs.append("{")
    skeleton.words("w")
    skeleton.signs.append(";")
    for clause in node.clauses:
        if isinstance(clause, Clause):
            _clause(skeleton, clause)
    skeleton.add_substitutions(node.clauses)
    skeleton.signs.append("}")


def _clause(skeleton: Skeleton, node: Clause) -> None:
    skeleton.add_substitutions(node.inside)
    skeleton.signs.append("{")
    skeleton.words("w")
    skeleton.signs.append(";")
    skeleton.write(node.body.inside)
    if skeleton.signs[-1] not in _SEPARATORS:
        skeleton.signs.append(";")
    skeleton.signs += ["}", ";"]


def _definition(skeleton: Skeleton, node: Definition) -> None:
    skeleton.add_substitutions(node.inside)
    skeleton.signs.append("w ( )")
    skeleton.write(node.body)


_SEPARATORS = (";", "&", "\n")
_WRITERS: "dict[type[Node], Callable[..., None]]" = {
    AndOr: _write_body,
    Beside: _write_body,
    Case: _case,
    SimpleCommand: _command,
    CompoundRedirects: _write_body,
    Coprocess: _write_body,
    Definition: _definition,
    For: _for,
    Group: _group,
    If: _if,
    Pipeline: _write_body,
    Sign: _sign,
    Subshell: _subshell,
    Substitution: _substitution,
    Test: _test,
    While: _while,
}

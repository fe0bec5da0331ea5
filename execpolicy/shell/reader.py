"""A script text read as the shell reads it.

`read` never raises. Everything a text may run is among its operations, and every spot that is not
fully understood is an `Opaque`.
"""

from execpolicy.model.operation import Opaque, Operation
from execpolicy.model.text_facts import TextFacts
from execpolicy.shell.fast import plain
from execpolicy.shell.syntax.state import MAX_TEXT
from execpolicy.support import startup
from execpolicy.support.record import Value

MAX_INNER = 4

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.analysis.outputs import Output
    from execpolicy.shell.second_reader.second_reader import Tables
    from execpolicy.shell.syntax.grammar import Tree


class ReadText(Value):
    """The operations of a text, in the order they stand in it, and what holds of them."""

    operations: tuple[Operation, ...]
    facts: TextFacts


def read(
    text: str,
    shell: str | None = None,
    tables: "Tables | None" = None,
    output: "Output | None" = None,
) -> ReadText:
    """All operations of `text`, and what holds of them.

    `shell` is what will read the text: `bash`, `sh`, `zsh`, or None where that is unknown. Unless
    it is `bash`, what another shell reads differently is `Opaque`. The way in that `via` names is
    `$(…)`, `` `…` ``, `<(…)`, `>(…)`, `(…)`, `heredoc`, `function NAME`, `coproc`, `eval`, `trap`.
    A call of a function of the same text is not an operation where it can be nothing else: its body
    is read where it is defined. A command that runs once for each of a few known words of a loop
    is as many operations. `tables` keeps what bashlex makes between processes. `output` says what
    the output of an argv looks like, as far as that is known.

    >>> [operation.argv for operation in read("git status | head -5").operations]
    [('git', 'status'), ('head', '-5')]
    """
    simple = plain.commands(text)
    if simple is not None:
        operations, facts = simple
        if output is not None and [command for command in operations if command.fed_by]:
            from execpolicy.shell.literal_output import with_input

            operations = with_input(operations, output)
        return ReadText(operations, facts)
    if len(text) > MAX_TEXT:
        return unreadable(text, f"longer than {MAX_TEXT} characters")
    if "\0" in text:
        return unreadable(text, "a NUL character")
    try:
        found, facts = _read(text, shell, tables, output, 0)
    except RecursionError:
        return unreadable(text, "nested too deeply")
    return ReadText(tuple(found), facts)


def unreadable(text: str, why: str) -> ReadText:
    """A text of which nothing is known."""
    return ReadText((Opaque(text, why, span=(0, len(text))),), UNKNOWN)


UNKNOWN = TextFacts(returns=True, hides_input=True, diverts=True, dots=True, detaches=True)


def _read(
    text: str, shell: str | None, tables: "Tables | None", output: "Output | None", depth: int
) -> tuple[list[Operation], TextFacts]:
    """The operations of `text`, which stands `depth` times in the words of an `eval` or `trap`."""
    startup.ahead("script")
    from execpolicy.shell.analysis import walk
    from execpolicy.shell.analysis.facts import of_words
    from execpolicy.shell.lower import Lowering
    from execpolicy.shell.syntax.grammar import parse

    def inner(text: str) -> tuple[list[Operation], TextFacts]:
        return _read(text, shell, tables, output, depth + 1) if depth < MAX_INNER else ([], UNKNOWN)

    tree = parse(text, shell)
    events = walk.events(tree.inside)
    if not events:
        found: list[Operation] = []
        facts = of_words(tree.script)
    else:
        lowering = Lowering(tree.script, events, inner, output)
        lowering.variables.tainted = tree.failure is not None
        found, facts = lowering.operations()
    _object(found, tree, tables)
    return found, facts


def _object(found: list[Operation], tree: "Tree", tables: "Tables | None") -> None:
    """Add what is against the text as a whole."""
    text = tree.script.text
    if tree.failure is not None:
        start = tree.failure.start
        found.append(Opaque(text[start:], tree.failure.why, span=(start, len(text))))
    elif tree.script.compound:
        from execpolicy.shell.second_reader import second_reader

        if not second_reader.agrees(tree.inside, tables):
            found.append(Opaque(text, "two readers disagree about it", span=(0, len(text))))
    odd = plain.suspicious(text)
    if odd:
        found.append(Opaque(text, odd, span=(0, len(text))))

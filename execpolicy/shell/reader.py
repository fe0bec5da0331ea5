"""A script text read as the shell reads it.

`read` never raises. Everything a text may run is among its operations, and every spot that is not
fully understood is an `Opaque`.
"""

from execpolicy.model.operation import Opaque, Operation
from execpolicy.shell.fast import plain
from execpolicy.shell.literal_output import with_input
from execpolicy.shell.syntax.state import MAX_TEXT
from execpolicy.support import startup

MAX_INNER = 4

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.analysis.outputs import Output
    from execpolicy.shell.second_reader.second_reader import Tables
    from execpolicy.shell.syntax.grammar import Tree


def read(
    text: str,
    shell: str | None = None,
    tables: "Tables | None" = None,
    output: "Output | None" = None,
) -> tuple[Operation, ...]:
    """All operations of `text`, in the order they stand in it.

    `shell` is what will read the text: `bash`, `sh`, `zsh`, or None where that is unknown. Unless
    it is `bash`, what another shell reads differently is `Opaque`. The way in that `via` names is
    `$(…)`, `` `…` ``, `<(…)`, `>(…)`, `(…)`, `heredoc`, `function NAME`, `coproc`, `eval`, `trap`.
    A call of a function of the same text is no operation where it can be nothing else: its body
    is read where it is defined. A command that runs once for each of a few known words of a loop
    is as many operations. `tables` keeps what bashlex makes between processes. `output` says what
    the output of an argv looks like, as far as that is known.

    >>> [operation.argv for operation in read("git status | head -5")]
    [('git', 'status'), ('head', '-5')]
    """
    simple = plain.commands(text)
    if simple is not None:
        return with_input(simple, output)
    if len(text) > MAX_TEXT:
        return (Opaque(text, f"longer than {MAX_TEXT} characters", span=(0, len(text))),)
    if "\0" in text:
        return (Opaque(text, "a NUL character", span=(0, len(text))),)
    try:
        return tuple(_read(text, shell, tables, output, 0))
    except RecursionError:
        return (Opaque(text, "nested too deeply", span=(0, len(text))),)


def _read(
    text: str, shell: str | None, tables: "Tables | None", output: "Output | None", depth: int
) -> list[Operation]:
    """The operations of `text`, which stands `depth` times in the words of an `eval` or `trap`."""
    startup.ahead("script")
    from execpolicy.shell.analysis import walk
    from execpolicy.shell.lower import Lowering
    from execpolicy.shell.syntax.grammar import parse

    def inner(text: str) -> list[Operation]:
        return _read(text, shell, tables, output, depth + 1) if depth < MAX_INNER else []

    tree = parse(text, shell)
    events = walk.events(tree.inside)
    lowering = Lowering(tree.script, events, inner, output)
    if tree.failure is not None:
        lowering.variables.tainted = True
    found = lowering.operations() if events else []
    _object(found, tree, tables)
    return found


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

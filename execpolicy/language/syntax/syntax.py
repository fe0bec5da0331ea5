"""Reads rules text into a concrete syntax tree with exact places and all comments.

For places in diagnostics, for formatting and for editing files in place. What a file means is the
evaluator's business; nothing here runs when a command is checked.
"""

from execpolicy.language.syntax import check, problems
from execpolicy.language.syntax.layout import LayoutError
from execpolicy.language.syntax.tables import driver
from execpolicy.language.syntax.tree import Leaf, Module, Node, Tree
from execpolicy.model.errors import Diagnostic, PolicyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.language.syntax.parser import UnexpectedInput
    from execpolicy.language.syntax.problems import Found

MAX_PROBLEMS = 20


def parse(text: str, file: str = "<rules>") -> Module:
    """The tree of `text`.

    Raises `PolicyError` with every problem found: at most one a statement where the text does not
    parse, all of them where it does but is not allowed.

    >>> module = parse('prefix_rule(["ls"])  # reads\\n')
    >>> [leaf.text for leaf in module.leaves]
    ['prefix_rule', '(', '[', '"ls"', ']', ')']
    >>> [comment.text for comment in module.comments()]
    ['# reads']
    """
    result = _attempt(text)
    if isinstance(result, Node):
        module = Module(text, file, result)
        diagnostics = check.check(module)
        if diagnostics:
            raise PolicyError(diagnostics)
        return module
    raise PolicyError(_all_problems(text, file, result))


def _attempt(text: str) -> "Node | Found":
    """The tree of a text, or its first problem."""
    # A file's last line may be blank but for its margin; it opens no block.
    padded = "\n" + problems.without_last_margin(text)
    try:
        return driver().parse(padded) or _explained(padded, text)
    except LayoutError as error:
        return problems.of_layout(error)


def _explained(padded: str, text: str) -> "Node | Found":
    """Why a text does not parse, in the words of lark, which tells what could have stood there."""
    from execpolicy.language.syntax.parser import UnexpectedInput, parser

    try:
        tree: object = parser().parse(padded)
    except UnexpectedInput as error:
        return _found(error, text)
    if not isinstance(tree, Node):
        raise TypeError(f"lark made a `{type(tree).__name__}`")
    return tree


def _found(error: "UnexpectedInput", text: str) -> "Found":
    """The problem that stopped the parser, or the lexer before it."""
    parsing = error.interactive_parser
    accepted: set[str] = parsing.accepts()  # type: ignore[no-untyped-call]
    stack: list[Tree] = error.state.value_stack
    token: object = getattr(error, "token", None)
    if getattr(token, "type", "") == "$END":
        token = Leaf("$END", "", len(text), text.count("\n") + 1, len(text) - text.rfind("\n"))
    if isinstance(token, Leaf):
        return problems.of_token(text, token, accepted, stack)
    # The lexer found nothing that fits. What it hands over is a guess, which may be anything.
    return problems.of_text(text, (error.pos_in_stream or 1) - 1, accepted, stack)


def _all_problems(text: str, file: str, found: "Found") -> tuple[Diagnostic, ...]:
    """The problem found, and those of the statements after it."""
    every = [problems.diagnostic(text, file, found)]
    rest = text
    while len(every) < MAX_PROBLEMS:
        rest = problems.blank_statement(rest, found)
        result = _attempt(rest)
        if isinstance(result, Node):
            break
        found = result
        every.append(problems.diagnostic(text, file, found))
    return tuple(every)

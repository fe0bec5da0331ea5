"""The events of a tree in the order of the text, each in the context where it stands."""

from _collections_abc import Callable

from execpolicy.shell.analysis.descriptors import HERE, is_input, mixes_messages, turns_input
from execpolicy.shell.syntax.tree import (
    AND,
    NOT,
    OR,
    PIPE_ALL,
    AndOr,
    Beside,
    Case,
    Clause,
    CompoundRedirects,
    Context,
    Coprocess,
    Definition,
    Event,
    For,
    Group,
    If,
    List,
    LoopVariable,
    Node,
    Pipeline,
    Sign,
    SimpleCommand,
    Subshell,
    Substitution,
    Test,
    Unsupported,
    While,
)

MAX_FED = 31
"""Commands of a pipeline that one after them knows, beside the one right before it: to tell each of
all of them would cost the square of their number."""
_NO_COMMANDS = (Sign, Unsupported, LoopVariable, Substitution)
"""What may stand between the commands of a pipeline or an and-or list."""


def events(nodes: list[Node]) -> list[Event]:
    """The events below these nodes; each is given its context here, once."""
    made: list[Event] = []
    _walk(made, nodes, Context())
    if any(map(turns_input, made)):
        _share(made)
    return made


def _share(made: list[Event], reader: SimpleCommand | None = None) -> None:
    """Mark all commands but `reader`: another one may take a part of what they read."""
    for event in made:
        if isinstance(event, SimpleCommand) and event is not reader:
            event.shares_input = True


def _walk(made: list[Event], nodes: list[Node], context: Context) -> None:
    for node in nodes:
        _WALKS[type(node)](made, node, context)


def _event(made: list[Event], event: Event, context: Context) -> None:
    event.context = context
    event.certain = context.certain
    made.append(event)


def _command(made: list[Event], command: SimpleCommand, context: Context) -> None:
    command.context = context
    command.certain = context.certain
    if command.redirects:
        command.mixed = any(map(mixes_messages, command.redirects))
    command.shares_input = context.function is not None  # a function reads its caller's input
    made.append(command)
    if command.inside:
        _walk(made, command.inside, context)


def _sign(made: list[Event], sign: Sign, context: Context) -> None:
    pass


def _list(made: list[Event], node: List | Group | Test, context: Context) -> None:
    _walk(made, node.inside, context)


def _and_or(made: list[Event], node: AndOr, context: Context) -> None:
    """`a && b || c && d`: `b` runs if `a` ended well. For `c` and `d` only what was certain before
    the list is, since either of `a` and `b` may have failed."""
    before = sure = context.succeeded
    sign: Node | None = None
    negated = False
    for each in node.inside:
        if each is NOT:
            negated = True
        elif each is AND or each is OR:
            sign = each
        elif not isinstance(each, _NO_COMMANDS):
            if sign is not None:
                context = context.upon(sure if sign is AND else before)
            last = each if isinstance(each, SimpleCommand) and not negated else context.succeeded
            sure = before if sign is OR else last
            negated = False
        _WALKS[type(each)](made, each, context)


def _pipeline(made: list[Event], node: Pipeline, context: Context) -> None:
    mark = begin = len(made)
    number = 0
    fed, outer = context.fed, context
    head: SimpleCommand | None = None
    for each in node.inside:
        command = not isinstance(each, _NO_COMMANDS)
        if command:
            if number:
                fed = (*fed[-MAX_FED:], head)
                context = outer.after(fed)
            number += 1
            head = each if isinstance(each, SimpleCommand) else None
            begin = len(made)
        elif each is PIPE_ALL:
            _mix(made, begin)
        _WALKS[type(each)](made, each, context)
        if command and 1 < number <= node.whole:
            _set_beside(made, mark)


def _mix(made: list[Event], mark: int) -> None:
    """What was found since `mark` has its messages among what it prints."""
    for event in made[mark:]:
        if isinstance(event, SimpleCommand):
            event.mixed = True


def _set_beside(made: list[Event], mark: int) -> None:
    """What was found since `mark` runs beside the shell, not in it."""
    for event in made[mark:]:
        event.certain = False
        if isinstance(event, SimpleCommand):
            event.piped = True


def _beside(made: list[Event], node: Beside, context: Context) -> None:
    mark = len(made)
    _walk(made, node.inside, context)
    _set_beside(made, mark)


def _substitution(made: list[Event], node: Substitution, context: Context) -> None:
    node.first = len(made)
    _walk(made, node.inside, context.within(node.via))
    node.last = len(made)


def _subshell(made: list[Event], node: Subshell, context: Context) -> None:
    _walk(made, node.inside, context.within("(…)"))


def _if(made: list[Event], node: If, context: Context) -> None:
    for branch in node.branches:
        _walk(made, branch.condition.inside, context)
        context = context.perhaps()
        _walk(made, branch.body.inside, context)
    if node.otherwise is not None:
        _walk(made, node.otherwise.inside, context)


def _while(made: list[Event], node: While, context: Context) -> None:
    context = context.perhaps(loop=True)
    first = node.leader
    if first is not None:
        first.leads = True
    _walk(made, node.condition.inside, context)
    _walk(made, node.body.inside, context)


def _for(made: list[Event], node: For, context: Context) -> None:
    _walk(made, node.inside, context)
    _walk(made, node.body.inside, context.perhaps(loop=True))


def _case(made: list[Event], node: Case, context: Context) -> None:
    _walk(made, node.inside, context)
    _walk(made, node.clauses, context.perhaps())


def _clause(made: list[Event], node: Clause, context: Context) -> None:
    _walk(made, node.inside, context)
    _walk(made, node.body.inside, context)


def _coprocess(made: list[Event], node: Coprocess, context: Context) -> None:
    mark = len(made)
    _walk(made, node.inside, context.within("coproc"))
    if node.whole:
        _set_beside(made, mark)


def _definition(made: list[Event], node: Definition, context: Context) -> None:
    _event(made, node, context)
    _walk(made, node.inside, context)
    _walk(made, node.body, context.body(node.name))


def _redirected(made: list[Event], node: CompoundRedirects, context: Context) -> None:
    mark = len(made)
    _walk(made, node.inside, context)
    if not node.redirects:
        return
    if any(map(mixes_messages, node.redirects)):
        _mix(made, mark)
    loop = node.inside[0]
    if isinstance(loop, While) and loop.leader is not None:
        loop.leader.fed = node
    fed = [redirect for redirect in node.redirects if is_input(redirect)]
    reader = None
    if len(fed) == 1 and fed[0].operator in HERE:
        reader = _only_reader(made[mark:])
        if reader is not None:
            reader.outer = fed[0]
    if fed:
        _share(made[mark:], reader)
    _event(made, node, context)


def _only_reader(inside: list[Event]) -> SimpleCommand | None:
    """The command that certainly reads all the compound is fed: one beside it may take some."""
    commands = [event for event in inside if isinstance(event, SimpleCommand)]
    if len(commands) != 1 or any(isinstance(event, CompoundRedirects) for event in inside):
        return None
    (command,) = commands
    return None if command.context.loop or command.piped else command


_WALKS: "dict[type[Node], Callable[..., None]]" = {
    AndOr: _and_or,
    Beside: _beside,
    Case: _case,
    Clause: _clause,
    SimpleCommand: _command,
    CompoundRedirects: _redirected,
    Coprocess: _coprocess,
    Definition: _definition,
    For: _for,
    Group: _list,
    If: _if,
    List: _list,
    LoopVariable: _event,
    Pipeline: _pipeline,
    Sign: _sign,
    Subshell: _subshell,
    Substitution: _substitution,
    Test: _list,
    Unsupported: _event,
    While: _while,
}

"""Functions that a text defines: which calls are certainly theirs, and which are bombs."""

from _collections_abc import Callable

from execpolicy.shell.chars import is_name
from execpolicy.shell.syntax.tree import Definition, Event, SimpleCommand

Functions = dict[str, list[Definition]]
Heads = Callable[[SimpleCommand], tuple[str, ...]]
"""The programs that a command may start; an empty one where it is computed."""

_HOOKS = frozenset(("command_not_found_handle", "command_not_found_handler"))


def called(command: SimpleCommand, name: str, first_call: int, functions: "Functions") -> bool:
    """Whether this call is certainly one of the function `name` of the same text."""
    found = functions.get(name, [])
    if len(found) != 1 or not found[0].certain or command.assignments:
        return False
    definition = found[0]
    if command.context.function is None:
        return definition.end <= command.start
    if definition.start <= command.start <= definition.end:
        return True
    return definition.end <= first_call


def first_call(events: list[Event], functions: "Functions", heads: "Heads") -> int:
    """The place of the first call from outside of any function. What is computed may be one."""
    commands = [event for event in events if isinstance(event, SimpleCommand)]
    for command in commands:
        if command.context.function:
            continue
        if any(not head or head in functions for head in heads(command)):
            return command.start
    return 1 << 62


def runs_unasked(name: str) -> str | None:
    """Why a function of this name runs without being called, None if it does not."""
    if name in _HOOKS:
        return f"`{name}` runs in place of unknown commands"
    if name.startswith("TRAP"):
        return f"zsh runs `{name}` on its own, in substitutions too"
    return None


def misleads(name: str) -> str | None:
    """Why a call of a function of this name may be taken for something else, None if not."""
    if not is_name(name.replace("-", "_").replace(":", "_").replace(".", "_")):
        return "a function with the name of something else"
    return None


def bombs(events: list[Event], functions: "Functions", heads: "Heads") -> set[str]:
    """Functions that start something beside themselves which leads back to them."""
    calls: dict[str, set[str]] = {name: set() for name in functions}
    beside: dict[str, set[str]] = {name: set() for name in functions}
    for event in events:
        if isinstance(event, SimpleCommand) and event.context.function in calls:
            caller = event.context.function or ""
            found = functions.keys() & heads(event)
            calls[caller] |= found
            if event.piped:
                beside[caller] |= found
    return {n for n in functions if any(n in _reachable(h, calls) for h in beside[n])}


def _reachable(start: str, calls: dict[str, set[str]]) -> set[str]:
    seen, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += calls.get(name, ())
    return seen

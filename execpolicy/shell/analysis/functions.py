"""Functions that a text defines: which calls are certainly theirs, and which are bombs."""

from execpolicy.shell.chars import is_name
from execpolicy.shell.syntax.tree import Definition, Event, SimpleCommand, Word

Functions = dict[str, list[Definition]]

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


def first_call(events: list[Event], functions: "Functions") -> int:
    """The place of the first call from outside of any function."""
    for event in events:
        if (
            isinstance(event, SimpleCommand)
            and not event.context.function
            and _head(event) in functions
        ):
            return event.start
    return 1 << 62


def _head(command: SimpleCommand) -> str:
    word = command.words[0] if command.words else None
    return (word.text or "") if isinstance(word, Word) else ""


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


def bombs(events: list[Event], functions: "Functions") -> set[str]:
    """Functions that start something beside themselves which leads back to them."""
    calls: dict[str, set[str]] = {name: set() for name in functions}
    beside: dict[str, set[str]] = {name: set() for name in functions}
    for event in events:
        if isinstance(event, SimpleCommand) and event.context.function in calls:
            caller = event.context.function or ""
            head = _head(event)
            if head in functions:
                calls[caller].add(head)
                if event.piped:
                    beside[caller].add(head)
    return {n for n in functions if any(n in _reachable(h, calls) for h in beside[n])}


def _reachable(start: str, calls: dict[str, set[str]]) -> set[str]:
    seen, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += calls.get(name, ())
    return seen

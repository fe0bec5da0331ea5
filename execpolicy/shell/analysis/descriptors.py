"""Redirections that make the file of an input writable by another name.

Opening `/dev/stdin` or `/dev/fd/3` opens its file anew, and for writing truncates it,
also where the descriptor was only for reading (Linux, proc(5)). So an input must neither be opened
by such a name nor become what `/dev/stdout` and `/dev/stderr` stand for.
"""

from _collections_abc import Callable, Iterator

from execpolicy.model.operation import OUTPUT_DEVICES, Dynamic
from execpolicy.shell.syntax.tree import CompoundRedirects, Event, Redirect, SimpleCommand, Word

_OUTPUTS = ("1", "2")
HERE = frozenset(("<<", "<<-", "<<<"))
"""The redirections whose text stands in the script itself."""


def is_harmless(path: str, reads: bool) -> bool:
    """Whether opening this path opens no file of the user's."""
    return path in OUTPUT_DEVICES or (reads and (path == "/dev/stdin" or _is_descriptor(path)))


def is_input(redirect: Redirect) -> bool:
    """Whether it says what standard input is."""
    into = _number(redirect.descriptor)
    return into == "0" or (into == "" and redirect.operator[0] == "<")


def is_redirected(command: SimpleCommand, scalar: "Callable[[Word], str | Dynamic | None]") -> bool:
    """Whether a command reads a file, or what is left of the input of something around it."""
    for redirect in reversed(command.redirects):
        if is_input(redirect):
            return redirect.operator not in HERE and scalar(redirect.target) != "/dev/null"
    return command.shares_input


def turns_input(event: Event) -> bool:
    """Whether this gives the shell itself another standard input: `exec < file`."""
    if not isinstance(event, SimpleCommand) or not (event.redirects and event.words):
        return False
    first = event.words[0]
    is_exec = isinstance(first, Word) and first.text == "exec"
    return is_exec and any(map(is_input, event.redirects))


def mixes_messages(redirect: Redirect) -> bool:
    """Whether standard error may go where standard output goes: `2>&1`, `&>file`, `>&2`."""
    return "&" in redirect.operator


def makes_input_output(redirect: Redirect, events: "list[Event]") -> bool:
    """Whether standard output or standard error may become a file that is open for reading."""
    operator, into = redirect.operator, _number(redirect.descriptor)
    if operator == "<":
        return into in _OUTPUTS
    if operator not in ("<&", ">&"):
        return False
    into = into or ("1" if operator == ">&" else "0")
    if into == "0" or (operator == "<&" and into not in _OUTPUTS):
        return False
    if redirect.target.text is None:
        return True
    source = _number(redirect.target.text.removesuffix("-"))
    if not source.isdigit() or source in _OUTPUTS:
        return False
    return source == "0" or not _only_written(source, events)


def _only_written(descriptor: str, events: "list[Event]") -> bool:
    """Whether the text itself opens this descriptor, and never for reading."""
    operators = {r.operator[0] for r in _redirects(events) if _number(r.descriptor) == descriptor}
    return operators == {">"}


def _redirects(events: "list[Event]") -> "Iterator[Redirect]":
    for event in events:
        if isinstance(event, SimpleCommand | CompoundRedirects):
            yield from event.redirects


def _is_descriptor(path: str) -> bool:
    return path.startswith("/dev/fd/") and path[8:].isascii() and path[8:].isdigit()


def _number(text: str) -> str:
    """The number without leading zeros."""
    return text.lstrip("0") or text[-1:]


def duplicates(path: "str | Dynamic") -> bool:
    """Whether the target of `>&` or `<&` is a file descriptor, or the sign that closes one."""
    return isinstance(path, str) and (path == "-" or path.removesuffix("-").isdigit())


def network(path: "str | Dynamic") -> str:
    """The protocol of a path such as `/dev/tcp/host/80`; empty for any other path."""
    text = path if isinstance(path, str) else path.prefix
    for protocol in ("tcp", "udp"):
        if text.startswith(f"/dev/{protocol}/"):
            return protocol
    return ""

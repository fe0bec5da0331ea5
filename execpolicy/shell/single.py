"""Whether a script text is one command, or one that others read the output of.

Such a command needs no shell to run.
"""

import os
from _collections_abc import Iterable, Iterator

from execpolicy.shell.syntax import tree
from execpolicy.shell.syntax.grammar import parse
from execpolicy.shell.syntax.state import MAX_TEXT
from execpolicy.support.record import Value


class Single(Value):
    """One command: its `text`, and the `directory` to which a `cd` before it leads.

    `streams` are its redirections: a descriptor, and where it leads, which is the number of another
    one or `/dev/null`. `rest` is what reads its output; empty where nothing does.
    """

    text: str
    streams: tuple[tuple[int, str], ...] = ()
    rest: str = ""
    directory: str = ""


def single(text: str) -> Single | None:
    """The one command of a text for bash, where nothing but a `cd` comes before it and nothing but
    a pipe after it.

    It has no redirections but those of `Single.streams`; None for every other text.

    >>> single("cd a && git fetch -q 2>&1 | tail -5")
    Single(text='git fetch -q', streams=((2, '1'),), rest='tail -5', directory='a')
    >>> single("git fetch && make")
    """
    if len(text) > MAX_TEXT or "\0" in text:
        return None
    try:
        read = parse(text, "bash")
    except RecursionError:
        return None
    if read.failure is not None:
        return None
    directory, nodes = _after_cd([*flat(read.inside)])
    while nodes and _ends_line(nodes[-1]):
        nodes.pop()
    if len(nodes) != 1:
        return None
    whole, found = nodes[0], None
    if isinstance(whole, tree.SimpleCommand):
        found = _alone(whole, text)
    elif isinstance(whole, tree.Pipeline):
        found = _begins_pipe(whole, text)
    return found and found.replace(directory=directory)


def flat(nodes: "Iterable[tree.Node]") -> "Iterator[tree.Node]":
    """The pipelines of a list, and the signs between them."""
    for node in nodes:
        if isinstance(node, tree.List | tree.AndOr):
            yield from flat(node.inside)
        else:
            yield node


def _after_cd(nodes: "list[tree.Node]") -> "tuple[str, list[tree.Node]]":
    """Where `cd` leads to, and what comes after it."""
    where = ""
    while len(nodes) > 2 and isinstance(nodes[0], tree.SimpleCommand) and _goes_on(nodes[1]):
        to = changed_to(nodes[0])
        if to is None:
            break
        where, nodes = os.path.join(where, to), nodes[2:]
    return where, nodes


def changed_to(command: tree.SimpleCommand) -> str | None:
    """The directory that a plain `cd` changes to; None for every other command."""
    words = [word.text for word in command.words if isinstance(word, tree.Word)]
    if command.redirects or command.assignments or len(words) != len(command.words):
        return None
    name, to = words if len(words) == 2 else (None, None)
    return to if name == "cd" and to is not None and to[:1] not in ("", "-") else None


def _begins_pipe(whole: tree.Pipeline, text: str) -> Single | None:
    """The first of commands that are joined by `|`."""
    signs = [one.text for one in whole.inside if isinstance(one, tree.Sign)]
    commands = [one for one in whole.inside if isinstance(one, tree.SimpleCommand)]
    if set(signs) != {"|"} or len(commands) + len(signs) != len(whole.inside):
        return None
    if any(each.body is not None for one in commands for each in one.redirects):
        return None
    if text[commands[0].end : commands[1].start].strip() != "|":  # `|&` joins the errors, too
        return None
    first = _alone(commands[0], text)
    return first and first.replace(rest=text[commands[1].start : commands[-1].end])


def _alone(command: tree.SimpleCommand, text: str) -> Single | None:
    words = [word for word in command.words if isinstance(word, tree.Word)]
    if not words or len(words) != len(command.words):
        return None
    if any(each.start < words[-1].end for each in command.redirects):  # more words follow it
        return None
    streams = [one for each in command.redirects for one in _leads(each)]
    if (2, "") in streams:
        return None
    end = command.redirects[0].start if command.redirects else command.end
    return Single(text[command.start : end].rstrip(), tuple(streams))


def _goes_on(node: tree.Node) -> bool:
    return _ends_line(node) or (isinstance(node, tree.Sign) and node.text == "&&")


def _ends_line(node: tree.Node) -> bool:
    return isinstance(node, tree.Sign) and node.text in ("\n", ";")


def _leads(redirect: tree.Redirect) -> "tuple[tuple[int, str], ...]":
    """Where a redirection leads each descriptor; to nowhere for one of another kind."""
    where = redirect.target.text or ""
    known = _STREAMS.get((redirect.operator, redirect.descriptor or "", where))
    return known if redirect.body is None and known else ((2, ""),)


_NOTHING = "/dev/null"
_STREAMS = {
    (">&", "2", "1"): ((2, "1"),),
    (">&", "1", "2"): ((1, "2"),),
    (">&", "", "2"): ((1, "2"),),
    ("&>", "", _NOTHING): ((1, _NOTHING), (2, "1")),
    (">&", "", _NOTHING): ((1, _NOTHING), (2, "1")),
    (">", "", _NOTHING): ((1, _NOTHING),),
    (">", "1", _NOTHING): ((1, _NOTHING),),
    (">", "2", _NOTHING): ((2, _NOTHING),),
    ("<", "", _NOTHING): ((0, _NOTHING),),
}

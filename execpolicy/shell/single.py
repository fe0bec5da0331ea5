"""Whether a script text is one command, or one that others read the output of.

Such a command needs no shell to run.
"""

from execpolicy.shell.syntax import tree
from execpolicy.shell.syntax.grammar import parse
from execpolicy.shell.syntax.state import MAX_TEXT
from execpolicy.support.record import Value


class Single(Value):
    """One command. `joined`: what it says on its error stream goes where its output goes.

    `text` is the command without that, `rest` what reads its output; empty where nothing does.
    """

    text: str
    joined: bool = False
    rest: str = ""


def single(text: str) -> Single | None:
    """The one command that a text for bash begins with, where nothing but a pipe follows it.

    It has no assignments and no redirections but `2>&1`; None for every other text.

    >>> single("git fetch -q 2>&1 | tail -5")
    Single(text='git fetch -q', joined=True, rest='tail -5')
    >>> single("git fetch && make")
    """
    if len(text) > MAX_TEXT or "\0" in text:
        return None
    try:
        read = parse(text, "bash")
    except RecursionError:
        return None
    nodes = [one for one in read.inside if not _ends_line(one)]
    if read.failure is not None or len(nodes) != 1:
        return None
    whole = nodes[0]
    if isinstance(whole, tree.SimpleCommand):
        return _alone(whole, text)
    return _begins_pipe(whole, text) if isinstance(whole, tree.Pipeline) else None


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
    if command.assignments or not all(isinstance(word, tree.Word) for word in command.words):
        return None
    joins = command.redirects
    if not command.words or len(joins) > 1 or not all(map(_joins, joins)):
        return None
    if joins and joins[0].end != command.end:  # more words follow it
        return None
    end = joins[0].start if joins else command.end
    return Single(text[command.start : end].rstrip(), bool(joins))


def _ends_line(node: tree.Node) -> bool:
    return isinstance(node, tree.Sign) and node.text in ("\n", ";")


def _joins(redirect: tree.Redirect) -> bool:
    where = redirect.operator, redirect.descriptor, redirect.target.text
    return redirect.body is None and where == (">&", "2", "1")

"""Who opens a path: the program that names it, a redirection, a file tool of an agent's host.

A program is one by its name with its subcommands, or by all of its words.
"""

from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Access, Exec
from execpolicy.model.rule import REDIRECTION, TOOL, PathRule


def openers(access: Access, number: int, scene: Scene) -> tuple[str, ...]:
    """The programs that get a path, each with its subcommands; none where they are not known.

    What a redirection reads goes to all programs of its command: `timeout 5 wc < FILE`.
    """
    step = _opening(number, scene)
    if isinstance(step.operation, Exec):
        return (_name(step),) if scene.planted(step.operation.argv[0]) is None else ()
    if not scene.is_command:
        return (TOOL,)
    if access.mode != "read":
        return (REDIRECTION,)
    around = [each for each in scene.steps if _spans(each.operation, access)]
    begin = max((each.operation.span[0] for each in around if each.operation.span), default=-1)
    found = [each for each in around if each.operation.span and each.operation.span[0] == begin]
    return tuple(dict.fromkeys(map(_name, found)))


def _opening(number: int, scene: Scene) -> ExpandedOperation:
    """The command that opens what one of these words names: of what runs in a container or on
    another machine, where that path is another, the one that starts it there."""
    found = step = scene.steps[number]
    while step.outer is not None:
        step = scene.steps[step.outer]
        if step.reading is not None and step.reading.unless_inner_reads:
            found = step
    return found


def _spans(operation: object, access: Access) -> bool:
    """Whether a redirection stands in the text of a command."""
    if not isinstance(operation, Exec) or operation.span is None or access.span is None:
        return False
    return operation.span[0] <= access.span[0] and access.span[1] <= operation.span[1]


def narrowed(access: Access, number: int, scene: Scene) -> tuple[str, ...]:
    """The same for a rule about this access alone: who reads, and is told by other words what of
    it to show, is meant with all of its words (`grep KEY .env`)."""
    found, step = openers(access, number, scene), _opening(number, scene)
    if access.mode != "read" or not (found and step.argv and _has_more(step)):
        return found
    whole = _words(step)
    return (whole,) if whole else ()


def _has_more(step: "ExpandedOperation") -> bool:
    """Whether a command has more words than its name and the paths that it opens."""
    name = step.reading.path if step.reading is not None else ()
    return not {*step.argv[1:]} <= {*name, *(access.path for access in step.accesses)}


def _words(step: "ExpandedOperation") -> str:
    """All the words of a command; empty where one is computed, or is a text, as of a program: that
    will not come again."""
    from shlex import join

    words = [word for word in step.argv if isinstance(word, str) and len(word.split()) < 2]
    return join(words) if len(words) == len(step.argv) else ""


def _name(step: "ExpandedOperation") -> str:
    return " ".join(step.reading.path) if step.reading is not None else ""


def holds(rule: PathRule, access: Access, number: int, scene: Scene) -> bool:
    """Whether a rule is about those who open this path; one that tightens is about all."""
    if not rule.programs or rule.decision:
        return True
    found = openers(access, number, scene)
    by_name = set(found) <= set(rule.programs)
    return bool(found) and (by_name or _words(_opening(number, scene)) in rule.programs)

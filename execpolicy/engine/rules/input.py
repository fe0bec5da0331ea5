"""Whether an allow rule holds for what a command reads from its standard input.

What a program is told there can be all that it does: `python3 -`, `psql`, `ssh host`. A rule that
names the words alone says nothing about it, so it covers such a call only where its `stdin` has
the digest of that very text, or `any`.
"""

from _collections_abc import Iterator

from execpolicy.catalogue import Reading
from execpolicy.catalogue.reading.cause import Cause, CommandPart
from execpolicy.catalogue.reading.reading import STREAM
from execpolicy.engine.scene import RequestCommand
from execpolicy.model.operation import UNNAMED, Access, Dynamic, Exec
from execpolicy.model.rule import ANY_INPUT, INPUT_DIGEST, PrefixRule

_ACTING = frozenset(("execute", "system", "remote", "privilege", "destroy", "unknown"))
"""Effects that a text on standard input may decide, also where the entry says nothing of it."""
_ELSEWHERE = frozenset(("network", "remote", "system", "privilege"))
"""Effects of which a file may say where: what is sent, and to whom."""
_STDIN = "stdin"
"""What is in the names of options by which a program reads its standard input."""


def covers(rule: PrefixRule, command: RequestCommand) -> bool:
    """Whether an allow rule holds for the input of a command."""
    if not obeys(command):
        return True
    wanted = rule.conditions.stdin if rule.conditions else ()
    return ANY_INPUT in wanted or (bool(wanted) and digest(command.operation) in wanted)


def obeys(command: RequestCommand) -> bool:
    """Whether what comes in by standard input may say what the command does."""
    reading, operation = command.reading, command.operation
    if says(reading):
        return True
    given = operation.stdin is not None or operation.fed_by or operation.redirected
    by_option = any(_STDIN in word for word in _options(operation))
    by_word = reading.names_input or not STREAM.isdisjoint(operation.argv)
    if not (given or by_word or by_option) or _is_detached(command):
        return False
    if any(_depends_on_names(cause, by_word, by_option) for cause in reading.effects):
        return True
    # Where a word is the text of the program (`python3 -c TEXT`), what it reads is data.
    acting = {cause.effect for cause in reading.effects} & _ACTING
    return bool(acting) and not (acting == {"execute"} and reading.holds_code)


def may_obey_files(cause: Cause) -> bool:
    """Whether files may say what has this effect: what is sent, to whom, where it is written."""
    at = cause.subject
    unnamed = isinstance(at, Access) and at.extent in UNNAMED
    return unnamed or cause.effect in _ELSEWHERE


def _depends_on_names(cause: Cause, by_word: bool, by_option: bool) -> bool:
    """Whether names on standard input may say what is changed, reached or shown: an option that is
    called after it, or a `-`, has the program read such names (`git update-ref --stdin`,
    `wget -i -`); which files a patch changes, or which secret is shown, stands in no word."""
    if cause.effect == "network":
        return by_word or by_option
    access = cause.subject
    unnamed = isinstance(access, Access) and access.extent in UNNAMED
    return cause.secret or (cause.effect == "write" and (by_option or unnamed))


def _options(operation: Exec) -> "Iterator[str]":
    return (word for word in operation.argv if isinstance(word, str) and word[:1] == "-")


def says(reading: "Reading") -> bool:
    """Whether the catalogue says so of these words."""
    return any(c.by.part is CommandPart.STDIN for c in reading.effects)


def _is_detached(command: RequestCommand) -> bool:
    """Whether the command gets words from xargs, which leaves it no input (xargs(1))."""
    if command.scene.steps[command.number].outer is None or command.reading.names_input:
        return False
    return any(isinstance(w, Dynamic) and "…" in w.source for w in command.operation.argv)


def digest(operation: Exec) -> str:
    """The digest of the text that a command reads; empty where not all of it is written out."""
    if not isinstance(operation.stdin, str) or operation.redirected:
        return ""
    return text_digest(operation.stdin)


def text_digest(text: str) -> str:
    """The digest of a text as a rule names it: that of its bytes in UTF-8."""
    from hashlib import sha256

    return INPUT_DIGEST + sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

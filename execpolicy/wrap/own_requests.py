"""What an agent asks the supervisor itself: a host's event, and a few sub-commands of this program.

They are known by their words, and answered without a program: a process that sends them learns what
the policy says, and is granted nothing by it but to take back what this session did.
"""

import os
from _collections_abc import Sequence

from execpolicy.hosts.install.start_words import BARE, CLIENT, ISOLATED
from execpolicy.hosts.protocols import AGENTS
from execpolicy.hosts.shell_calls import CallRole, ShellCall
from execpolicy.hosts.shell_calls.own import words_alone
from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value
from execpolicy.support.resources import compiled, package_directory

PROGRAM = "execpolicy"
MAX_OPTIONS = 4


class OwnKind(OrderedEnum):
    """What is asked."""

    HOOK = 0
    """A host's event; `words` is the host."""
    CHECK = 1
    """What the policy says to a command: a text, or its words."""
    BRIEF = 2
    """What an agent should know."""
    PENDING = 3
    """What of this session waits for the user."""
    UNDO = 4
    """Take back a call of this session, or show what is kept of them; `words` are all words."""


class OwnRequest(Value):
    """What is asked, with the words or the text that it is about."""

    kind: OwnKind
    words: tuple[str, ...] = ()
    text: str | None = None


def own_request(argv: "Sequence[str]", call: "ShellCall | None") -> OwnRequest | None:
    """What these words ask of the supervisor; None where they are a command like any other.

    A text that an agent has its own words around runs as it is: those have to run, too.
    """
    if call is not None and (call.role is CallRole.OWN or call.snapshot or call.writes):
        return None
    if call is not None:
        argv = (call.shell, "-c", call.command)
    found = words_alone(argv)
    words = [word for word in found if word is not None]
    if len(words) != len(found):
        return None
    given = words[_started(words) :]
    return _read(given[0], given[1:]) if given else None


def _started(words: "list[str]") -> int:
    """How many words start this program: its name, or as a host's configuration has it."""
    main = os.path.join(package_directory(), "__main__.py")
    begins = 1 if words[:1] == [compiled(CLIENT)] else 0
    started = words[begins:]
    if main in started[:MAX_OPTIONS] and started[0].rpartition("/")[2].startswith("python"):
        at = started.index(main)
        options = tuple(word for word in started[1:at] if word != BARE)
        return begins + at + 1 if options in ISOLATED else len(words)
    directory, _, name = (words or [""])[0].rpartition("/")
    return 1 if name == PROGRAM and directory[:1] in ("", "/") else len(words)


def _read(name: str, given: "list[str]") -> OwnRequest | None:
    if name == "hook" and len(given) == 1 and given[0] in AGENTS:
        return OwnRequest(OwnKind.HOOK, tuple(given))
    if name in ("brief", "pending") and not given:
        return OwnRequest(OwnKind.BRIEF if name == "brief" else OwnKind.PENDING)
    if name == "undo" and not any(word.startswith("--cwd") for word in given):
        return OwnRequest(OwnKind.UNDO, tuple(given))
    if name == "check" and len(given) == 2 and given[0] == "-c":
        return OwnRequest(OwnKind.CHECK, text=given[1])
    if name == "check" and len(given) > 1 and given[0] == "--":
        return OwnRequest(OwnKind.CHECK, tuple(given[1:]))
    return None

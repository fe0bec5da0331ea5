"""Commands with places that a chooser fills in, and keys that are bound to them (fzf(1)).

fzf quotes what it puts in place of `{}`, `{2}`, `{q}` and the like, unless the place itself stands
in quotes or has the flag `r`; then anything can come of it. So it can of `{fzf:query}`.
"""

import re

from execpolicy.support.resources import words_of

_PLACE = re.compile(r"\{(?:q(?::[0-9.,s-]*)?|n|\+?[sf+]*[0-9.,-]*|\*[0-9.,sf-]*)\}")
_LEFT = re.compile(r"\{(?:fzf:|[+*sfrnq0-9.,-]*\})")
_KEYS = re.compile(r"[\w./\\\[\]-]+(?:,[\w./-]+)*:")
_ACTION = re.compile(r"[a-z][a-z0-9-]*")
_CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"} | {c: c for c in "~!@#$%^&*;/|"}
_LISTS = words_of("fzf")
_RUNNING = _LISTS["running"]
_HARMLESS = _LISTS["harmless"]


def filled(text: str) -> str | None:
    """The command with parameters of the shell where words will be put, None where that is unsure.

    >>> filled("head -5 {} | grep {q}")
    'head -5 "$1" | grep "$1"'
    """
    last = text.rfind("{")
    if last >= 0 and (any(c in text[: last + 1] for c in "'\"`\\#") or "<<" in text):
        return None  # quotes are not quotes there
    made = _PLACE.sub(lambda m: '"$@"' if m[0][1:2] in "+*" else '"$1"', text)
    return None if _LEFT.search(made) else made


def commands(text: str) -> list[str] | None:
    """The commands that a list of bindings holds, None where it is not understood.

    >>> commands("ctrl-r:reload(ls -a)+clear-query,esc:abort")
    ['ls -a']
    """
    found: list[str] = []
    at = 0
    while at < len(text):
        keys = _KEYS.match(text, at)
        if keys is None:
            return None
        at = keys.end() - 1
        while text[at : at + 1] in (":", "+"):
            end = _action(text, at + 1, found)
            if end is None:
                return None
            at = end
        if text[at : at + 1] not in ("", ","):
            return None
        at += 1
    return found


def _action(text: str, at: int, found: list[str]) -> int | None:
    """Where the action that begins there ends; what it runs is added to `found`."""
    name = _ACTION.match(text, at)
    if name is None:
        return None
    at, argument = name.end(), None
    opener = text[at : at + 1]
    if opener == ":":
        argument, at = text[at + 1 :], len(text)
    elif opener in _CLOSERS:
        end = _closing(text, at, _CLOSERS[opener])
        if end is None:
            return None
        argument, at = text[at + 1 : end], end + 1
    if name[0] in _HARMLESS:
        return at
    kind = name[0].removeprefix("bg-")
    if name[0] not in _RUNNING and not kind.startswith("transform-"):
        return None  # of `transform` alone, what the command prints is taken for actions
    found.append(argument or "")
    return at


def _closing(text: str, at: int, closer: str) -> int | None:
    """The closing sign: the first that a `+`, a `,` or the end follows."""
    end = text.find(closer, at + 1)
    while end >= 0 and text[end + 1 : end + 2] not in ("", "+", ","):
        end = text.find(closer, end + 1)
    return end if end >= 0 else None

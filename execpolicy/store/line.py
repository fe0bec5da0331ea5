"""A rule as the one line that a user would write."""

from _collections_abc import Sequence

from execpolicy.model.decision import Decision
from execpolicy.model.rule import Conditions


def rule_line(
    pattern: "Sequence[str]",
    decision: Decision,
    justification: str | None = None,
    below: bool = False,
    exact: bool = False,
    conditions: Conditions | None = None,
) -> str:
    """A `prefix_rule` call in canonical form, without the newline.

    >>> print(rule_line(("git", "push"), Decision.ALLOW))
    prefix_rule(["git", "push"], decision = "allow")
    """
    tokens = ", ".join(map(quoted, pattern))
    why = "" if justification is None else f", justification = {quoted(justification)}"
    more = ", exact = True" if exact else ""
    for name in Conditions.__fields__ if conditions else ():
        values = getattr(conditions, name)
        more += f", {name} = [{', '.join(map(quoted, values))}]" if values else ""
    more += ", below = True" if below else ""
    return f'prefix_rule([{tokens}], decision = "{decision.word}"{why}{more})'


def paths_line(
    paths: "Sequence[str]",
    modes: "Sequence[str]",
    decision: Decision,
    programs: "Sequence[str]" = (),
) -> str:
    """A `path_rule` call for several paths in canonical form, without the newline."""
    named, listed, bound = (", ".join(map(quoted, each)) for each in (paths, modes, programs))
    more = f", programs = [{bound}]" if programs else ""
    return f'path_rule([{named}], modes = [{listed}], decision = "{decision.word}"{more})'


def network_line(host: str, protocol: str, decision: Decision, ports: "Sequence[int]" = ()) -> str:
    """A `network_rule` call in canonical form, without the newline."""
    more = f", ports = [{', '.join(map(str, ports))}]" if ports else ""
    return f'network_rule({quoted(host)}, {quoted(protocol)}, "{decision.word}"{more})'


def quoted(text: str) -> str:
    """A Starlark string literal of one line, with everything that misleads a reader escaped.

    >>> print(quoted('say "a\\\\n"\\x1b'))
    "say \\"a\\\\n\\"\\u001b"
    """
    return '"' + "".join(_ESCAPES.get(c) or _escape(c) for c in text) + '"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape(char: str) -> str:
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"

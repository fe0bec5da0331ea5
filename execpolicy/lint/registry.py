"""The catalogue of checks: code → severity and what it finds. Each has a page in `docs/lint`.

An `error` keeps the file from being used, a `warning` is most likely a mistake, a `note` is advice.
Errors and warnings make `lint` fail.
"""

from execpolicy.support.record import Value


class Check(Value):
    """How bad a finding of this code is, and what it finds."""

    severity: str
    finds: str


CHECKS = {
    # The file cannot be read or does not parse.
    "character": Check("error", "a character that Starlark does not allow"),
    "encoding": Check("error", "a file that is not UTF-8"),
    "escape": Check("error", "an escape that strings do not know"),
    "indentation": Check("error", "a block whose lines are not indented alike"),
    "limit": Check("error", "a file that takes too much time or memory"),
    "nesting": Check("error", "brackets that nest too deeply"),
    "number": Check("error", "a number that is not written as Starlark writes it"),
    "order": Check("error", "arguments or parameters in the wrong order"),
    "placement": Check("error", "a statement where it cannot stand"),
    "read": Check("error", "a file that cannot be read"),
    "repeated": Check("error", "a name given twice"),
    "reserved": Check("error", "a word that Starlark reserves"),
    "size": Check("error", "a file that is too large"),
    "starlark": Check("error", "a file that fails when it is evaluated"),
    "string": Check("error", "a string that does not end"),
    "syntax": Check("error", "text that does not parse"),
    "tab": Check("error", "a tab where blanks belong"),
    "target": Check("error", "something that cannot be assigned to"),
    "type": Check("error", "a value of a type that no argument takes"),
    # A call is wrong.
    "condition": Check("error", "a condition that is unknown, or not for this decision"),
    "decision": Check("error", "an unknown decision"),
    "environment": Check("error", "an `environment` with wrong arguments"),
    "example": Check("error", "an example that fails"),
    "executable": Check("error", "a `host_executable` whose name or path is not valid"),
    "justification": Check("error", "a blank justification"),
    "network": Check("error", "a network rule or a set of hosts with a host that is not valid"),
    "path": Check("error", "a path rule with a relative path or an unknown mode"),
    "place": Check("error", "a place with an unknown class or a path that it may not name"),
    "pattern": Check("error", "a pattern that is not valid"),
    "program": Check("error", "a catalogue entry whose notation is wrong"),
    "signature": Check("error", "an argument that is unknown, missing or of the wrong type"),
    "unless": Check("error", "an exception that does not begin like its rule"),
    # Tokens.
    "alternatives-repeat": Check("warning", "an alternative that is given twice"),
    "alternatives-single": Check("note", "a list of alternatives with one in it"),
    "token-empty": Check("warning", "an empty token"),
    "token-glob": Check("warning", "a wildcard in a token"),
    "token-operator": Check("warning", "a shell operator in a token"),
    "token-quoted": Check("warning", "a token with quotes of its own"),
    "token-space": Check("warning", "a blank in a token: a script pasted as one token"),
    "token-variable": Check("warning", "a variable or `~` in a token"),
    "head-path": Check("warning", "a rule about a program under a path"),
    # Rules and their neighbours.
    "contradiction": Check("warning", "a rule that another contradicts"),
    "dead": Check(
        "warning", "a rule that stricter rules make useless, or a posture that decides nothing"
    ),
    "never": Check("warning", "a rule whose exceptions take everything"),
    "redundant": Check("warning", "a rule that others make redundant"),
    "undecided": Check("note", "a rule or an exception that takes too long to compare"),
    "unless-never": Check("warning", "an exception that never applies"),
    "unless-undone": Check("warning", "an exception that another rule undoes"),
    # What the catalogue knows.
    "condition-empty": Check("warning", "an empty list of effects, options, places or hosts"),
    "condition-never": Check("warning", "a condition that no command of the rule meets"),
    "input-open": Check("warning", "an allow rule for a program that reads what it does"),
    "banned-prefix": Check("warning", "an allow rule that would allow too much"),
    "evaded-alias": Check("warning", "a rule about one of several names of an option"),
    "evaded-order": Check("warning", "a rule about an option that may stand elsewhere"),
    "evaded-version": Check("note", "a rule about one of several names of a program"),
    "unknown-option": Check("warning", "an option that the program does not have"),
    "unknown-program": Check("warning", "a program whose name looks misspelt"),
    "unknown-subcommand": Check("warning", "a subcommand that looks misspelt"),
    # Examples and reasons.
    "example-missing": Check("note", "a rule without examples"),
    "example-overruled": Check("warning", "an example that another rule decides more strictly"),
    "example-repeated": Check("note", "an example that is given twice"),
    "example-script": Check("warning", "a script as an example"),
    "justification-missing": Check("note", "a prompt or forbidden rule without a reason"),
    # Hosts, networks and paths.
    "host-empty": Check("note", "a `host_executable` without paths"),
    "host-missing": Check("note", "a `host_executable` path that does not exist here"),
    "host-replaced": Check("warning", "a `host_executable` that a later one replaces"),
    "host-unused": Check("note", "a `host_executable` that no rule needs"),
    "host-writable": Check("warning", "a `host_executable` path that others can write to"),
    "network-dead": Check("warning", "a network rule that another makes dead or redundant"),
    "network-name": Check("warning", "a host that no connection can have"),
    "network-set": Check("warning", "a set of hosts that is not defined"),
    "network-tunnel": Check("warning", "methods of requests that go through a tunnel"),
    "path-dead": Check("warning", "a path rule that others make dead or redundant"),
    "path-glob": Check("warning", "a wildcard of shells that paths do not have"),
    "path-slash": Check("warning", "a path that ends in a slash"),
    # Names that the language had before.
    "former-name": Check("note", "an argument by the name that it had before"),
    # Layers.
    "environment-wide": Check("warning", "variables called harmless that are not"),
    "posture-wide": Check("warning", "a posture that allows what is not known"),
    "project-loosens": Check("note", "a rule of a project that loosens"),
    # The language.
    "file-empty": Check("note", "a file without rules"),
    "load-unused": Check("warning", "a `load`, which never finds a file"),
    "name-shadows": Check("warning", "a name that hides a builtin"),
    "name-unused": Check("warning", "a name that is never used"),
    "statement-idle": Check("warning", "a statement without effect"),
    "statement-unreachable": Check("warning", "a statement that is never reached"),
    # Lint itself.
    "ignore-unknown": Check("warning", "an ignore comment with an unknown code"),
    "ignore-unused": Check("warning", "an ignore comment that ignores nothing"),
    "portable-codex": Check("warning", "what Codex does not accept"),
}


def severity(code: str) -> str:
    """`error`, `warning` or `note`; an unknown code is an error."""
    return CHECKS[code].severity if code in CHECKS else "error"

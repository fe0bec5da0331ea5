"""The catalogue of checks: code → severity and what it finds. Each has a page in `docs/lint`.

An `error` keeps the file from being used, a `warning` is most likely a mistake, a `note` is advice.
Errors and warnings make `lint` fail.
"""

CHECKS: dict[str, tuple[str, str]] = {
    # The file cannot be read or does not parse.
    "character": ("error", "a character that Starlark does not allow"),
    "encoding": ("error", "a file that is not UTF-8"),
    "escape": ("error", "an escape that strings do not know"),
    "indentation": ("error", "a block whose lines are not indented alike"),
    "limit": ("error", "a file that takes too much time or memory"),
    "nesting": ("error", "brackets that nest too deeply"),
    "number": ("error", "a number that is not written as Starlark writes it"),
    "order": ("error", "arguments or parameters in the wrong order"),
    "placement": ("error", "a statement where it cannot stand"),
    "read": ("error", "a file that cannot be read"),
    "repeated": ("error", "a name given twice"),
    "reserved": ("error", "a word that Starlark reserves"),
    "size": ("error", "a file that is too large"),
    "starlark": ("error", "a file that fails when it is evaluated"),
    "string": ("error", "a string that does not end"),
    "syntax": ("error", "text that does not parse"),
    "tab": ("error", "a tab where blanks belong"),
    "target": ("error", "something that cannot be assigned to"),
    "type": ("error", "a value of a type that no argument takes"),
    # A call is wrong.
    "condition": ("error", "a condition that is unknown, or not for this decision"),
    "decision": ("error", "an unknown decision"),
    "environment": ("error", "an `environment` with wrong arguments"),
    "example": ("error", "an example that fails"),
    "executable": ("error", "a `host_executable` whose name or path is not valid"),
    "justification": ("error", "a blank justification"),
    "network": ("error", "a network rule or a set of hosts with a host that is not valid"),
    "path": ("error", "a path rule with a relative path or an unknown mode"),
    "place": ("error", "a place with an unknown class or a path that it may not name"),
    "pattern": ("error", "a pattern that is not valid"),
    "program": ("error", "a catalogue entry whose notation is wrong"),
    "signature": ("error", "an argument that is unknown, missing or of the wrong type"),
    "unless": ("error", "an exception that does not begin like its rule"),
    # Tokens.
    "alternatives-repeat": ("warning", "an alternative that is given twice"),
    "alternatives-single": ("note", "a list of alternatives with one in it"),
    "token-empty": ("warning", "an empty token"),
    "token-glob": ("warning", "a wildcard in a token"),
    "token-operator": ("warning", "a shell operator in a token"),
    "token-quoted": ("warning", "a token with quotes of its own"),
    "token-space": ("warning", "a blank in a token: a script pasted as one token"),
    "token-variable": ("warning", "a variable or `~` in a token"),
    "head-path": ("warning", "a rule about a program under a path"),
    # Rules and their neighbours.
    "contradiction": ("warning", "a rule that another contradicts"),
    "dead": ("warning", "a rule that stricter rules make useless"),
    "never": ("warning", "a rule whose exceptions take everything"),
    "redundant": ("warning", "a rule that others make redundant"),
    "undecided": ("note", "a rule or an exception that takes too long to compare"),
    "unless-never": ("warning", "an exception that never applies"),
    "unless-undone": ("warning", "an exception that another rule undoes"),
    # What the catalogue knows.
    "condition-empty": ("warning", "an empty list of effects, options, places or hosts"),
    "condition-never": ("warning", "a condition that no command of the rule meets"),
    "banned-prefix": ("warning", "an allow rule that would allow too much"),
    "evaded-alias": ("warning", "a rule about one of several names of an option"),
    "evaded-order": ("warning", "a rule about an option that may stand elsewhere"),
    "evaded-version": ("note", "a rule about one of several names of a program"),
    "unknown-option": ("warning", "an option that the program does not have"),
    "unknown-program": ("warning", "a program whose name looks misspelt"),
    "unknown-subcommand": ("warning", "a subcommand that looks misspelt"),
    # Examples and reasons.
    "example-missing": ("note", "a rule without examples"),
    "example-overruled": ("warning", "an example that another rule decides more strictly"),
    "example-repeated": ("note", "an example that is given twice"),
    "example-script": ("warning", "a script as an example"),
    "justification-missing": ("note", "a prompt or forbidden rule without a reason"),
    # Hosts, networks and paths.
    "host-empty": ("note", "a `host_executable` without paths"),
    "host-missing": ("note", "a `host_executable` path that does not exist here"),
    "host-replaced": ("warning", "a `host_executable` that a later one replaces"),
    "host-unused": ("note", "a `host_executable` that no rule needs"),
    "host-writable": ("warning", "a `host_executable` path that others can write to"),
    "network-dead": ("warning", "a network rule that another makes dead or redundant"),
    "network-name": ("warning", "a host that no connection can have"),
    "network-set": ("warning", "a set of hosts that is not defined"),
    "network-tunnel": ("warning", "methods of requests that go through a tunnel"),
    "path-dead": ("warning", "a path rule that others make dead or redundant"),
    "path-glob": ("warning", "a wildcard of shells that paths do not have"),
    "path-slash": ("warning", "a path that ends in a slash"),
    # Layers.
    "environment-wide": ("warning", "variables called harmless that are not"),
    "posture-wide": ("warning", "a posture that allows what is not known"),
    "project-loosens": ("note", "a rule of a project that loosens"),
    # The language.
    "file-empty": ("note", "a file without rules"),
    "load-unused": ("warning", "a `load`, which never finds a file"),
    "name-shadows": ("warning", "a name that hides a builtin"),
    "name-unused": ("warning", "a name that is never used"),
    "statement-idle": ("warning", "a statement without effect"),
    "statement-unreachable": ("warning", "a statement that is never reached"),
    # Lint itself.
    "ignore-unknown": ("warning", "an ignore comment with an unknown code"),
    "ignore-unused": ("warning", "an ignore comment that ignores nothing"),
    "portable-codex": ("warning", "what Codex does not accept"),
}


def severity(code: str) -> str:
    """`error`, `warning` or `note`; an unknown code is an error."""
    return CHECKS.get(code, ("error", ""))[0]

"""Arguments that several builtins have: decisions, justifications, dicts, names of hosts."""

from execpolicy.language.calls import Plain
from execpolicy.language.problems import Reporter
from execpolicy.model.decision import Decision

DECISIONS = {d.word: d for d in Decision}
_INSTEAD = {"deny": "forbidden", "block": "forbidden", "refuse": "forbidden", "ask": "prompt"}


def decision_of(word: Plain, report: Reporter) -> Decision:
    """The decision of that name, spelled exactly; FORBIDDEN after reporting any other word."""
    if isinstance(word, str) and word in DECISIONS:
        return DECISIONS[word]
    instead = _INSTEAD.get(str(word).strip().lower(), str(word).strip().lower())
    meant = f"did you mean `{instead}`?" if instead in DECISIONS else None
    hint = meant or "write `allow`, `prompt` or `forbidden`"
    report("decision", f"unknown decision `{word}`", hint, str(word))
    return Decision.FORBIDDEN


def justification_of(text: Plain, report: Reporter) -> str | None:
    """The justification as written, or None; a blank one is reported."""
    if isinstance(text, str) and not text.strip():
        report("justification", "the justification is blank", "say why, or leave it out")
    return text if isinstance(text, str) else None


def mapping(value: Plain) -> dict[str, Plain] | None:
    """A dict as a call is recorded, `{"@": "dict", "v": [["k", 1]]}`; None for anything else, and
    where a key is not a string."""
    items = value.get("v") if isinstance(value, dict) and value.get("@") == "dict" else None
    if not isinstance(items, list):
        return None
    pairs = [i for i in items if isinstance(i, list) and len(i) == 2 and isinstance(i[0], str)]
    return {str(k): v for k, v in pairs} if len(pairs) == len(items) else None


def normal_host(given: str) -> str:
    """The host in lower case, without port, brackets and trailing dots.

    Raises `ValueError` where it is not a host: a URL, a path, a wildcard, white space inside. Those
    who take a wildcard have taken it off. A name in other letters stays as it is: IDNA folds it.
    """
    host = given.strip()
    if not host:
        raise ValueError("it is empty")
    for mark in ("://", "/", "?", "#"):
        if mark in host:
            raise ValueError(f"it contains `{mark}`")
    if host.startswith("["):
        host, bracket, port = host[1:].partition("]")
        if not bracket or (port and not (port[0] == ":" and _digits(port[1:]))):
            raise ValueError("text after the closing bracket is not a port")
    elif host.count(":") == 1:
        name, _, port = host.partition(":")
        host = name if _digits(port) else host
    host = host.rstrip(".").strip()
    host = host.lower() if host.isascii() else host
    if not host:
        raise ValueError("it is empty")
    if "*" in host:
        raise ValueError("a wildcard is `*.` or `**.` in front of a name")
    if any(c.isspace() for c in host):
        raise ValueError("it contains white space")
    return host


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()

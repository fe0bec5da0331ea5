"""What a client is told that does not get through: a status, a word for programs, and why."""

from execpolicy.model.rule import NetworkRule
from execpolicy.policy.network_hosts import UNDECIDED, Attempt, Ruling, narrowest_rule
from execpolicy.support.json_encode import encode

ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_PHRASES = {400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway", 503: "Service Unavailable"}
_WORDS = {"no-rule": "allowlist", "port": "allowlist", "method": "method-policy"}
_WORDS |= {"rule": "denylist", "tunnel": "method-policy"}


def refused(attempt: Attempt, ruling: Ruling) -> bytes:
    """The answer to an attempt that the rules or the user refuse.

    The word after `blocked-by-` is Codex's where Codex has one.
    """
    word = f"blocked-by-{_WORDS.get(ruling.reason, 'policy')}"
    allow = {"allow": _rule(narrowest_rule(attempt))} if ruling.reason in UNDECIDED else {}
    return _answer(403, word, {**_subject(attempt), **_ruling(ruling), **allow})


def unreachable(attempt: Attempt, reason: str, why: str) -> bytes:
    """The answer where the host is allowed and does not answer."""
    return _answer(502, "upstream", {**_subject(attempt), "reason": reason, "message": why})


def malformed(why: str) -> bytes:
    """The answer to what is not a request."""
    return _answer(400, "malformed", {"reason": "malformed", "message": why})


def crowded() -> bytes:
    """The answer where there are too many connections."""
    why = "too many connections at once"
    return _answer(503, "limit", {"reason": "limit", "message": why})


def _answer(status: int, word: str, body: dict[str, object]) -> bytes:
    text = encode({"status": status, **body}).encode() + b"\n"
    head = (
        f"HTTP/1.1 {status} {_PHRASES[status]}\r\nx-proxy-error: {word}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(text)}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode() + text


def _subject(attempt: Attempt) -> dict[str, object]:
    return {"host": attempt.host.text, "port": attempt.port, "protocol": attempt.protocol}


def _rule(rule: NetworkRule) -> str:
    """A rule as the user would write it; its host is one, so nothing in it has to be quoted."""
    word = rule.decision.word
    ports = f", ports = [{', '.join(map(str, rule.ports))}]" if rule.ports else ""
    return f'network_rule("{rule.host}", "{rule.protocol}", "{word}"{ports})'


def _ruling(ruling: Ruling) -> dict[str, object]:
    said: dict[str, object] = {"reason": ruling.reason, "message": ruling.why}
    if ruling.rule is not None:
        said["rule"] = _rule(ruling.rule)
        said["file"], said["line"] = ruling.rule.origin.file, ruling.rule.origin.line
    return said

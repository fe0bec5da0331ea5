"""JSON in and its fields out, without importing `json`, which costs more than reading it."""

from execpolicy.hosts.payloads.protocol import Payload, PayloadError

MAX_BYTES = 32 * 1024 * 1024


class _Context:
    """How the scanner reads: strictly, into plain values (`json.JSONDecoder` has these fields)."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def parse(data: bytes) -> "Payload":
    """The JSON object in these bytes. Raises `PayloadError`."""
    if len(data) > MAX_BYTES:
        raise PayloadError(f"it is longer than {MAX_BYTES} bytes")
    try:
        text = data.decode().strip("\ufeff \t\r\n")
    except UnicodeDecodeError as error:
        raise PayloadError(f"it is not UTF-8: {error.reason}") from None
    return parse_text(text, "it")


def parse_text(text: str, noun: str) -> "Payload":
    """The JSON object in this text, which a message calls `noun`. Raises `PayloadError`."""
    value = _value(text, noun)
    if not isinstance(value, dict):
        raise PayloadError(f"{noun} is not a JSON object")
    return value


def _value(text: str, noun: str) -> object:
    try:
        from _json import make_scanner

        value, end = make_scanner(_Context)(text, 0)  # type: ignore[arg-type]
        if end == len(text):
            return value
    except Exception:  # noqa: S110 — what is wrong, `json` says in words
        pass
    import json

    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        what, place = error.msg.lower(), f"line {error.lineno}, column {error.colno}"
        raise PayloadError(f"{noun} is not JSON: {what} at {place}") from None
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"{noun} is not JSON: {error}") from None


def text(payload: "Payload", *names: str) -> str:
    """The text under the first of these names that is there. Raises `PayloadError`."""
    value = optional(payload, *names)
    if value is None:
        raise PayloadError(f"`{names[0]}` is missing")
    return value


def optional(payload: "Payload", *names: str) -> str | None:
    """The text under one of these names; None where there is none, or null."""
    for name in names:
        value = payload.get(name)
        if value is not None:
            if not isinstance(value, str):
                raise PayloadError(f"`{name}` is not a text")
            return value
    return None


def table(payload: "Payload", *names: str) -> "Payload":
    """The object under one of these names. A text that holds one counts: some hosts send that."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str):
            value = parse_text(value.strip(), f"`{name}`")
        if value is not None:
            if not isinstance(value, dict):
                raise PayloadError(f"`{name}` is not an object")
            return value
    raise PayloadError(f"`{names[0]}` is missing")


def added(payload: "Payload", name: str) -> tuple[str, ...]:
    """The directories of a list of them after the first, which is where the session began."""
    found = payload.get(name)
    every = found[1:] if isinstance(found, list) else ()
    return tuple(path for path in every if isinstance(path, str) and path[:1] == "/")


def hint(payload: "Payload", *names: str) -> str | None:
    """A text that is of use but not needed: anything else under these names counts as none."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return None

"""JSON of plain values without importing `json`, which costs more than writing a line of it."""


def _text(value: str) -> str:
    """A text in quotes. Most need nothing else, and then the module that knows the rest."""
    if value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return _quoted(value)


def _quoted(value: str) -> str:
    try:
        from _json import encode_basestring_ascii as quote
    except ImportError:  # another implementation of Python
        from json.encoder import py_encode_basestring_ascii as quote
    quoted: str = quote(value)
    return quoted


def encode(value: object) -> str:
    """The value on one line, in ASCII: texts, numbers, booleans, None, lists, dicts with text keys.

    >>> encode({"a": [1, True, None, "é\\n"]})
    '{"a": [1, true, null, "\\\\u00e9\\\\n"]}'
    """
    if isinstance(value, str):
        return _text(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(k)}: {encode(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(encode, value)) + "]"
    raise TypeError(f"`{type(value).__name__}` has no JSON form here")

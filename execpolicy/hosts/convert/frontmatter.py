"""The front matter of a Markdown file: the plain part of YAML that is used there.

Only what is asked for is read, so a description may be as free as it likes. What this reader does
not know is an error and never skipped: a refusal could stand in it.
"""

import re
from collections.abc import Collection

from execpolicy.model.errors import ExecPolicyError

Line = tuple[int, str]

_KEY = re.compile(
    r"""("[^"\\]*"|'(?:[^']|'')*'|[^\s&*!|>%@`"'\#{}\[\],?:<-][^\#]*?)\s*:(?:\s+(.*))?$"""
)
_PLAIN = re.compile(r"""(?:[^\s&*!|>%@`"'\#{}\[\],?:-]|[?:-](?=\S)).*$""")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None, "~": None}


def read(text: str, keys: Collection[str]) -> dict[str, object]:
    """The values of these keys, as far as they are there: texts, truths, lists and objects.

    Raises `ExecPolicyError` for a value, or a form of the whole, that is not understood.
    """
    found: dict[str, object] = {}
    for key, first, lines in _entries(_front(text)):
        if key in keys:
            if key in found:
                raise ExecPolicyError(f"front matter: `{key}` is there twice")
            found[key] = _value(first, lines)
    return found


def _front(text: str) -> list[str]:
    """The lines between the marks; to the end where no mark closes them."""
    text = text.removeprefix("\ufeff")
    if not text.startswith("---") or text.startswith("----"):
        return []
    head, *lines = re.split(r"\r\n|\n|\r", text)  # YAML knows no other ends of lines
    if head[3:].strip() not in ("", "yaml", "yml"):
        raise ExecPolicyError(f"front matter: `{head[:40]}` is not YAML")
    ends = (number for number, line in enumerate(lines) if line.startswith("---"))
    return lines[: next(ends, len(lines))]


def _entries(lines: list[str]) -> list[tuple[str, str, list[Line]]]:
    """Each key of the outermost object, with what follows it on its line, and the lines below."""
    found: list[tuple[str, str, list[Line]]] = []
    for line in lines:
        bare = line.strip()
        if not bare or line.startswith("#"):
            continue
        inside = line[0].isspace() or bare == "-" or line.startswith("- ")
        if inside and found:
            found[-1][2].append((len(line) - len(line.lstrip()), line.strip()))
            continue
        match = None if inside else _KEY.match(line.rstrip())
        if match is None:
            raise _odd(bare)
        found.append((_key(match[1]), _bare(match[2] or ""), []))
    return found


def _value(first: str, lines: list[Line]) -> object:
    lines = [(indent, text) for indent, text in lines if not text.startswith("#")]
    if first:
        if lines:
            raise _odd(first)
        return _scalar(first)
    if not lines:
        return None
    if lines[0][1].startswith("- "):
        return [_item(line, lines[0][0]) for line in lines]
    return _object(lines)


def _item(line: Line, indent: int) -> object:
    if line[0] != indent or not line[1].startswith("- "):
        raise _odd(line[1])
    return _scalar(_bare(line[1][2:].strip()))


def _object(lines: list[Line]) -> dict[str, object]:
    found: dict[str, object] = {}
    indent = lines[0][0]
    starts = [n for n, line in enumerate(lines) if line[0] == indent]
    if any(line[0] < indent for line in lines):
        raise _odd(lines[0][1])
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        text = lines[start][1]
        match = _KEY.match(text)
        if match is None or _key(match[1]) in found:
            raise _odd(text)
        found[_key(match[1])] = _value(_bare(match[2] or ""), lines[start + 1 : end])
    return found


def _key(text: str) -> str:
    return str(_scalar(text)) if text[0] in "\"'" else text


def _bare(text: str) -> str:
    """What stands before a comment."""
    if text[:1] in ('"', "'"):
        end = text.find(text[0], 1)
        behind = text[end + 1 :].strip()
        return text[: end + 1] if behind.startswith("#") else text.strip()
    return "" if text.startswith("#") else text.partition(" #")[0].strip()


def _scalar(text: str) -> object:
    if text[:1] == "[" and text[-1:] == "]" and not set(text[1:-1]) & set("[]{}\"'#"):
        return [_scalar(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    quote = text[:1]
    if quote and quote in "\"'":
        inner = text[1:-1]
        if len(text) < 2 or text[-1] != quote or ("\\" in inner and quote == '"'):
            raise _odd(text)
        inner = inner.replace("''", "\0") if quote == "'" else inner
        if quote in inner:
            raise _odd(text)
        return inner.replace("\0", "'")
    if not _PLAIN.match(text) or ": " in text or text.endswith(":"):
        raise _odd(text)
    return _WORDS.get(text.lower(), text)


def _odd(text: str) -> ExecPolicyError:
    return ExecPolicyError(f"front matter: `{text[:60]}` is not understood")

r"""What `kubectl -o` prints of an object: JSONPath, custom columns and templates of Go.

Objects carry variables (`env`), values (`data`) and a copy of their manifest (`annotations`). Every
path has to end in, or go through, a field of a list, and through none that holds values. What is no
path may name no object: the dot alone, `@`, `$x`, `*`.
"""

import re

from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.support.resources import words_of

_LISTS = words_of("kubernetes")
_HARMLESS = _LISTS["harmless"]
_ANYWHERE = _LISTS["anywhere"]
_HOLDERS = _LISTS["holders"]
_NAME = r"(?:[\w/-]|\\.)+"
_TEXT = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_FILTER = rf"\?\(@(?P<%s>(?:\.[\w-]+)+)\s*(?:[=!]=|[<>]=?)\s*(?:{_TEXT}|-?\d+|true|false)\)"
_INDEX = rf"\[(?:[\d:,-]*|\*|'[\w./-]+'|\"[\w./-]+\"|{_FILTER.replace('%s', 'below')})\]"
_PATH = re.compile(
    rf"(?P<loop>\b(?:range|if|with|len)\s+)?(?:@|\$\w*)?"
    rf"(?P<path>(?:\.\.?{_NAME}|\[['\"])(?:\.\.?{_NAME}|\.?{_INDEX.replace('(?P<below>', '(?:')})*)"
)
_FILTERED = re.compile(_FILTER.replace("%s", "path"))
_STEP = re.compile(rf"\.*({_NAME})|\['([\w./-]+)'\]|\[\"([\w./-]+)\"\]|\[[^\]]*\]")
_SHOWS: list[Effect] = [Effect("secret", "shows the variables and values that it was given")]


def effects(text: str) -> list[Effect]:
    """What the text shows beyond harmless fields.

    >>> effects("{range .items[*]}{.metadata.name}{'\\\\n'}{end}")
    []
    >>> [each.effect for each in effects("{.spec.containers[*].env}")]
    ['secret']
    """
    for found in _PATH.finditer(text):
        if not _is_harmless(found["path"], bool(found["loop"])):
            return _SHOWS
    rest = re.sub(_TEXT, "", _PATH.sub("", text))
    return _SHOWS if set(rest) & set(".@$*[") else []


def _is_harmless(path: str, walked: bool) -> bool:
    """Whether a path shows no values; one that is `walked` shows itself only by other paths."""
    filters = [found["path"] for found in _FILTERED.finditer(path)]
    if not all(_is_harmless(each, walked=False) for each in filters):
        return False
    steps = ["".join(names) for names in _STEP.findall(_FILTERED.sub("0", path))]
    names = [name for name in steps if name]
    if not names or not _HOLDERS.isdisjoint(names):
        return False
    if ".." in path:
        return names[-1] in _ANYWHERE and len(names) == 1
    return walked or not _HARMLESS.isdisjoint(names)

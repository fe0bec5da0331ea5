"""One word, one thing: what the names of classes, functions and modules may be."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.test_architecture import FILES, PACKAGE

SAID_IN_FULL = frozenset(
    (
        *("Answer", "Call", "Command", "Confinement", "Entry", "Options", "Outcome", "Part"),
        *("Variables", "_Reader"),
    )
)
"""Names that say too little to stand for two things anywhere."""

PICTURES = frozenset(
    (
        *("around", "beyond", "fixed", "inside", "look", "noted", "reached", "said", "shallow"),
        "told",
    )
)
"""Pictures for which there are words of bind mounts, namespaces, processes and manual pages."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


def definitions() -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Each class and function of the package, with the path of its file."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield str(path.relative_to(PACKAGE)), node


def classes() -> list[tuple[str, str]]:
    """Each class with the package that it is in."""
    found = [(path, node.name) for path, node in definitions() if isinstance(node, ast.ClassDef)]
    return [(path.partition("/")[0], name) for path, name in found]


def test_no_package_has_two_classes_of_one_name() -> None:
    counts = Counter(classes())
    assert len(counts) > 500
    assert [which for which, count in counts.items() if count > 1] == []


def test_what_says_too_little_is_the_name_of_one_class_at_most() -> None:
    counts = Counter(name for _, name in classes())
    assert [name for name in sorted(SAID_IN_FULL) if counts[name] > 1] == []


def parts(name: str) -> set[str]:
    """The words of a name in lower case.

    >>> sorted(parts("_is_insideOut"))
    ['inside', 'is', 'out']
    """
    return {word.lower() for word in _WORD.findall(name)}


def test_no_name_is_a_picture() -> None:
    named = [(path, node.name) for path, node in definitions() if parts(node.name) & PICTURES]
    folders = {part for path in FILES for part in path.relative_to(PACKAGE).with_suffix("").parts}
    assert named == []
    assert [name for name in sorted(folders) if parts(name) & PICTURES] == []

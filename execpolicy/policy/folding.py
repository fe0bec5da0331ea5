"""Paths in the form in which names that a file system may take for equal are equal."""

from _collections_abc import Sequence


def folded_all(paths: "Sequence[str]") -> "Sequence[str]":
    """Many paths as `fold` gives each, where none is out of the ordinary in one go."""
    text = "\n".join(paths)
    strange = text.count("\n") >= len(paths) or True in [sign in text for sign in _STRANGE]
    if strange or not text.isascii() or text[-1:] in (".", " "):
        return [fold(path) for path in paths]
    return text.lower().split("\n") if paths else ()


_STRANGE = ("\\", ". ", "./", " /", ".\n", " \n")


def fold(path: str) -> str:
    """The path in the form in which names that a file system may take for equal are equal."""
    if not path.isascii():
        from unicodedata import normalize

        path = normalize("NFC", path)
    if "\\" in path:
        path = path.replace("\\", "/")
    path = path.lower()
    if ". " in path or "./" in path or " /" in path or path[-1:] in (".", " "):
        parts = path.split("/")
        path = "/".join(p if p in (".", "..") else p.rstrip(" .") or p for p in parts)
    return path

"""`lint --explain`: the page of `docs/lint` about a code."""

import os

from execpolicy.commands.arguments import meant
from execpolicy.model.errors import UsageError, printable
from execpolicy.support.resources import pages_directory

INDEX = "codes"
_FILES = {INDEX: "README"}


def codes() -> tuple[str, ...]:
    """Every code that has a page."""
    names = (name.removesuffix(".md") for name in os.listdir(pages_directory()))
    return tuple(sorted(name for name in names if name not in _FILES.values()))


def page(code: str) -> str:
    """The text of the page about a code, or the list of all. Raises `UsageError`."""
    if code not in (INDEX, *codes()):
        shown = printable(code, 40)
        advice = f"`execpolicy lint --explain {INDEX}` lists them"
        raise UsageError(f"unknown code `{shown}`{meant(code, codes())} ({advice})")
    path = os.path.join(pages_directory(), f"{_FILES.get(code, code)}.md")
    with open(path, encoding="utf-8") as file:
        return file.read()

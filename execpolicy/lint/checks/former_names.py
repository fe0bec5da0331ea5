"""Arguments by a name that they had before: the file loads, and a machine can rename them."""

from collections.abc import Iterator

from execpolicy.language.builtins.environment import FORMER_NAMES
from execpolicy.lint.finding import Edit, Finding
from execpolicy.lint.subject import Context, Site, Subject


def check(subject: Subject, _context: Context) -> Iterator[Finding]:
    """Every argument that is written by its former name."""
    for site in subject.sites:
        if site.call.name == "environment":
            for former in FORMER_NAMES.keys() & site.call.kwargs.keys():
                yield _former(site, former, FORMER_NAMES[former])


def _former(site: Site, former: str, name: str) -> Finding:
    subject, span = site.subject, site.place(name=former)
    edits: tuple[Edit, ...] = ()
    if site.argument(former) is not None and name not in site.call.kwargs:
        start = subject.offset(span.line, span.column)
        edits = (Edit(start, start + len(former), name),)
    message = f"`{former}` is now called `{name}`"
    return subject.finding("former-name", message, span, f"write `{name}`", edits=edits)

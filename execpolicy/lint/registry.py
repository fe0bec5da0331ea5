"""The checks: code → severity and what it finds, as the table in `docs/lint/README.md` has them.

An `error` keeps the file from being used, a `warning` is most likely a mistake, a `note` is advice.
Errors and warnings make `lint` fail.
"""

from execpolicy.support.record import Value
from execpolicy.support.resources import lint_page


class Check(Value):
    """How bad a finding of this code is, and what it finds."""

    severity: str
    finds: str


def _listed(page: str) -> dict[str, Check]:
    """The rows of the table: the code, which is a link to its page, the severity and the text."""
    rows = (line[2:-2].split(" | ") for line in page.splitlines() if line.startswith("| [`"))
    return {link.split("`")[1]: Check(severity, finds) for link, severity, finds in rows}


CHECKS = _listed(lint_page("README"))


def severity(code: str) -> str:
    """`error`, `warning` or `note`; an unknown code is an error."""
    return CHECKS[code].severity if code in CHECKS else "error"

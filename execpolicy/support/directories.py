"""Where the user's own files are, by the XDG base directory specification 0.8."""

import os

from execpolicy.support import digest
from execpolicy.support.resources import package_directory

MAX_KNOWN = 16
_known: dict[tuple[str, str | None, str], str] = {}


def _base(variable: str, fallback: str) -> str:
    """A base directory. The specification says to ignore a relative path in the variable.

    What `..` leads to does not depend on a link that a command may put before it.
    """
    given, home = os.environ.get(variable, ""), os.environ.get("HOME")
    known = _known.get((given, home, fallback))
    if known is None:
        base = given if given[:1] == "/" else os.path.join(os.path.expanduser("~"), fallback)
        known = os.path.join(os.path.normpath(base), "execpolicy")
        if home is not None and len(_known) < MAX_KNOWN:  # else it is the home of who asks
            _known[(given, home, fallback)] = known
    return known


def config() -> str:
    """Settings and the user's rules."""
    return _base("XDG_CONFIG_HOME", ".config")


def state() -> str:
    """Trust, and the audit log."""
    return _base("XDG_STATE_HOME", os.path.join(".local", "state"))


def ledger() -> str:
    """The ledger of approvals: a file in a directory of its own."""
    return f"{state()}/ledger/ledger.db"


def undo() -> str:
    """What was kept before calls that may remove something, a directory for each project."""
    return f"{state()}/undo"


def undo_of(base: str, root: str) -> str:
    """The directory of the project at a real path, below that of all."""
    return f"{base}/{digest.of(os.fsencode(root))[:32]}"


REFUSED = "refused"
"""The file in the directory of a project that says why nothing could be kept of it."""


def hook_socket() -> str:
    """The socket on which a server answers hooks, in a directory of its own."""
    return f"{state()}/serve/hook.sock"


def cache() -> str:
    """Compiled rules, apart for each installation of the package. May be deleted at any time.

    In one directory, two installations with rules of their own would compile anew in turns.
    """
    key = digest.checksum(os.fsencode(package_directory()))
    return os.path.join(_base("XDG_CACHE_HOME", ".cache"), f"{key:08x}")

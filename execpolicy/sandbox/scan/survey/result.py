"""What a survey of some directories found."""

from _collections_abc import Mapping

from execpolicy.sandbox.plan import Found
from execpolicy.sandbox.scan.links import Linked
from execpolicy.sandbox.scan.protected_path import ProtectedPath
from execpolicy.support.record import Value


class Survey(Value):
    """What is there, for a plan and to be compared with a later survey.

    `found` is for the plan, by real path. `noted` are the paths by their names alone, links too.
    `directories` were looked into, `closed` were not: beyond the limit, what cannot be read, and
    what is `long`, where paths are too long to be protected. What is `unseen` may hold keys.
    `linked` are files with several names, by directory, but for those that an installer made.
    """

    found: "Mapping[str, Found]"
    noted: "Mapping[str, ProtectedPath]"
    directories: tuple[str, ...]
    closed: tuple[str, ...]
    long: tuple[str, ...]
    unseen: tuple[str, ...]
    linked: "tuple[tuple[str, tuple[Linked, ...]], ...]"

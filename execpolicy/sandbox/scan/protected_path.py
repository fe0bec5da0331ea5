"""A protected path as it stood at a moment."""

from execpolicy.support.record import Value


class ProtectedPath(Value):
    """Device and inode of a path, and where it leads if it is a link.

    `repository`: what is protected is a git directory, which may be new and hold history alone.
    `part`: it is protected only where its directory is laid out like a git directory.
    """

    path: str
    device: int
    inode: int
    target: str = ""
    repository: bool = False
    part: bool = False

"""What a folder says about itself: its SCOPE.md, which explains and permits nothing."""

import os

from execpolicy.model.scope import MAX_NOTES, Scope
from execpolicy.support.disk.bounded import read

NAME = "SCOPE.md"


def brief(scope: Scope) -> str:
    """The briefing of a scope with the text of its folder's SCOPE.md, if that is a file there.

    A link is not followed: a project could show an agent's prompt any file of the user with it.
    """
    path = os.path.join(scope.root, NAME)
    data = b"" if os.path.islink(path) else read(path, 4 * MAX_NOTES) or b""
    return scope.briefing(data.decode("utf-8", "replace").strip())

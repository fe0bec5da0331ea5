"""What of an undo an agent may not do, and of which files no content is shown."""

import os
from collections.abc import Callable

from execpolicy.model.rule import WALLED
from execpolicy.sandbox.scan.git import CONTROL_NAMES
from execpolicy.undo.restore import Plan, Step

PROTECTED = "it is protected: only the user brings it back"
CHANGED = "it was changed after the call: only the user changes it back"


def _classes(root: str) -> Callable[[str], frozenset[str]]:
    """The classes that are laid over a path below the root."""
    from execpolicy.engine.engine import Engine

    policy, home = Engine.load(cwd=root).snapshot.policy, os.path.expanduser("~")

    def classes(path: str) -> frozenset[str]:
        return frozenset(rule.place for rule in policy.places.of(f"{root}/{path}", home, root))

    return classes


def secrets(root: str) -> Callable[[str], bool]:
    """Whether a path below the root may hold a secret."""
    classes = _classes(root)
    return lambda path: "credentials" in classes(path)


def permitted(planned: Plan, root: str) -> Plan:
    """The plan without what an agent may not do, which is told as what cannot be done."""
    classes = _classes(root)

    def is_free(step: Step) -> bool:
        if _is_state_of_git(step.path):
            return True
        return WALLED.isdisjoint(classes(step.path))

    refused = [(one.path, PROTECTED) for one in planned.steps if not is_free(one)]
    refused += [(one.path, CHANGED) for one in planned.changed]
    steps = tuple(one for one in planned.steps if is_free(one))
    impossible = (*planned.impossible, *refused)
    return planned.replace(steps=steps, changed=(), impossible=impossible)


def _is_state_of_git(path: str) -> bool:
    """Whether git itself writes a path of a git directory when it is used, and none of it decides
    what git runs."""
    parts = path.split("/")
    if ".git" not in parts or parts[-1] == ".git":
        return False
    inside = "/".join(parts[parts.index(".git") + 1 :])
    return not any(inside == name or inside.startswith(f"{name}/") for name in CONTROL_NAMES)

"""Where paths really lie, who may touch them, and what lies around the place where a command runs.

>>> from execpolicy.places import Disk, Scope, decide_path, locate
>>> scope = Scope("/srv/project")
>>> place = locate("../secret", "/srv/project", "write", Disk())
>>> decide_path(place, "write", scope).cause.word
'traversal'

All that a decision asks of the file system it asks through a `Resolver`: `Disk` is the real one,
`Blind` has only the text. Names are imported when they are first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.path_decision import Allow as Allow
    from execpolicy.model.path_decision import AskMode as AskMode
    from execpolicy.model.path_decision import CallDecision as CallDecision
    from execpolicy.model.path_decision import Cause as Cause
    from execpolicy.model.path_decision import Deny as Deny
    from execpolicy.model.path_decision import Level as Level
    from execpolicy.model.path_decision import RequiresApproval as RequiresApproval
    from execpolicy.model.path_decision import decide_call as decide_call
    from execpolicy.model.place import Place as Place
    from execpolicy.model.place import Root as Root
    from execpolicy.model.scope import BashNotAllowed as BashNotAllowed
    from execpolicy.model.scope import Consent as Consent
    from execpolicy.model.scope import Denied as Denied
    from execpolicy.model.scope import OutOfScope as OutOfScope
    from execpolicy.model.scope import Scope as Scope
    from execpolicy.model.split import Entry as Entry
    from execpolicy.model.split import FileAccess as FileAccess
    from execpolicy.model.split import Legacy as Legacy
    from execpolicy.model.split import LegacyError as LegacyError
    from execpolicy.model.split import SplitPolicy as SplitPolicy
    from execpolicy.model.split import from_legacy as from_legacy
    from execpolicy.model.split import split_policy as split_policy
    from execpolicy.model.split import to_legacy as to_legacy
    from execpolicy.places.approved import Approved as Approved
    from execpolicy.places.blind import Blind as Blind
    from execpolicy.places.decide import decide_path as decide_path
    from execpolicy.places.decide import decide_paths as decide_paths
    from execpolicy.places.disk import Disk as Disk
    from execpolicy.places.guarded.files import Done as Done
    from execpolicy.places.guarded.files import Failed as Failed
    from execpolicy.places.guarded.files import Files as Files
    from execpolicy.places.guarded.notes import brief as brief
    from execpolicy.places.guarded.turns import Turns as Turns
    from execpolicy.places.guards import Guards as Guards
    from execpolicy.places.resolve import candidates as candidates
    from execpolicy.places.resolve import locate as locate
    from execpolicy.places.resolver import Resolver as Resolver

_HOMES = {
    "model.path_decision": "Allow AskMode CallDecision Cause Deny"
    " Level RequiresApproval decide_call",
    "model.place": "Place Root",
    "model.scope": "BashNotAllowed Consent Denied OutOfScope Scope",
    "model.split": "Entry FileAccess Legacy LegacyError SplitPolicy"
    " from_legacy split_policy to_legacy",
    "places.approved": "Approved",
    "places.blind": "Blind",
    "places.decide": "decide_path decide_paths",
    "places.disk": "Disk",
    "places.guarded.files": "Done Failed Files",
    "places.guarded.notes": "brief",
    "places.guarded.turns": "Turns",
    "places.guards": "Guards",
    "places.resolve": "candidates locate",
}

__all__ = sorted(name.partition(":")[0] for names in _HOMES.values() for name in names.split())


def __getattr__(name: str) -> object:
    from execpolicy.support import lazy_attribute

    return lazy_attribute(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__

"""A `SurveyInput` as plain data: where a run worked, and the names that its rules protected.

What is done later goes by the rules that the run had: another process looks for what a killed run
left (`journal`), and a run is made again (`again/recall`). A command may make another root of its
directory, and the rules may be others by then.
"""

import os

from execpolicy.model.decision import Decision
from execpolicy.model.rule import Origin, PathRule, PlaceRule
from execpolicy.policy.policy import Policy
from execpolicy.sandbox.plan import GitDirectories
from execpolicy.sandbox.prepare import SurveyInput
from execpolicy.sandbox.scan.names import NameIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    Words = list[str]

    class PlainScene(TypedDict):
        """The fields of a scene, and the rules and other names of its index."""

        home: str
        root: str | None
        roots: Words
        git: Words | None
        named_by_git: Words
        places: list[tuple[str, Words, Words, str]]
        paths: list[tuple[Words, Words, int]]
        aliases: list[tuple[str, str]]


def plain_of(at: "SurveyInput") -> "PlainScene":
    """The plain data of a scene."""
    known = at.index.policy
    places = (*known.places.rules, *known.places.bases.rules)
    return {
        "home": at.home,
        "root": at.root,
        "roots": [*at.roots],
        "git": [at.git.own, at.git.common] if at.git else None,
        "named_by_git": [*at.named_by_git],
        "places": [(p.place, [*p.paths], [*p.unless], p.origin.layer) for p in places],
        "paths": [
            ([*r.paths], [*r.modes], int(r.decision)) for r in known.paths.rules if not r.programs
        ],
        "aliases": [*at.index.aliases.known],
    }


def scene_of(held: "PlainScene") -> "SurveyInput":
    """The scene, as far as its directories are still there."""
    called = [(real, name) for real, name in held["aliases"]]
    index = NameIndex(_policy(held), held["home"], held["root"], called)
    index.aliases.complete = True
    roots = tuple(root for root in held["roots"] if os.path.isdir(root))
    git = GitDirectories(held["git"][0], held["git"][1]) if held["git"] else None
    return SurveyInput(index, roots, held["home"], held["root"], git, tuple(held["named_by_git"]))


def _policy(held: "PlainScene") -> "Policy":
    """The rules about names alone."""
    places = [
        PlaceRule(place, tuple(paths), tuple(unless), Origin(layer, "", 0))
        for place, paths, unless, layer in held["places"]
    ]
    paths = [
        PathRule(tuple(paths), tuple(modes), Decision(decision), None, Origin("", "", 0))
        for paths, modes, decision in held["paths"]
    ]
    return Policy((*places, *paths))

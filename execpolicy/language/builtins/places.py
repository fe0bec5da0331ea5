"""`place` and `path_rule`: which paths belong to a class, and a decision about paths."""

from execpolicy.language.builtins.arguments import decision_of, justification_of
from execpolicy.language.builtins.signature import Given, Parameter, Signature, strings
from execpolicy.language.calls import Plain
from execpolicy.language.limits import MAX_PATH_CHARS
from execpolicy.language.problems import Reporter
from execpolicy.model.decision import Decision
from execpolicy.model.rule import BASES, ON_PATH, OVERLAYS, PROJECT, Origin, PathRule, PlaceRule

MODES = ("read", "write", "remove")
NAMED = ("generated", "tools", "personal", "system")
"""The base classes that are a matter of names. The others are where a directory lies."""
CLASSES = (*OVERLAYS, *NAMED, PROJECT)

PATH = Signature(
    "path_rule",
    (
        Parameter("paths", ("list",), required=True),
        Parameter("modes", ("list",)),
        Parameter("decision", ("string",), required=True),
        Parameter("justification", ("string",)),
        Parameter("programs", ("list",)),
    ),
    positional=1,
)
PLACE = Signature(
    "place",
    (
        Parameter("class", ("string",), required=True),
        Parameter("paths", ("list",), required=True),
        Parameter("unless", ("list",)),
    ),
    positional=2,
)


def place(given: Given, origin: Origin, report: Reporter) -> PlaceRule:
    """The declaration.

    A project's names only paths below its root, whatever the file says.
    """
    place = str(given["class"])
    if place not in CLASSES or (place == PROJECT and origin.layer == "project"):
        _not_declared(place, report)
    paths, unless = strings(given["paths"]) or (), strings(given.get("unless", [])) or ()
    if not paths and not unless:
        report("place", "`paths` must be a non-empty list of strings", at="paths")
    if place in NAMED and not paths and unless:
        report("place", f"`{place}` shrinks by the `unless` of a declaration", at="unless")
    elif not paths and unless and origin.layer != "user":
        hint = "only a file of the user's layer takes paths out of a class"
        report("place", "`unless` without `paths` has no effect here", hint, "unless")
    for path in (*paths, *unless):
        if path != ON_PATH or place != "control":
            check_pattern(path, report, "place")
        if place == PROJECT and path in paths:
            _check_root(path, report)
        if origin.layer == "project" and path[:1] in ("/", "~", "$"):
            hint = "begin it with `./`, or move the line to a file of the user's layer"
            report("place", f"`{path}` may lie outside the project", hint, path)
    if origin.layer == "project":
        paths, unless = tuple(map(_below_root, paths)), tuple(map(_below_root, unless))
    return PlaceRule(place, paths, unless, origin)


def path_rule(given: Given, origin: Origin, report: Reporter) -> PathRule:
    """The rule. Without `modes` it is about all of them."""
    decision = decision_of(given["decision"], report)
    justification = justification_of(given.get("justification"), report)
    modes = strings(given.get("modes", list(MODES))) or ()
    for mode in modes:
        if mode not in MODES:
            report("path", f"unknown mode `{mode}`", "write `read`, `write` or `remove`", mode)
    paths = strings(given["paths"]) or ()
    if not paths or not modes:
        report("path", "`paths` and `modes` must be non-empty lists of strings", at="paths")
    for path in paths:
        check_pattern(path, report, "path")
    programs = _programs(given.get("programs", []), decision, report)
    return PathRule(paths, modes, decision, justification, origin, programs)


def _programs(value: Plain, decision: Decision, report: Reporter) -> tuple[str, ...]:
    """The programs for which a rule that allows holds."""
    found = strings(value)
    if found is None or not all(name.strip() == name != "" for name in found):
        report("path", "`programs` must hold names of programs", at="programs")
    if found and decision is not Decision.ALLOW:
        message = f"`programs` has no meaning in a rule that says {decision.word}"
        report("path", message, "such a rule holds for all of them", "programs")
    return found or ()


def _not_declared(place: str, report: Reporter) -> None:
    if place in BASES:
        hint = "where a directory lies decides about it"
        report("place", f"`{place}` is not a class that a file declares", hint, place)
    else:
        report("place", f"unknown class `{place}`", "write " + ", ".join(CLASSES), place)


def _check_root(path: str, report: Reporter) -> None:
    """Report what is not a directory beside the session's root."""
    directory = path[:-2]
    if path[-2:] != "/*" or not directory.startswith(("/", "~/")) or {*"*?"} & {*directory}:
        hint = "name one directory and all below it: `~/lib/*`, `/srv/lib/*`"
        report("place", f"`{path}` is not a directory of a project", hint, path)


def check_pattern(path: str, report: Reporter, code: str) -> None:
    """Report a pattern that is relative to an unknown directory, or that can never match."""
    if len(path) > MAX_PATH_CHARS:
        report(code, f"a path has more than {MAX_PATH_CHARS} characters", at="paths")
    if not path.startswith(("/", "~", "./", "**/")) and "/" in path:
        hint = "begin it with `/`, `~/`, `./` or `**/`, or give a bare name"
        report(code, f"`{path}` is a relative path", hint, path)
    elif ".." in path.split("/"):
        report(code, f"`{path}` climbs with `..`", "name the directory itself", path)


def _below_root(path: str) -> str:
    """The pattern below the session's root."""
    return path if path.startswith("./") else "./**/" + path.removeprefix("**/")

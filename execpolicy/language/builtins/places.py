"""Judges calls of `place`, and the patterns of paths that `path_rule` has too."""

from execpolicy.language.builtins.signature import Parameter, Signature, bind, strings
from execpolicy.language.calls import Call
from execpolicy.language.limits import MAX_PATH_CHARS
from execpolicy.model.rule import BASES, OVERLAYS, Origin, PlaceRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.language.problems import Reporter

NAMED = ("generated", "tools", "personal", "system")
"""The base classes that are a matter of names. The others are where a directory lies."""
CLASSES = (*OVERLAYS, *NAMED)

PLACE = Signature(
    "place",
    (
        Parameter("class", ("string",), True),
        Parameter("paths", ("list",), True),
        Parameter("unless", ("list",)),
    ),
    positional=2,
)


def judge_place(call: Call, origin: Origin, report: "Reporter") -> PlaceRule | None:
    """The declaration, or None after a problem was reported.

    A project's names only paths below its root, whatever the file says.
    """
    given = bind(call, PLACE, report)
    if given is None:
        return None
    before = report.problems.count
    place = str(given["class"])
    if place not in CLASSES:
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
        judge_pattern(path, report, "place")
        if origin.layer == "project" and path[:1] in ("/", "~"):
            hint = "begin it with `./`, or move the line to a file of the user's layer"
            report("place", f"`{path}` may lie outside the project", hint, path)
    if report.problems.count > before:
        return None
    if origin.layer == "project":
        paths, unless = tuple(map(_inside, paths)), tuple(map(_inside, unless))
    return PlaceRule(place, paths, unless, origin)


def _not_declared(place: str, report: "Reporter") -> None:
    if place in BASES:
        hint = "where a directory lies decides about it"
        report("place", f"`{place}` is no class that a file declares", hint, place)
    else:
        report("place", f"unknown class `{place}`", "write " + ", ".join(CLASSES), place)


def judge_pattern(path: str, report: "Reporter", code: str) -> None:
    """Report a pattern that is relative to where nobody knows, or that can never match."""
    if len(path) > MAX_PATH_CHARS:
        report(code, f"a path has more than {MAX_PATH_CHARS} characters", at="paths")
    if not path.startswith(("/", "~", "./", "**/")) and "/" in path:
        hint = "begin it with `/`, `~/`, `./` or `**/`, or give a bare name"
        report(code, f"`{path}` is a relative path", hint, path)
    elif ".." in path.split("/"):
        report(code, f"`{path}` climbs with `..`", "name the directory itself", path)


def _inside(path: str) -> str:
    """The pattern below the session's root."""
    return path if path.startswith("./") else "./**/" + path.removeprefix("**/")

"""Paths, scopes, tools and policies: rows with a tree, and what four models answer about it.

`decision` is `execpolicy.places` as it ships, but for the row's own lists of guarded paths.
`article_000` is the three-state decision as published, `scope_003` the folder scope by text alone,
`allowlist_002` the allowlist of real paths, each by the option that stands for it. `hardened` is
what this package answers where a published model lets a link through.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from execpolicy import Decision, Request, policies
from execpolicy.hosts.protocols import touched
from execpolicy.model.operation import Access
from execpolicy.places import (
    Allow,
    Approved,
    AskMode,
    BashNotAllowed,
    Blind,
    Cause,
    Denied,
    Deny,
    Disk,
    Guards,
    Level,
    OutOfScope,
    Place,
    RequiresApproval,
    Scope,
    candidates,
    decide_call,
    decide_path,
    decide_paths,
    locate,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Mode

Row = dict[str, Any]
WORDS = {Allow: "allow", RequiresApproval: "prompt", Deny: "forbidden"}
PUBLISHED = {Allow: "allow", RequiresApproval: "requires_approval", Deny: "deny"}
DECISIONS = {"allow": Decision.ALLOW, "ask": Decision.PROMPT, "deny": Decision.FORBIDDEN}
NAMES = {decision: word for word, decision in DECISIONS.items()}


def problems(rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    """Each row with what it got instead of what it expects; the tree is made, and held by this."""
    tree = next((row for row in rows if row["kind"] == "tree"), None)
    with tempfile.TemporaryDirectory() as folder:
        top = os.path.join(os.path.realpath(folder), "T")
        if tree is not None:
            yield tree["id"], planted(tree, top)
        for row in rows:
            if row is not tree:
                yield row["id"], problem(_filled(row, top), top)


def planted(tree: Row, top: str) -> str | None:
    """Why a tree cannot be made, or None."""
    try:
        plant(tree, top)
    except OSError as error:
        return str(error)
    return None


def plant(tree: Row, top: str) -> None:
    """Make the directories, files and links of a tree."""
    for path in tree["dirs"]:
        os.makedirs(os.path.join(top, path), exist_ok=True)
    for path in tree["files"]:
        Path(top, path).write_text("")
    for path, target in tree["links"].items():
        os.symlink(target.replace(tree["root"], top), os.path.join(top, path))
    for path, target in tree.get("hard_links", {}).items():
        os.link(os.path.join(top, target), os.path.join(top, path))


def problem(row: Row, top: str) -> str | None:
    """What is wrong with one row, or None."""
    if row["kind"] not in ANSWERS:
        return f"nothing answers rows of kind `{row['kind']}`"
    expected = row.get("expect", {})
    try:
        got = ANSWERS[row["kind"]](row, top)
    except Exception as error:  # a row that nobody foresaw is one that did not hold
        return f"{type(error).__name__}: {error}"
    if "steps" in row:
        expected = [step["expect"] for step in row["steps"] if "expect" in step]
        return None if got == expected else f"expected {expected}, got {got}"
    expected = expected.get("hardened", expected)
    wrong = {k: (v, got.get(k)) for k, v in expected.items() if k in got and got[k] != v}
    missing = {k: (v, None) for k, v in expected.items() if k not in got and k not in REMARKS}
    return None if not (wrong or missing) else f"(expected, got): {wrong | missing}"


REMARKS = frozenset(("decide", "why"))
"""Sentences for people; what they say is an answer of its own below."""


def _filled(row: Row, top: str) -> Row:
    found: Row = json.loads(json.dumps(row).replace("$T", json.dumps(top)[1:-1]))
    return found


# --- one path -------------------------------------------------------------------------------------


def _path(row: Row, _top: str) -> Row:
    policy, request = row["policy"], row["request"]
    path, mode, cwd = request["path"], request["access"], request["cwd"]
    writes = () if policy.get("mode") == "read_only" else tuple(policy["writable"])
    scope = Scope(policy["workspace"], writes=writes)
    guards = Guards(
        tuple(policy.get("deny_write", ())),
        tuple(policy.get("deny_read", ())),
        protected=tuple(policy.get("protected", ())),
        any_case=policy.get("case_insensitive", False),
    )
    disk = Disk() if request["platform"] == "posix" else Blind()
    places = candidates(path, cwd, mode, disk, policy.get("home"))
    decision = decide_paths(places, mode, scope, guards)
    found = {
        "decision": WORDS[type(decision)],
        "code": _code(decision),
        "place": _seen(places[-1]),
    }
    if mode == "remove" or request["platform"] != "posix":
        return found
    published = guards.replace(as_published=True, protected=())
    elsewhere = path.startswith(("/proc/", "/dev/"))
    place = Blind().locate(path) if elsewhere else locate(path, cwd, mode, disk)
    found["article_000"] = PUBLISHED[type(decide_path(place, mode, scope, published))]
    text = Blind().locate(os.path.join(cwd, path))
    bound = Scope(policy["workspace"])
    found["scope_003"] = type(bound.refuse(text, mode)).__name__.replace("NoneType", "allow")
    found["allowlist_002"] = _allowlisted(policy["workspace"], path, mode, cwd)
    return found


def _code(decision: Allow | RequiresApproval | Deny) -> str | None:
    cause = getattr(decision, "cause", None)
    return cause.word if isinstance(cause, Cause) else None


def _seen(place: Place) -> str | None:
    """The real path; of what belongs to a process there is none."""
    return None if place.problem else place.real


def _allowlisted(root: str, path: str, mode: "Mode", cwd: str) -> str:
    """The allowlist over `Path.resolve`, which raises for what it cannot resolve."""
    policy = policies.path_allowlist(root, lambda name: str(Path(name).resolve()))
    try:
        outcome = policy(Request(operations=(Access(path, mode),), cwd=cwd))
    except (RuntimeError, ValueError) as error:
        return f"raises {type(error).__name__}"
    return NAMES[outcome.decision]


# --- calls of tools -------------------------------------------------------------------------------


def _extracted(row: Row, _top: str) -> Row:
    request = row["request"]
    found = touched(request["tool"], request["input"])
    return {"paths": [{"path": touch.path, "access": touch.mode} for touch in found]}


_PATHS: dict[str, Allow | RequiresApproval | Deny] = {
    "allow": Allow(),
    "requires_approval": RequiresApproval("the path's reason"),
    "deny": Deny("the path's reason"),
}


def _mode(row: Row, _top: str) -> Row:
    request = row["request"]
    level = Level[request["tool_level"].upper()]
    mode = AskMode[request["mode"].upper()]
    found = decide_call(level, mode, _PATHS[request["path_decision"]])
    asks = isinstance(found.decision, RequiresApproval)
    word = "ask" if asks else PUBLISHED[type(found.decision)]
    reason = asks and bool(getattr(found.decision, "reason", ""))
    return {
        "effective_level": found.level.name.lower(),
        "decision": word,
        "reason_attached": reason,
    }


def _approved(row: Row, top: str) -> list[str]:
    scope = Scope(f"{top}/w", writes=(f"{top}/w", f"{top}/tmp"))
    approved, found = Approved(), []
    for step in row["steps"]:
        if step.get("new_session"):
            approved = Approved()
        if step.get("subagent"):
            approved = approved.within(scope.holds)
        uses = [(step["path"], step["access"])] if "path" in step else []
        if "tool" in step:
            uses = [(touch.path, touch.mode) for touch in touched(step["tool"], step["input"])]
        asking = []
        for path, mode in uses:
            place = locate(path, f"{top}/w", mode, Disk())
            decision = decide_path(place, mode, scope, approved=approved)
            if isinstance(decision, RequiresApproval):
                asking.append(place)
                approved = approved.add(place, mode) if step.get("answer") == "allow" else approved
        if "expect" in step:
            paths = [place.real for place in asking]
            matched = "paths" not in step or paths == step["paths"]
            found.append(("ask" if asking else "allow") if matched else str(paths))
    return found


# --- scopes ---------------------------------------------------------------------------------------


def _scope(row: Row, _top: str) -> Row:
    binding, request = row["binding"], row["request"]
    display = binding["display_root"]
    top = Scope(display, writes=("/",), shell=binding["allow_bash"])
    scope: Scope | OutOfScope = top.child(_place(binding["root_dir"], display))
    if not binding["enforce_write"]:
        scope = top.replace(root=binding["root_dir"], display=display)
    assert isinstance(scope, Scope)
    given = request["input"]
    if request["tool"] == "run_agent":
        return _children(scope, given, display)
    if request["tool"] == "bash":
        return _shell(scope, given)
    for touch in touched(request["tool"], given):
        refusal = scope.refuse(_place(touch.path, display), touch.mode)
        if refusal is not None:
            return _refused(refusal)
    return {"ok": True}


def _place(path: str, cwd: str) -> Place:
    return locate(path, cwd, "write", Disk())


def _refused(refusal: OutOfScope) -> Row:
    advice = "defer to the parent" if "leave it to the parent" in str(refusal) else None
    where = {"path": refusal.path, "scope": refusal.scope, "advice": advice}
    return {"error": type(refusal).__name__, **where}


def _shell(scope: Scope, given: Row) -> Row:
    consent = scope.bash(given["command"])
    if isinstance(consent, BashNotAllowed):
        return {"error": type(consent).__name__, "asks": False}
    denied = consent.answered(given.get("answer") != "deny", given.get("feedback", ""))
    if isinstance(denied, Denied):
        return {"error": type(denied).__name__, "feedback": denied.feedback}
    return {"cwd": consent.cwd, "asks": True}


def _children(scope: Scope, given: Row, display: str) -> Row:
    folders = given["folders"] if "folders" in given else [given["folder"]]
    children = [scope.child(_place(folder, display)) for folder in folders]
    refusal = next((one for one in children if isinstance(one, OutOfScope)), None)
    if refusal is not None:
        return _refused(refusal)
    bound = [one for one in children if isinstance(one, Scope)]
    if len(bound) > 1:
        return {"parallel": not bound[0].meets(bound[1])}
    child = bound[0]
    return {
        "binding": {
            "root_dir": child.root,
            "display_root": child.display,
            "enforce_write": child.writes is None,
            "allow_bash": child.shell,
        }
    }


# --- policies -------------------------------------------------------------------------------------


def _by_side_effect(row: Row, _top: str) -> Row:
    table = {name: DECISIONS[word] for name, word in row["policy"].items()}
    policy = policies.by_side_effect(**table, undeclared=Decision.ALLOW, words=policies.DECLARED)
    effects = tuple(row["request"]["side_effects"])
    outcome = policy(policies.call("tool", {}, effects=effects))
    by = outcome.reason.removeprefix("the side effect ").strip("`")
    return {"decision": NAMES[outcome.decision], "by": by}


def _says(word: str) -> Callable[[Request], policies.Outcome]:
    return lambda _request: policies.Outcome(DECISIONS[word], word)


def _compose(row: Row, _top: str) -> Row:
    combine, words = policies.first_non_allow, row["policies"]
    if len(words) == 1 and words[0].startswith("strictest of "):
        combine, words = policies.compose, words[0].removeprefix("strictest of ").split(", ")
    outcome = combine(*map(_says, words))(policies.call("tool", {}))
    return {"decision": NAMES[outcome.decision]}


def _manager(row: Row, _top: str) -> list[Row]:
    asked: list[Request] = []
    answers: list[str] = []

    def ask(request: Request, _outcome: policies.Outcome) -> bool:
        asked.append(request)
        return answers[-1] == "allow"

    manager = policies.Manager(policies.allow_all, ask, cache_first=True)
    found = []
    for step in row["steps"]:
        asked.clear()
        answers.append(step.get("answer", "deny"))
        manager.policy = _says(step["policy"])
        outcome = manager(policies.call(step["tool"], step["args"]))
        found.append({"asked": bool(asked), "decision": NAMES[outcome.decision]})
    return found


def _trust_label(row: Row, _top: str) -> Row:
    request = row["request"]
    content, effects = request["content"], tuple(request["side_effects"])
    found = policies.labelled(request["tool"], content, effects)
    wrapped = found != content
    closed = found.lower().count("</untrusted") == 1
    return {"wrapped": wrapped, "escaped": closed and content not in found}


ANSWERS: dict[str, Callable[[Row, str], Any]] = {
    "path": _path,
    "extract_paths": _extracted,
    "mode": _mode,
    "approved_paths": _approved,
    "scope": _scope,
    "by_side_effect": _by_side_effect,
    "compose": _compose,
    "manager": _manager,
    "trust_label": _trust_label,
}

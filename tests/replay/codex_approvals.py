"""Rows about Codex's approvals: requirements, patches, retries, keys, hosts, file systems."""

import os
from collections.abc import Iterable, Iterator
from typing import Any

from execpolicy.approvals import codex
from execpolicy.approvals.codex.attempt import Denial, first_attempt, retry
from execpolicy.approvals.codex.keys import KeyedCall, SessionCache, keys
from execpolicy.approvals.codex.patch import Patch, patch_safety
from execpolicy.approvals.codex.policy import AskingPolicy
from execpolicy.approvals.codex.requirement import Requirement, ShellCall
from execpolicy.model.decision import Decision
from execpolicy.model.rule import Origin, PrefixRule
from execpolicy.places import (
    FileAccess,
    Legacy,
    LegacyError,
    SplitPolicy,
    from_legacy,
    split_policy,
    to_legacy,
)
from execpolicy.policy.policy import Policy

Row = dict[str, Any]


def problems(rows: "Iterable[Row]") -> "Iterator[tuple[str, str | None]]":
    """Each row's name, and what is wrong with its answer."""
    return ((str(row.get("id", "?")), mistake(row)) for row in rows)


def mistake(row: Row) -> str | None:
    """What is wrong with the answer to a row."""
    got = ANSWERS[row["kind"]](row["input"])
    return None if got == row["expect"] else f"{row['kind']}: {got} is not {row['expect']}"


def _as_row(found: Requirement) -> Row:
    if isinstance(found, codex.Skip):
        amendment = None if found.amendment is None else list(found.amendment)
        return {
            "requirement": "skip",
            "bypass_sandbox": found.bypass_sandbox,
            "amendment": amendment,
        }
    if isinstance(found, codex.Forbidden):
        return {"requirement": "forbidden", "reason": found.reason}
    amendment = None if found.amendment is None else list(found.amendment)
    return {"requirement": "needs_approval", "reason": found.reason, "amendment": amendment}


def _rules(rows: list[Row]) -> Policy:
    origin = Origin("user", "rows", 0)
    return Policy(
        PrefixRule(
            tuple((t,) if isinstance(t, str) else tuple(t) for t in row["pattern"]),
            Decision.parse(row["decision"]),
            row.get("justification"),
            origin,
        )
        for row in rows
    )


def _exec(given: Row) -> Row:
    prefix = given["requested_prefix"]
    command = ShellCall(
        tuple(given["command"]),
        given["sandbox_permissions"],
        None if prefix is None else tuple(prefix),
    )
    asking = AskingPolicy.of(given["approval"])
    found = codex.requirement(
        command, _rules(given["rules"]), asking, given["filesystem"], os.path.abspath
    )
    return _as_row(found)


def _default(given: Row) -> Row:
    return _as_row(
        codex.default_requirement(AskingPolicy.of(given["approval"]), given["filesystem"])
    )


def _first(given: Row) -> Row:
    required = given["requirement"]
    found: Requirement = codex.NeedsApproval()
    if required["requirement"] == "skip":
        found = codex.Skip(required["bypass_sandbox"])
    kept = first_attempt(given["sandbox_permissions"], found, given["denied_reads"])
    return {"sandbox": "as configured" if kept else "bypassed"}


def _retry(given: Row) -> Row:
    denial = Denial(
        given["tool"],
        given["asked_before_first_attempt"],
        given["one_shot"],
        given["network"],
        "example.com",
        given["denied_reads"],
        given["strict_auto_review"],
        given["escalates_on_failure"],
    )
    found = retry(denial, AskingPolicy.of(given["approval"]), given["filesystem"])
    if found is None:
        return {"outcome": "denied"}
    said = {"outcome": "retry", "asks_again": found.asks_again, "sandboxed": found.sandboxed}
    more = {"reason": found.reason, "hooks": found.hooks} if found.asks_again else {}
    return {**said, **more}


def _patch(given: Row) -> Row:
    profile, paths = given["profile"], given["paths"]
    managed = profile == "managed"
    inside = paths == "inside" and given["has_writable_roots"]
    patch = Patch(
        empty=paths == "none",
        writable=inside or (profile in ("disabled", "external") and paths != "none"),
        sandboxed=managed,
        any_root=given["has_writable_roots"],
        platform_sandbox=given["platform_sandbox"],
    )
    found = patch_safety(patch, AskingPolicy.of(given["approval"]))
    return {"safety": found.word, **({"reason": found.reason} if found.reason else {})}


def _keys(given: Row) -> Row:
    call = KeyedCall(
        given["tool"],
        tuple(given.get("command", ())),
        given.get("cwd"),
        given.get("sandbox_permissions", "use_default"),
        given.get("additional_permissions"),
        given.get("tty", False),
        tuple(given.get("paths", ())),
        given.get("host", ""),
        given.get("protocol", ""),
        given.get("port", 0),
        given.get("environment", "local"),
        given.get("one_shot", False),
    )
    return {"keys": list(keys(call))}


def _cache(given: Row) -> Row:
    cache = SessionCache()
    results = []
    for request in given["requests"]:
        answer = str(request["answer_if_asked"])
        asked, decision = cache.settle(request["keys"], lambda said=answer: said)  # type: ignore[misc]
        results.append({"asked": asked, "decision": decision})
    return {"results": results}


def _network(given: Row) -> Row:
    found = codex.host_decision(
        given["approval"],
        given["profile"],
        given["session_list"],
        lambda: str(given["answer_if_asked"]),
    )
    word = "allow" if found.allowed else "deny"
    return {"network": word, "asked": found.asked, "session": found.session}


def _split(entries: list[Row], cwd: str, kind: str = "restricted") -> SplitPolicy:
    return split_policy([(e["path"], e["access"]) for e in entries], cwd, kind=kind)


def _access(given: Row) -> Row:
    policy = _split(given["entries"], given["cwd"], given.get("kind", "restricted"))
    return {"access": policy.access(given["path"], given["cwd"]).word}


def _bridge(given: Row) -> Row:
    cwd = given.get("cwd", "/")
    if "split" in given:
        try:
            found = to_legacy(_split(given["split"], cwd), cwd, given.get("network", True))
        except LegacyError as error:
            return {"legacy": f"error: {error}"}
        limit = ", network restricted" if found.name == "external-sandbox" else ""
        return {"legacy": found.name + (limit if not found.network else "")}
    readable = given.get("readable_roots")
    legacy = Legacy(given["legacy"], readable_roots=None if readable is None else tuple(readable))
    policy = from_legacy(legacy, cwd)
    if policy.kind != "restricted":
        return {"kind": policy.kind}
    docs = next((path for path in given["readable_roots"] if path.endswith("/docs")), f"{cwd}/docs")
    return {
        "kept_read_entries": [e.path for e in policy.entries if e.access is FileAccess.READ],
        "write_docs": policy.access(f"{docs}/a", cwd) is FileAccess.WRITE,
    }


def _review(given: Row) -> Row:
    found = codex.settled(given["decision"])
    return {"then": "run" if found.runs else f"reject: {found.why}", "remembers": found.remembers}


def _hook_mode(given: Row) -> Row:
    return {"mode": codex.hook_mode(given["strict_auto_review"], given["one_shot"])}


def _one_shot(given: Row) -> Row:
    found = codex.one_shot(given["hook_answers"])
    return {
        "asked_people": found.asked,
        "attempts": found.attempts,
        "succeeds": found.succeeds,
    }


ANSWERS = {
    "exec_requirement": _exec,
    "default_requirement": _default,
    "first_attempt": _first,
    "retry_after_sandbox_denial": _retry,
    "patch_safety": _patch,
    "approval_keys": _keys,
    "session_cache": _cache,
    "network_flow": _network,
    "split_policy_access": _access,
    "legacy_bridge": _bridge,
    "review_decision": _review,
    "hook_mode": _hook_mode,
    "hooks_one_shot": _one_shot,
}

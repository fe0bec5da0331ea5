"""Policies as entries: the deepest decides, and the older form becomes entries and back."""

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.places import (
    FileAccess,
    Legacy,
    LegacyError,
    SplitPolicy,
    from_legacy,
    split_policy,
    to_legacy,
)

READ = ((":root", "read"),)
WORK = ((":root", "read"), (":cwd", "write"))
CARVED = (*WORK, ("/w/docs", "read"), ("/w/docs/gen", "write"), ("/w/key", "none"))

ROWS = [
    ((), "/", "none"),
    (READ, "a", "read"),
    (WORK, "a", "write"),
    (WORK, "/w", "write"),
    (WORK, "/wx/a", "read"),
    (WORK, "sub/../../x", "read"),
    (CARVED, "docs/a", "read"),
    (CARVED, "docsx/a", "write"),
    (CARVED, "docs/gen/a", "write"),
    (CARVED, "docs/genx", "read"),
    (CARVED, "key", "none"),
    (CARVED, "key/below", "none"),
    (((":root", "none"), (":cwd", "read")), "a", "read"),
    (((":tmp", "write"),), "/tmp/x", "write"),
    (((":project_roots/docs", "read"), (":workspace_roots", "write")), "docs/a", "read"),
    (((":not-known-yet", "write"),), "/w", "none"),
    ((("docs", "deny"), (":cwd", "write")), "docs", "none"),
    (((":cwd", "write"), (":later", "none")), "a", "write"),
    (((":later", "write"), (":later/x", "read")), "a", "none"),
    (WORK, "..", "read"),
    (WORK, "/w/../w/a", "write"),
    (WORK, "a/../../w2", "read"),
    (CARVED, "/w/docs/../a", "write"),
    ((*WORK, ("/w/p", "none"), ("/w/p/pub", "read")), "p/pub/x", "read"),
    ((*WORK, ("/w/p", "none"), ("/w/p/pub", "read")), "p/x", "none"),
    ((*CARVED, ("/w/docs/gen/keep", "read")), "docs/gen/keep/x", "read"),
    (((":root", "write"), ("/etc", "read")), "/etc/passwd", "read"),
    (((":root", "write"), ("/etc", "read")), "/etcx", "write"),
    (((":root", "none"), (":cwd", "write")), "/etc/x", "none"),
    (((":cwd", "write"),), "/etc/x", "none"),
    ((*READ, (":tmp", "write"), ("/tmp/x", "none")), "/tmp/x/y", "none"),
    ((*READ, (":tmp", "write")), "/tmpx", "read"),
    ((("/a/b/c", "write"), ("/a", "read")), "/a/b/c/d", "write"),
    ((("/a/b/c", "write"), ("/a", "read")), "/a/b/d", "read"),
    ((("/a/", "write"),), "/a/x", "write"),
    ((("/a/./b", "write"),), "/a/b/x", "write"),
]


@pytest.mark.parametrize(("entries", "path", "expected"), ROWS)
def test_access(entries: tuple[tuple[str, str], ...], path: str, expected: str) -> None:
    assert split_policy(entries, "/w").access(path, "/w").word == expected


@pytest.mark.parametrize(
    ("words", "strict", "codex"),
    [
        (("read", "write"), "read", "write"),
        (("write", "read"), "read", "write"),
        (("none", "write"), "none", "none"),
        (("read", "none"), "none", "none"),
    ],
)
def test_two_entries_for_one_path(words: tuple[str, str], strict: str, codex: str) -> None:
    entries = [("/w", word) for word in words]
    assert split_policy(entries, "/w", codex_ties=False).access("/w/a").word == strict
    assert split_policy(entries, "/w").access("/w/a").word == codex


def test_an_access_that_is_none() -> None:
    with pytest.raises(ValueError, match="invalid access: `all`"):
        split_policy([("/w", "all")], "/w")


def test_unrestricted_and_external_say_nothing_about_paths() -> None:
    for kind in ("unrestricted", "external"):
        assert split_policy([], "/w", kind=kind).access("/etc/x") is FileAccess.WRITE


def test_carve_outs_are_what_a_writable_root_does_not_have() -> None:
    policy = split_policy(CARVED, "/w")
    assert [entry.path for entry in policy.carve_outs("/w")] == ["/w/docs", "/w/key"]
    assert policy.writable() == ("/w", "/w/docs/gen")


def test_the_names_that_steer_stay_read_only() -> None:
    policy = split_policy((*WORK, ("/w/.agents", "write")), "/w").protecting()
    for path, word in ((".git/config", "read"), (".codex", "read"), (".agents/x", "write")):
        assert policy.access(path, "/w").word == word


# The older form, the directory of the sandbox, the readable roots that stay, and whether the
# first of them may be written.
BRIDGED = [
    (Legacy("workspace-write", (), ("/w/docs",)), "/w", (), True),
    (Legacy("workspace-write", (), ("/w/docs", "/opt/ref")), "/w", ("/opt/ref",), True),
    (Legacy("workspace-write", (), ("/repo/docs",)), "/repo", (), True),
    (Legacy("workspace-write", (), ("/repo/docs",)), "/repo/sub", ("/repo/docs",), False),
    (Legacy("workspace-write", ("/out",), ("/out/docs",)), "/w", (), True),
    (Legacy("workspace-write", (), ("/w",)), "/w", (), True),
    (Legacy("read-only", (), ("/w/docs",)), "/w", ("/w/docs",), False),
    (Legacy("workspace-write", (), ("/wx/docs",)), "/w", ("/wx/docs",), False),
    (Legacy("workspace-write", (), ("/",)), "/w", ("/",), False),
    (Legacy("workspace-write", (), ("/w/a", "/w/b", "/opt")), "/w", ("/opt",), True),
]


@pytest.mark.parametrize(("legacy", "root", "kept", "write"), BRIDGED)
def test_the_bridge(legacy: Legacy, root: str, kept: tuple[str, ...], write: bool) -> None:
    policy = from_legacy(legacy, root)
    assert policy.readable() == kept
    assert legacy.readable_roots
    assert (policy.access(legacy.readable_roots[0]) is FileAccess.WRITE) is write


@pytest.mark.parametrize(
    ("name", "kind"), [("danger-full-access", "unrestricted"), ("external-sandbox", "external")]
)
def test_forms_without_entries(name: str, kind: str) -> None:
    assert from_legacy(Legacy(name), "/w").kind == kind


BACK = [
    ([(":root", "write")], False, "external-sandbox"),
    ([(":root", "write")], True, "danger-full-access"),
    (WORK, False, "workspace-write"),
    (READ, False, "read-only"),
]


@pytest.mark.parametrize(("entries", "network", "name"), BACK)
def test_back(entries: list[tuple[str, str]], network: bool, name: str) -> None:
    found = to_legacy(split_policy(entries, "/w"), "/w", network)
    assert (found.name, found.network) == (name, network)


@pytest.mark.parametrize("entries", [[("/other", "write")], CARVED])
def test_what_the_older_form_cannot_say(entries: list[tuple[str, str]]) -> None:
    with pytest.raises(LegacyError, match="cannot be expressed"):
        to_legacy(split_policy(entries, "/w"), "/w")


paths = st.lists(st.sampled_from("abc"), max_size=4).map(lambda parts: "/" + "/".join(parts))
pairs = st.tuples(paths, st.sampled_from(("read", "write", "none")))


@given(st.lists(pairs, max_size=6), paths)
def test_the_deepest_entry_decides_and_the_strictest_of_a_tie(
    entries: list[tuple[str, str]], path: str
) -> None:
    """The same meaning, said by walking up."""
    said, at = [word for where, word in entries if where == path], path
    while not said and at != "/":
        at = posixpath.dirname(at)
        said = [word for where, word in entries if where == at]
    expected = max((FileAccess.parse(word) for word in said), default=FileAccess.NONE)
    assert split_policy(entries, "/", codex_ties=False).access(path) is expected


@given(st.lists(paths, max_size=4), st.lists(paths, max_size=4), paths, paths)
def test_the_bridge_takes_no_write_away(
    writable: list[str], readable: list[str], root: str, path: str
) -> None:
    """A readable root says nothing about writing: without it the same may be written."""
    legacy = Legacy("workspace-write", tuple(writable), tuple(readable))
    without = from_legacy(legacy.replace(readable_roots=()), root)
    assert isinstance(without, SplitPolicy)
    if without.access(path) is FileAccess.WRITE:
        assert from_legacy(legacy, root).access(path) is FileAccess.WRITE

"""Paths with the answer that the three-state decision and folder scopes give, one a row.

Each row says where the path leads and why it is not simply allowed. Rows of the same form in a file
are what `python -m tests.replay paths FILE` reads.
"""

import pytest

from tests.replay.paths import Row, problems

TREE: Row = {
    "id": "tree",
    "kind": "tree",
    "root": "$T",
    "dirs": [
        "w/src/pkg", "w/deep/er/down", "w/.git/hooks", "w/.config", "w2/lib", "home/.ssh",
        "home/.config/fish", "home/u/x", "data/pub", "tmp", "w/packages/a/src", "w/packages/b",
        "w/packages/ab", "w/SUB", "w/vendor",
    ],
    "files": [
        "w/src/a.py", "w/src/pkg/m.py", "w/README", "w2/lib/l.py", "home/.bashrc",
        "home/.ssh/id_rsa", "home/.ssh/id_rsa.pub", "home/.ssh/config", "home/notes",
        "data/pub/x", "data/secret", "w/packages/a/i.ts", "w/packages/b/i.ts",
        "w/packages/ab/i.ts", "w/SUB/f", "w/.envrc", "home/.netrc", "w/Ünï",
    ],
    "links": {
        "w/l_abs_in": "$T/w/src", "w/l_up1": "..", "w/l_back": "../w/src", "w/l_out": "$T/data",
        "w/l_file_out": "../data/secret", "w/l_dead_out": "$T/data/none/deep",
        "w/l_two": "l_one", "w/l_one": "l_out", "w/l_in_chain": "l_in_chain2",
        "w/l_in_chain2": "src", "w/deep/er/top": "../..", "w/deep/er/out": "../../..",
        "w/rc2": "$T/home/.bashrc", "w/k": "$T/home/.ssh/id_rsa",
        "w/pubk": "$T/home/.ssh/id_rsa.pub", "w/lp_a": "lp_b/x", "w/lp_b": "lp_a/y",
        "w/l_dotdot": "src/../../data", "w/l_slash": "src/", "w/tmpd": "$T/tmp",
        "data/in": "$T/w/src", "w/packages/a/sib": "../b", "w/packages/a/own": "src",
        "w/packages/a/far": "$T/data", "w/l_root_home": "$T/home",
        "w/procself": "/proc/self/cwd", "w/devn": "/dev/null", "tmp/out": "$T/data",
        "w/src/me": "a.py", "w/l_notdir": "README/x",
    },
}  # fmt: skip
POLICY: Row = {
    "workspace": "$T/w",
    "writable": ["$T/w", "$T/tmp"],
    "home": "$T/home",
    "mode": "default_write",
    "deny_write": [
        *("**/.bashrc", "**/.zshrc", "**/authorized_keys", "**/LaunchAgents/**"),
        *("**/.envrc", "**/.git/hooks/**"),
    ],
    "deny_read": ["**/.ssh/id_*", "**/.netrc"],
    "protected": ["$T/home/state/execpolicy"],
}

PATHS = [
    # the path, what is done with it, `allow` or the cause, where it leads below the tree
    ("l_abs_in/a.py", "write", "allow", "w/src/a.py"),
    ("l_up1/w/src/a.py", "write", "allow", "w/src/a.py"),
    ("l_up1/w2/lib/l.py", "write", "symlink_escape", "w2/lib/l.py"),
    ("l_up1/w2/lib/l.py", "read", "allow", "w2/lib/l.py"),
    ("l_back/new", "write", "allow", "w/src/new"),
    ("l_two/pub/x", "write", "symlink_escape", "data/pub/x"),
    ("l_two", "remove", "allow", "w/l_two"),
    ("l_two/pub", "remove", "symlink_escape", "data/pub"),
    ("l_dead_out", "write", "symlink_escape", "data/none/deep"),
    ("l_dead_out", "remove", "allow", "w/l_dead_out"),
    ("l_in_chain/a.py", "write", "allow", "w/src/a.py"),
    ("deep/er/top/src/a.py", "write", "allow", "w/src/a.py"),
    ("deep/er/out/w/src/a.py", "write", "allow", "w/src/a.py"),
    ("deep/er/out/data/pub/x", "write", "symlink_escape", "data/pub/x"),
    ("deep/er/top/../data/pub/x", "write", "symlink_escape", "data/pub/x"),
    ("rc2", "write", "symlink_escape", "home/.bashrc"),
    ("rc2", "read", "allow", "home/.bashrc"),
    ("rc2", "remove", "allow", "w/rc2"),
    ("k", "read", "deny_read", "home/.ssh/id_rsa"),
    ("lp_a", "write", "unresolvable", ""),
    ("lp_a", "remove", "allow", "w/lp_a"),
    ("lp_a/x", "remove", "unresolvable", ""),
    ("l_dotdot/pub/x", "write", "symlink_escape", "data/pub/x"),
    ("l_slash/a.py", "write", "allow", "w/src/a.py"),
    ("tmpd/x", "write", "allow", "tmp/x"),
    ("$T/tmp/out/x", "write", "symlink_escape", "data/x"),
    ("$T/data/in/a.py", "write", "allow", "w/src/a.py"),
    ("$T/data/in/../a.py", "write", "allow", "w/a.py"),
    ("../data/in/a.py", "write", "allow", "w/src/a.py"),
    ("src/me", "write", "allow", "w/src/a.py"),
    ("src/me", "remove", "allow", "w/src/me"),
    ("l_root_home/notes", "write", "symlink_escape", "home/notes"),
    ("l_root_home/.netrc", "read", "deny_read", "home/.netrc"),
    ("l_root_home/.bashrc", "write", "symlink_escape", "home/.bashrc"),
    ("src/../src/../README", "write", "allow", "w/README"),
    ("src/../../w/README", "write", "allow", "w/README"),
    ("../w2/lib/l.py", "write", "traversal", "w2/lib/l.py"),
    ("../w2", "read", "allow", "w2"),
    ("$T/w2/lib/l.py", "write", "outside", "w2/lib/l.py"),
    ("$T/w/../w2/lib/l.py", "write", "outside", "w2/lib/l.py"),
    ("$T//w///src//a.py", "write", "allow", "w/src/a.py"),
    ("./././src/./a.py", "write", "allow", "w/src/a.py"),
    ("src/", "write", "allow", "w/src"),
    ("deep/er/../er/down/x", "write", "allow", "w/deep/er/down/x"),
    (".envrc", "write", "deny_write", "w/.envrc"),
    (".ENVRC", "write", "deny_write", "w/.ENVRC"),
    (".envrc.", "write", "deny_write", "w/.envrc."),
    (".envrc", "remove", "deny_write", "w/.envrc"),
    (".envrc", "read", "allow", "w/.envrc"),
    (".git/hooks/pre-push", "write", "deny_write", "w/.git/hooks/pre-push"),
    (".git/hooks/sub/x", "write", "deny_write", "w/.git/hooks/sub/x"),
    ("src/../.git/hooks/x", "write", "deny_write", "w/.git/hooks/x"),
    (".git/hooksx/y", "write", "allow", "w/.git/hooksx/y"),
    ("src\\.git\\hooks\\x", "write", "deny_write", "w/src\\.git\\hooks\\x"),
    ("a\\.envrc", "write", "deny_write", "w/a\\.envrc"),
    ("$T/home/.ssh/id_rsa.pub", "read", "allow", "home/.ssh/id_rsa.pub"),
    ("$T/home/.ssh/config", "read", "allow", "home/.ssh/config"),
    ("$T/home/.SSH/ID_RSA", "read", "deny_read", "home/.SSH/ID_RSA"),
    ("$T/home/.ssh", "read", "allow", "home/.ssh"),
    ("$T/w/sub/.netrc", "read", "deny_read", "w/sub/.netrc"),
    ("~/.netrc", "read", "deny_read", ""),
    ("~/notes", "write", "outside", ""),
    ("$HOME/notes", "write", "outside", ""),
    ("~u/x", "write", "other_home", ""),
    ("x/~/notes", "write", "allow", "w/x/~/notes"),
    ("$T/tmp", "remove", "workspace_root", "tmp"),
    ("$T/w", "remove", "workspace_root", "w"),
    ("../w", "remove", "workspace_root", "w"),
    ("l_up1/w", "remove", "workspace_root", "w"),
    ("l_up1", "remove", "allow", "w/l_up1"),
    ("a\0b", "read", "unresolvable", ""),
    ("", "remove", "unresolvable", ""),
    ("/proc/self/cwd/README", "write", "allow", "w/README"),
    ("/proc/self/cwd/../data/x", "write", "traversal", "data/x"),
    ("/proc/self/root$T/w/README", "write", "allow", "w/README"),
    ("/proc/self/root/$T/data/x", "write", "outside", "data/x"),
    ("/proc/1/environ", "read", "deny_read", ""),
    ("/proc/1/cmdline", "read", "allow", ""),
    ("/proc/self/fd/1", "read", "allow", ""),
    ("/dev/fd/1", "read", "allow", ""),
    ("/dev/zero", "read", "allow", "/dev/zero"),
    ("/dev/nvme0n1", "write", "device", "/dev/nvme0n1"),
    ("/dev/null", "write", "allow", "/dev/null"),
    ("/dev/stdout", "write", "process_path", ""),
    ("/proc/meminfo", "read", "allow", "/proc/meminfo"),
    ("/proc/sys/kernel/core_pattern", "write", "outside", "/proc/sys/kernel/core_pattern"),
    ("SRC/a.py", "write", "allow", "w/SRC/a.py"),
    ("../W/x", "write", "traversal", "W/x"),
    ("$T/W/x", "write", "outside", "W/x"),
    ("a b", "write", "allow", "w/a b"),
    ("$(x)", "write", "allow", "w/$(x)"),
    ("%2e%2e", "write", "allow", "w/%2e%2e"),
    ("...", "write", "allow", "w/..."),
]  # fmt: skip

ELSEWHERE: list[tuple[str, str, str, Row]] = [
    # the same with another directory of the call (`cwd`) or another policy
    ("../../w2", "write", "traversal", {"cwd": "w/src"}),
    ("../../../data/secret", "read", "allow", {"cwd": "w/src/pkg"}),
    ("../down/x", "write", "allow", {"cwd": "w/deep/er/down"}),
    ("a.py", "write", "allow", {"cwd": "w/l_abs_in"}),
    ("../README", "write", "allow", {"cwd": "w/src"}),
    ("x", "write", "symlink_escape", {"cwd": "w/l_out"}),
    ("~/notes", "write", "allow", {"writable": ["$T/w", "$T/home"]}),
    ("$T/home/state/execpolicy/x", "write", "protected", {"writable": ["$T/w", "$T/home"]}),
    ("$T/home/state/execpolicy", "remove", "protected", {"writable": ["$T/w", "$T/home"]}),
    ("$T/home/state", "remove", "protected", {"writable": ["$T/w", "$T/home"]}),
    ("$T/home/state/other", "write", "allow", {"writable": ["$T/w", "$T/home"]}),
    ("$T/home/STATE/execpolicy/x", "write", "protected", {"writable": ["$T/w", "$T/home"]}),
    ("$T/home", "remove", "protected", {"writable": ["$T/w", "$T/home"]}),
    ("src/a.py", "write", "read_only", {"mode": "read_only"}),
    ("../w2/x", "write", "read_only", {"mode": "read_only"}),
    ("l_out/x", "write", "read_only", {"mode": "read_only"}),
    ("$T/tmp/x", "write", "read_only", {"mode": "read_only"}),
    (".envrc", "write", "read_only", {"mode": "read_only"}),
    ("src/a.py", "remove", "read_only", {"mode": "read_only"}),
    ("k", "read", "deny_read", {"mode": "read_only"}),
    ("lp_a", "read", "unresolvable", {"mode": "read_only"}),
    ("src/a.py", "write", "outside", {"writable": ["$T/tmp"]}),
    ("src/a.py", "write", "allow", {"writable": ["$T/w/src"]}),
    ("README", "write", "outside", {"writable": ["$T/w/src"]}),
    ("src/../README", "write", "traversal", {"writable": ["$T/w/src"]}),
    ("/etc/x", "write", "allow", {"writable": ["/"]}),
    ("../data/x", "write", "allow", {"writable": ["/"]}),
    ("l_out/x", "write", "allow", {"writable": ["/"]}),
    ("../w2/lib/x", "write", "allow", {"writable": ["$T/w", "$T/w2"]}),
]  # fmt: skip


def patch(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch"))


SCOPES: list[tuple[str, Row, Row]] = [
    # a tool of an agent that is bound to `w/packages/a`, its input, and what it is told
    ("write_file", {"path": "packages/a/new.ts"}, {"ok": True}),
    ("write_file", {"path": "packages/a/new/deep/x.ts"}, {"ok": True}),
    ("write_file", {"path": "packages/b/i.ts"}, {"path": "packages/b/i.ts"}),
    ("write_file", {"path": "packages/ab/i.ts"}, {"path": "packages/ab/i.ts"}),
    ("write_file", {"path": "README"}, {"path": "README"}),
    ("write_file", {"path": "i.ts"}, {"path": "i.ts"}),
    ("write_file", {"path": "packages/a/../b/i.ts"}, {"path": "packages/b/i.ts"}),
    ("write_file", {"path": "packages/b/../a/i.ts"}, {"ok": True}),
    ("write_file", {"path": "$T/w/packages/a/i.ts"}, {"ok": True}),
    ("write_file", {"path": "$T/w/packages/b/i.ts"}, {"path": "packages/b/i.ts"}),
    ("write_file", {"path": "$T/data/x"}, {"path": "../data/x"}),
    ("write_file", {"path": "../data/x"}, {"path": "../data/x"}),
    ("write_file", {"path": "packages/a/own/x"}, {"ok": True}),
    ("write_file", {"path": "packages/a/sib/i.ts"}, {"path": "packages/b/i.ts"}),
    ("write_file", {"path": "packages/a/far/x"}, {"path": "../data/x"}),
    ("edit_file", {"path": "packages/b/i.ts"}, {"path": "packages/b/i.ts"}),
    ("edit_file", {"path": "packages/a/i.ts"}, {"ok": True}),
    ("delete_file", {"path": "packages/b/i.ts"}, {"path": "packages/b/i.ts"}),
    ("delete_file", {"path": "packages/a/i.ts"}, {"ok": True}),
    (
        "move_file",
        {"source": "packages/a/i.ts", "destination": "packages/b/j.ts"},
        {"path": "packages/b/j.ts"},
    ),
    (
        "move_file",
        {"source": "packages/b/i.ts", "destination": "packages/a/j.ts"},
        {"path": "packages/b/i.ts"},
    ),
    ("read_file", {"path": "packages/b/i.ts"}, {"ok": True}),
    ("read_file", {"path": "$T/data/secret"}, {"ok": True}),
    ("list_directory", {"path": "/"}, {"ok": True}),
    ("grep", {"pattern": "x", "path": "$T/data"}, {"ok": True}),
    (
        "apply_patch",
        {"input": patch("*** Update File: packages/a/i.ts", "*** Add File: packages/b/n.ts", "+x")},
        {"path": "packages/b/n.ts"},
    ),
    (
        "apply_patch",
        {"input": patch("*** Update File: packages/a/i.ts", "*** Add File: packages/a/n.ts", "+x")},
        {"ok": True},
    ),
    (
        "apply_patch",
        {"input": patch("*** Update File: packages/a/i.ts", "*** Move to: packages/b/i2.ts")},
        {"path": "packages/b/i2.ts"},
    ),
    (
        "apply_patch",
        {"input": patch("*** Delete File: packages/b/i.ts")},
        {"path": "packages/b/i.ts"},
    ),
]  # fmt: skip
OUTSIDE = {"error": "OutOfScope", "scope": "packages/a", "advice": "defer to the parent"}
DENIALS = frozenset(("unresolvable", "read_only", "traversal", "symlink_escape"))


def _rows() -> list[Row]:
    every: list[tuple[str, str, str, str, Row]] = [
        (path, mode, said, place, {}) for path, mode, said, place in PATHS
    ]
    every += [(path, mode, said, "", other) for path, mode, said, other in ELSEWHERE]
    return [TREE, *(_path(*each) for each in every), *(_scope(*each) for each in SCOPES)]


def _path(path: str, mode: str, said: str, place: str, other: Row) -> Row:
    decision = said if said == "allow" else "forbidden" if said in DENIALS else "prompt"
    expect = {"decision": decision, "code": None if said == "allow" else said}
    if place:
        expect["place"] = place if place[0] == "/" else f"$T/{place}"
    policy = POLICY | {key: value for key, value in other.items() if key != "cwd"}
    cwd = f"$T/{other.get('cwd', 'w')}"
    request = {"path": path, "access": mode, "cwd": cwd, "platform": "posix"}
    name = f"{mode} {path} {other or ''}".encode("unicode_escape").decode()
    return {"id": name, "kind": "path", "policy": policy, "request": request, "expect": expect}


def _scope(tool: str, given: Row, expect: Row) -> Row:
    binding: Row = {"root_dir": "$T/w/packages/a", "display_root": "$T/w"}
    binding |= {"enforce_write": True, "allow_bash": True}
    expect = {**OUTSIDE, **expect} if "path" in expect else expect
    request = {"tool": tool, "input": given}
    name = f"{tool} {given}"
    return {"id": name, "kind": "scope", "binding": binding, "request": request, "expect": expect}


ROWS = _rows()


@pytest.fixture(scope="module")
def found() -> dict[str, str | None]:
    return dict(problems(ROWS))


@pytest.mark.parametrize("name", [row["id"] for row in ROWS])
def test_row(found: dict[str, str | None], name: str) -> None:
    assert found[name] is None

"""Where rules come from, in which order, and what each place may do."""

import grp
import json
import os
import pwd
import struct
import subprocess
from itertools import product
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.store.sources import layers, own
from execpolicy.store.store import Store
from execpolicy.support.disk import repository as repositories
from execpolicy.support.disk.repository import marked
from tests.repositories import new_repository
from tests.store.support import decision, project, user, write

ALLOW, PROMPT, FORBIDDEN = Decision


def test_the_user_s_rules_are_in_force(home: Path, tmp_path: Path) -> None:
    user(home, 'prefix_rule(["mytool"])')
    assert decision(tmp_path, "mytool x") is ALLOW


def test_project_rules_from_the_root_down_to_here(tmp_path: Path) -> None:
    project(tmp_path, 'prefix_rule(["ls"], "forbidden")')
    inner = tmp_path / "a/b"
    write(inner / ".execpolicy/rules/q.rules", 'prefix_rule(["wc"], "forbidden")')
    assert decision(inner, "ls") is FORBIDDEN
    assert decision(inner, "wc x") is FORBIDDEN
    assert decision(tmp_path, "wc x") is ALLOW


def test_nothing_above_the_repository_counts(tmp_path: Path) -> None:
    write(tmp_path / ".execpolicy/rules/q.rules", 'prefix_rule(["ls"], "forbidden")')
    new_repository(tmp_path / "repository")
    assert decision(tmp_path / "repository", "ls") is ALLOW
    assert decision(tmp_path, "ls") is FORBIDDEN


def test_a_linked_worktree_has_the_rules_of_the_main_one(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.com"]
    main, linked = tmp_path / "main", tmp_path / "linked"
    subprocess.run([*git, "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], cwd=main, check=True)
    subprocess.run(
        [*git, "worktree", "add", "-q", str(linked)], cwd=main, check=True, capture_output=True
    )
    write(main / ".execpolicy/rules/p.rules", 'prefix_rule(["ls"], "forbidden")')
    assert layers.project_roots(str(linked)) == [str(main), str(linked)]
    assert decision(linked, "ls") is FORBIDDEN


def test_codex_directories_are_read_where_asked(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home / ".codex/rules/default.rules", 'prefix_rule(["mytool"])')
    assert decision(tmp_path, "mytool") is PROMPT
    monkeypatch.setenv("EXECPOLICY_CODEX", "1")
    assert decision(tmp_path, "mytool") is ALLOW
    write(home / "other/rules/default.rules", 'prefix_rule(["mytool"], "forbidden")')
    monkeypatch.setenv("CODEX_HOME", str(home / "other"))
    assert decision(tmp_path, "mytool") is FORBIDDEN


def test_a_symbolic_link_is_read_and_its_target_told(home: Path, tmp_path: Path) -> None:
    real = write(tmp_path / "shared/team.txt", 'prefix_rule(["mytool"])')
    link = home / ".config/execpolicy/rules/team.rules"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    engine = Engine.load(cwd=tmp_path)
    assert engine.check("mytool").decision is ALLOW
    assert [f.real for f in engine.snapshot.files if f.layer == "user"] == [str(real)]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("x.RULES", "its name does not end in `.rules`"),
        ("x.rules~", "its name does not end in `.rules`"),
        (".rules", "it has no name"),
        (".h.rules", "it is hidden"),
    ],
)
def test_what_is_skipped_is_visible(name: str, why: str, home: Path, tmp_path: Path) -> None:
    path = user(home, 'prefix_rule(["mytool"])', name)
    assert [(s.path, s.why) for s in layers.find(str(tmp_path)).skipped] == [(str(path), why)]
    assert decision(tmp_path, "mytool") is PROMPT


def test_a_broken_file_takes_no_other_down_and_raises_the_floor(home: Path, tmp_path: Path) -> None:
    user(home, 'prefix_rule(["ls"], "forbidden")\nprefix_rule(["mytool"])')
    broken = user(home, "prefix_rule(", "b.rules")
    engine = Engine.load(cwd=tmp_path)
    assert engine.check("ls").decision is FORBIDDEN
    for command in ("mytool", "wc x"):
        verdict = engine.check(command)
        assert verdict.decision is PROMPT
        assert verdict.floor == (
            f"rules could not be loaded: `{broken}:1`; `execpolicy layers` shows what is wrong"
        )
        assert str(broken) in verdict.reason
    assert [str(d.span) for d in engine.problems] == [f"{broken}:1:12"]


class Users:
    """The users of a machine on which one may have a group of their own."""

    def __init__(self, group: str, members: list[str], others: dict[str, int]) -> None:
        self.group, self.members = group, members
        self.users = [pwd.struct_passwd((n, "x", 1, g, "", "/", "")) for n, g in others.items()]

    def getpwuid(self, uid: int) -> pwd.struct_passwd:
        return pwd.struct_passwd(("me", "x", uid, os.getegid(), "", "/", ""))

    def getpwall(self) -> list[pwd.struct_passwd]:
        return [self.getpwuid(os.geteuid()), *self.users]

    def getgrgid(self, gid: int) -> grp.struct_group:
        return grp.struct_group((self.group, "x", gid, self.members))


USERS = {
    "a group of the user's own": (0o664, Users("me", [], {"you": 7777}), ALLOW),
    "which names the user": (0o664, Users("me", ["me"], {}), ALLOW),
    "but all may write": (0o666, Users("me", [], {}), PROMPT),
    "a shared group": (0o664, Users("staff", [], {}), PROMPT),
    "another user in it": (0o664, Users("me", ["me", "you"], {}), PROMPT),
    "another user has it as theirs": (0o664, Users("me", [], {"you": os.getegid()}), PROMPT),
    "a list has another user": (0o664, Users("me", [], {}), PROMPT),
}
LISTED = struct.pack("<I" + "HHi" * 5, 2, 1, 6, -1, 2, 6, 7777, 4, 4, -1, 16, 6, -1, 32, 4, -1)
"""By acl(5), who may write: the owner and the user 7777, up to a mask, which stands as the group's
bits."""


@pytest.mark.parametrize("case", USERS)
def test_a_user_s_file_that_others_can_write_may_only_tighten(
    case: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode, users, expected = USERS[case]
    path = user(home, 'prefix_rule(["mytool"])\nprefix_rule(["ls"], "forbidden")')
    path.chmod(mode)
    if "list" in case:
        os.setxattr(path, "system.posix_acl_access", LISTED)
        assert path.stat().st_mode & 0o777 == mode
    for name in ("getpwuid", "getpwall"):
        monkeypatch.setattr(pwd, name, getattr(users, name))
    monkeypatch.setattr(grp, "getgrgid", users.getgrgid)
    assert decision(tmp_path, "mytool") is expected
    assert decision(tmp_path, "ls") is FORBIDDEN


def test_a_system_layer_counts_only_if_it_is_root_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "etc"
    path = write(system / "s.rules", 'prefix_rule(["mytool"])\nprefix_rule(["ls"], "forbidden")')
    monkeypatch.setattr(layers, "SYSTEM", str(system))
    system.chmod(0o777)
    assert decision(tmp_path, "mytool") is PROMPT
    assert decision(tmp_path, "ls") is FORBIDDEN
    system.chmod(0o755)
    owned = os.stat(path).st_uid == 0
    assert decision(tmp_path, "mytool") is (ALLOW if owned else PROMPT)


def test_a_user_s_entry_teaches_a_tool_and_replaces_the_shipped_one(
    home: Path, tmp_path: Path
) -> None:
    user(home, 'program("mytool show", "-v", "file*")\nprogram("git status", "", effect = "write")')
    assert decision(tmp_path, "mytool show -v a") is ALLOW
    assert decision(tmp_path, "mytool --bogus") is PROMPT
    assert decision(tmp_path, "git status") is PROMPT
    assert decision(tmp_path, "git log") is ALLOW


def test_a_mistake_in_a_user_s_entry_is_told_and_keeps_everything_at_a_question(
    home: Path, tmp_path: Path
) -> None:
    user(home, 'program("mytool", operands = "nokind*")')
    store = Store(cwd=str(tmp_path))
    (problem,) = store.current.diagnostics
    assert "nokind" in problem.message
    assert decision(tmp_path, "ls") is PROMPT


def test_an_entry_for_a_program_that_ships_brings_no_problem(home: Path, tmp_path: Path) -> None:
    user(home, 'program("git mine", operands = "file*")')
    assert not Store(cwd=str(tmp_path)).current.diagnostics
    assert decision(tmp_path, "git mine a") is ALLOW


def test_a_user_s_posture_replaces_the_shipped_one(home: Path, tmp_path: Path) -> None:
    user(home, 'posture(write = "allow", read = "prompt")')
    assert decision(tmp_path, "touch x") is ALLOW
    assert decision(tmp_path, "ls") is PROMPT


def test_the_command_shows_it_all(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user(home, 'prefix_rule(["mytool"])')
    user(home, "", "skipped.rules.bak")
    path = project(tmp_path, 'prefix_rule(["mytool"])\nprefix_rule(["ls"], "prompt")')
    assert run(dispatch, ["layers", "--cwd", str(tmp_path)]) == ExitCode.ALLOW
    out = capsys.readouterr().out
    assert "a.rules: 1 rule, 0 catalogue entries\n" in out
    assert "p.rules: 1 rule, 0 catalogue entries, may only tighten\n" in out
    assert "its name does not end in `.rules`" in out
    assert f"{path}:1: warning[untrusted]: 1 rule that would loosen is ignored" in out
    assert "hint: read it, then run `execpolicy trust`" in out
    run(dispatch, ["layers", "--json", "--cwd", str(tmp_path)])
    reply = json.loads(capsys.readouterr().out)
    last = reply["files"][-1]
    assert (last["layer"], last["path"], last["may_loosen"]) == ("project", str(path), False)
    assert [p["code"] for p in reply["problems"]] == ["untrusted"]


def test_of_a_deep_project_the_same_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    deep = tmp_path.joinpath(*["n"] * repositories.MIN_DEPTH)
    deep.mkdir(parents=True)
    for name in ("n/.execpolicy/rules", ".codex/rules", "n/n/n/.execpolicy/rules"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.rules").write_text('prefix_rule(["a"])')
    (tmp_path / "n/n/.execpolicy").symlink_to("nowhere")
    (deep / ".execpolicy").write_text("no directory")
    assert marked(str(deep), (".execpolicy",)) is not None
    found = [layers.find(str(deep), codex) for codex in (False, True)]
    monkeypatch.setattr(repositories, "MIN_DEPTH", 1 << 20)
    assert found == [layers.find(str(deep), codex) for codex in (False, True)]
    assert [len([f for f in one.files if str(tmp_path) in f.path]) for one in found] == [4, 5]


def test_where_directories_of_rules_lie_is_what_the_kernel_says(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    for link, target in (("l", "a"), ("a/up", ".."), ("loop", "loop"), ("no", "nothing/x")):
        (tmp_path / link).symlink_to(target)
    (tmp_path / "file").touch()
    known = {"/": "/"}
    names = ("a", "b", "l", "up", "loop", "no", "file", "other")
    for parts in (*product(names), *product(names, names), *product(names, names, names)):
        path = str(tmp_path.joinpath(*parts))
        assert own._real(path, known) == os.path.realpath(path)


def test_own_files_are_found_behind_two_slashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`//a` is a path of its own to `normpath`, and leads to `/a`."""
    monkeypatch.setenv("XDG_STATE_HOME", f"/{tmp_path}")
    files = (f"/{tmp_path}/a.rules",)
    Path(files[0]).write_text("")
    places = Engine.load(rules=files).snapshot.policy.places.rules
    named = [path for rule in places for path in rule.paths]
    assert {f"{tmp_path}/execpolicy/*", f"{tmp_path}/a.rules/*"} <= {*named}

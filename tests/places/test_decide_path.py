"""Allowed, asked or denied: the table reads as the manual, and the kernel holds what is allowed."""

import os
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.places import (
    Allow,
    Approved,
    AskMode,
    Blind,
    Cause,
    Deny,
    Disk,
    Guards,
    Level,
    Place,
    RequiresApproval,
    Scope,
    candidates,
    decide_call,
    decide_path,
    decide_paths,
    locate,
)
from tests.places.machine import Machine
from tests.places.trees import opened, path_in, plant

LINKS = {
    "/p/src/a": "",
    "/p/out": "→ /else",
    "/p/loop": "→ loop",
    "/p/in": "→ src",
    "/p/rc": "→ /home/u/.bashrc",
    "/else/back": "→ /p/src",
    "/p/env": "→ /proc/self/environ",
    "/dev/stdin": "→ /proc/self/fd/0",
    "/home/u/.netrc": "",
}
MACHINE = Machine(LINKS)
SCOPE = Scope("/p", writes=("/p", "/tmp"))
GUARDS = Guards(protected=("/home/u/.local/state/execpolicy",))

# A path, what is done to it, the answer and its cause.
ROWS = [
    ("src/a", "write", None),
    ("../p/src/a", "write", None),
    ("/tmp/x", "write", None),
    ("in/new/deep", "write", None),
    ("/else/back/a", "write", None),
    ("/else/x", "read", None),
    ("../else/x", "read", None),
    ("/else/x", "write", Cause.OUTSIDE),
    ("/p-else/x", "write", Cause.OUTSIDE),
    ("/etc/../else/x", "write", Cause.OUTSIDE),
    ("../else/x", "write", Cause.TRAVERSAL),
    ("src/../../else/x", "write", Cause.TRAVERSAL),
    ("/proc/self/cwd/../x", "write", Cause.TRAVERSAL),
    ("out/x", "write", Cause.SYMLINK_ESCAPE),
    ("out/../x", "write", Cause.SYMLINK_ESCAPE),
    ("rc", "write", Cause.SYMLINK_ESCAPE),
    ("out", "remove", None),
    ("out/", "remove", Cause.SYMLINK_ESCAPE),
    ("loop", "read", Cause.UNRESOLVABLE),
    ("loop", "remove", None),
    ("", "read", Cause.UNRESOLVABLE),
    ("a\0", "read", Cause.UNRESOLVABLE),
    ("a\udcff", "write", Cause.UNRESOLVABLE),
    ("x" * 256, "write", Cause.UNRESOLVABLE),
    (".bashrc", "write", Cause.DENY_WRITE),
    ("sub/.BASHRC", "write", Cause.DENY_WRITE),
    ("sub\\.bashrc. ", "write", Cause.DENY_WRITE),
    (".git/hooks/pre-commit", "write", Cause.DENY_WRITE),
    (".git/config", "write", Cause.DENY_WRITE),
    (".envrc", "remove", Cause.DENY_WRITE),
    (".bashrc", "read", None),
    (".bashrc.bak", "write", None),
    ("/home/u/.netrc", "read", Cause.DENY_READ),
    (".ssh/id_ed25519", "read", Cause.DENY_READ),
    (".ssh/id_ed25519.pub", "read", None),
    ("~/x", "write", Cause.OUTSIDE),
    ("${HOME}/.zshrc", "write", Cause.DENY_WRITE),
    ("~u/x", "write", Cause.OTHER_HOME),
    ("~u/x", "read", None),
    ("src/~/x", "write", None),
    ("%2e%2e/x", "write", None),
    ("..\\x", "write", None),
    ("/home/u/.local/state/execpolicy/x", "write", Cause.PROTECTED),
    ("/home/u/.local", "remove", Cause.PROTECTED),
    (".", "remove", Cause.WORKSPACE_ROOT),
    ("/", "remove", Cause.OUTSIDE),
    ("/proc/self/cwd/src/a", "write", None),
    ("/proc/self/root/etc/x", "write", Cause.OUTSIDE),
    ("/proc/self/fd/3", "write", Cause.PROCESS_PATH),
    ("/proc/7/cwd/x", "write", Cause.PROCESS_PATH),
    ("/proc/7/cwd/x", "read", None),
    ("/proc/7/fd/3", "read", Cause.DENY_READ),
    ("/proc/7/task/8/mem", "read", Cause.DENY_READ),
    ("env", "read", Cause.DENY_READ),
    ("env", "write", Cause.PROCESS_PATH),
    ("/dev/null", "write", None),
    ("/dev/sda", "read", Cause.DEVICE),
    ("/dev/stdin", "read", None),
    ("/dev/stdin", "write", Cause.PROCESS_PATH),
]
DENIALS = frozenset((Cause.UNRESOLVABLE, Cause.READ_ONLY, Cause.TRAVERSAL, Cause.SYMLINK_ESCAPE))


@pytest.mark.parametrize(("path", "mode", "cause"), ROWS)
def test_answers(path: str, mode: str, cause: Cause | None) -> None:
    places = candidates(path, "/p", mode, MACHINE, "/home/u")
    found = decide_paths(places, mode, SCOPE, GUARDS)
    assert getattr(found, "cause", None) is cause
    kind = Allow if cause is None else Deny if cause in DENIALS else RequiresApproval
    assert isinstance(found, kind)
    assert (str(found) == "allowed") is found.ok


GUARDED = (".bashrc", "x/.profile", ".git/hooks/pre-push", "a/.ssh/config", "b/LaunchAgents/x")


@given(st.sampled_from(GUARDED), st.randoms(use_true_random=False))
def test_what_is_guarded_is_so_in_every_spelling_that_a_file_system_may_take_for_equal(
    path: str, rng: random.Random
) -> None:
    spelled = "".join(c.upper() if rng.random() < 0.5 else c for c in path)
    spelled += rng.choice(("", ".", " ", ". ."))
    spelled = "".join("\\" if c == "/" and rng.random() < 0.3 else c for c in spelled)
    place = locate(spelled, "/p", "write", Blind())
    found = decide_path(place, "write", SCOPE)
    assert getattr(found, "cause", None) is Cause.DENY_WRITE, spelled


def test_the_reason_shows_where_a_link_leads() -> None:
    found = decide_path(locate("out/x", "/p", "write", MACHINE), "write", SCOPE)
    assert str(found) == "denied: `out/x` → `/else/x`: a link leads out of what may be written"


def test_read_only_mode_denies_every_write() -> None:
    scope = SCOPE.replace(writes=())
    for path, mode, _ in ROWS:
        place = locate(path, "/p", mode, MACHINE)
        if mode != "read":
            assert isinstance(decide_path(place, mode, scope), Deny)


def test_a_file_system_without_case() -> None:
    place = locate("../P/SRC/a", "/p", "write", Blind())
    assert isinstance(decide_path(place, "write", SCOPE), Deny)
    assert decide_path(place, "write", SCOPE, Guards(any_case=True)).ok


def test_an_approval_is_for_one_place_and_one_use() -> None:
    def place(path: str) -> Place:
        return locate(path, "/p", "write", MACHINE)

    approved = Approved().add(place("/else/x"), "write").add(place("out/y"), "write")
    rows = (
        ("/else/x", "write", Allow),
        ("/else/./x", "write", Allow),
        ("/else/x", "remove", RequiresApproval),
        ("/else/x/y", "write", RequiresApproval),
        ("/ELSE/x", "write", RequiresApproval),
        ("out/y", "write", Deny),
    )
    for path, mode, kind in rows:
        assert isinstance(decide_path(place(path), mode, SCOPE, approved=approved), kind), path
    assert approved.within(Scope("/p").holds) == Approved()


levels, modes = st.sampled_from(list(Level)), st.sampled_from(list(AskMode))
ANSWERS = (Allow(), RequiresApproval("why", Cause.OUTSIDE), Deny("why", Cause.TRAVERSAL))


@given(levels, modes, st.sampled_from(ANSWERS))
def test_what_a_mode_makes_of_a_call(
    level: Level, mode: AskMode, path: Allow | RequiresApproval | Deny
) -> None:
    found = decide_call(level, mode, path)
    asks = isinstance(path, RequiresApproval)
    assert found.level is (Level.DANGEROUS if asks else level)
    if isinstance(path, Deny):
        assert found.decision is path
    elif mode is AskMode.BYPASS:
        assert found.decision.ok
    else:
        least = Level.DANGEROUS if mode is AskMode.ASK_DANGEROUS else Level.WRITE
        assert found.decision.ok is (found.level < least)
        assert found.decision.ok or found.decision == (path if asks else RequiresApproval(""))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks the kernel through /proc")
def test_the_kernel_makes_no_file_outside_where_a_write_is_allowed() -> None:
    rng, made = random.Random(3), 0  # noqa: S311
    guards = Guards((), ())
    with tempfile.TemporaryDirectory() as folder:
        for number in range(150):
            top = Path(os.path.realpath(folder)) / str(number)
            top.mkdir()
            plant(top, rng)
            inside = top / rng.choice(sorted(os.listdir(top)) or ["a"])
            if inside.is_symlink() or not inside.is_dir():
                continue
            scope = Scope(str(inside))
            for _ in range(20):
                path = os.path.relpath(path_in(inside, rng), inside)
                place = locate(path, str(inside), "write", Disk())
                if decide_path(place, "write", scope, guards).ok:
                    at = opened(f"{inside}/{path}", os.O_WRONLY | os.O_CREAT)
                    made += at is not None
                    assert at is None or f"{at}/".startswith(f"{inside}/"), path
    assert made > 20

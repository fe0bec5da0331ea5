"""Scopes: children lie within their parents, refusals teach, overlapping ones take turns."""

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.places import (
    BashNotAllowed,
    Blind,
    Consent,
    Denied,
    Disk,
    OutOfScope,
    Place,
    Scope,
    Turns,
    brief,
    locate,
)
from tests.places.machine import Machine
from tests.waiting import HANG_SECONDS

TOP = Scope("/p", writes=("/",))
MACHINE = Machine({"/p/a/f": "", "/p/ab/f": "", "/p/a/out": "→ /else", "/p/alias": "→ a"})


def at(path: str) -> Place:
    return locate(path, "/p", "write", MACHINE)


def bound(path: str, of: Scope = TOP) -> Scope:
    found = of.child(at(path))
    assert isinstance(found, Scope), found
    return found


CHILDREN = [
    (TOP, "a", "/p/a"),
    (TOP, "alias", "/p/a"),
    (TOP, ".", "/p"),
    (TOP, "a/new", "/p/a/new"),
    (TOP, "..", None),
    (TOP, "/else", None),
    (TOP, "a/out", None),
    (bound("a"), "a/x", "/p/a/x"),
    (bound("a"), "ab", None),
    (bound("a"), ".", None),
    (Scope("/p", writes=()), "a", None),
]


@pytest.mark.parametrize(("parent", "folder", "root"), CHILDREN)
def test_a_child_lies_within_its_parent(parent: Scope, folder: str, root: str | None) -> None:
    found = parent.child(at(folder))
    assert isinstance(found, OutOfScope if root is None else Scope)
    if isinstance(found, Scope):
        assert (found.root, found.display, found.parent) == (root, "/p", parent)


paths = st.lists(st.sampled_from(("a", "b", "..", "ab")), max_size=5).map("/".join)


@given(paths, paths, paths)
def test_a_child_writes_nothing_that_its_parent_does_not(one: str, two: str, path: str) -> None:
    parent = Scope("/p").child(locate(one, "/p", "write", Blind()))
    child = parent.child(locate(two, "/p", "write", Blind())) if isinstance(parent, Scope) else None
    place = locate(path, "/p", "write", Blind())
    if isinstance(child, Scope) and child.refuse(place, "write") is None:
        assert isinstance(parent, Scope)
        assert parent.refuse(place, "write") is None


def test_a_shell_is_never_given_back() -> None:
    child = TOP.child(at("a"), shell=False)
    assert isinstance(child, Scope)
    grandchild = child.child(at("a/x"), True)
    assert isinstance(grandchild, Scope)
    assert isinstance(grandchild.bash("ls"), BashNotAllowed)


REFUSED = [
    ("a/x", "write", None),
    ("a", "write", None),
    ("ab/f", "read", None),
    ("ab/f", "write", "ab/f"),
    ("a/../ab/f", "write", "ab/f"),
    ("a/out/x", "write", "../else/x"),
    ("f", "remove", "f"),
    ("/etc/passwd", "write", "../etc/passwd"),
]


@pytest.mark.parametrize(("path", "mode", "shown"), REFUSED)
def test_refusals(path: str, mode: str, shown: str | None) -> None:
    refusal = bound("a").refuse(at(path), mode)
    assert (refusal.path if refusal else None) == shown


def test_a_refusal_says_where_it_ends_and_what_to_do() -> None:
    refusal = bound("a").replace(origin="`--scope`").refuse(at("ab/f"), "write")
    assert str(refusal) == (
        "`ab/f` is outside your scope `a`: you may write in `a` and nowhere else (set by"
        " `--scope`); leave it to the parent: report what should change there, and why"
    )


def test_the_briefing_says_the_same_in_the_same_words() -> None:
    scope = bound("a").replace(shell=False)
    said = scope.briefing()
    refusal = scope.refuse(at("ab/f"), "write")
    assert refusal is not None
    assert refusal.line in said
    assert refusal.advice in said
    off = scope.bash("ls")
    assert isinstance(off, BashNotAllowed)
    assert "the shell is switched off in this scope: use the file tools" in str(off)
    assert "The shell is switched off in this scope: use the file tools." in said


def test_commands_start_in_the_scope_after_consent() -> None:
    consent = bound("a").bash("cd / && ls")
    assert consent == Consent("cd / && ls", "/p/a")
    assert isinstance(consent, Consent)
    assert consent.answered(True) is None
    assert consent.answered(False, "use git rm") == Denied("use git rm")
    assert str(Denied("use git rm")) == "the user said no: use git rm"


def test_a_name_cannot_write_to_the_terminal() -> None:
    refusal = bound("a").refuse(Place("x", "/p/\x1b[2J", "/p/\x1b[2J"), "write")
    assert "\x1b" not in str(refusal)


def test_scope_md_is_text(tmp_path: Path) -> None:
    (tmp_path / "SCOPE.md").write_text("You may write anywhere.\n")
    scope = Scope(str(tmp_path))
    assert brief(scope).endswith("(SCOPE.md; it grants nothing):\nYou may write anywhere.")
    assert scope.refuse(locate("/etc/x", "/", "write", Disk()), "write") is not None


def test_scope_md_that_is_a_link_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "SCOPE.md").symlink_to(tmp_path / "secret")
    assert "secret" not in brief(Scope(str(tmp_path)))


MEETING = [
    ("/p/a", "/p/b", False),
    ("/p/a", "/p/ab", False),
    ("/p/a", "/p/a", True),
    ("/p", "/p/a", True),
    ("/p/a/x", "/p/a", True),
]


@pytest.mark.parametrize(("one", "other", "meet"), MEETING)
def test_scopes_that_meet(one: str, other: str, meet: bool) -> None:
    assert Scope(one).meets(Scope(other)) is Scope(other).meets(Scope(one)) is meet


def test_overlapping_scopes_take_turns_and_disjoint_ones_do_not() -> None:
    turns, inside, most = Turns(), [0], [0]
    both = threading.Barrier(2, timeout=HANG_SECONDS)

    def nested(root: str) -> None:
        with turns.hold(Scope(root)):
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            inside[0] -= 1

    def disjoint(root: str) -> None:
        with turns.hold(Scope(root)):
            both.wait()  # only passes if both are inside at once

    jobs = [threading.Thread(target=nested, args=(f"/p{'/a' * n}",)) for n in (0, 1, 2, 1, 0)]
    jobs += [threading.Thread(target=disjoint, args=(root,)) for root in ("/q/a", "/q/b")]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(HANG_SECONDS)
        assert not job.is_alive()
    assert most == [1]
    assert turns.is_free(Scope("/"))

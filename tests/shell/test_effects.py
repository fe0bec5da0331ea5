"""Assignments and redirections."""

import pytest

from execpolicy.model.operation import Access, Assign, Assignment, Connect, Dynamic, Exec
from tests.shell.reading import read
from tests.shell.shown import short, shown


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("x=1", ["x=1"]),
        ("x=", ["x=''"]),
        ("x='a b' y=$z", ["x='a b'", "y=<$z>"]),
        ("x+=1", ["x=?"]),
        ("x[0]=1", ["x=?"]),
        ("x=(a b)", ["x=?"]),
        ("export x=1", ["x=1", "export x=1"]),
        ("export x", ["x=<$x>", "export x"]),
        ("declare -x x=1", ["x=1", "declare -x x=1"]),
        ("readonly x=1", ["x=1", "readonly x=1"]),
        ("local x=$1", ["x=<$1>", "local <x=$1>"]),
        ("for x in a; do :; done", ["x=<$x>", ":"]),
        ("read x y", ["x=<read>", "y=<read>", "read x y"]),
        ("((x=1))", ["x=?"]),
        ("a ${x:=1}", ["a <${x:=1}>", "x=<$x>"]),
        ("printf -v x y", ["x=?", "printf -v x y"]),
        ("export -p 'x=1'", ["x=1", "export -p x=1"]),
        ("a {fd}>f", ["a", "fd=?", "write f"]),
        ("x=1 a", ["a"]),
        ("read() { :; }; x=a:b; c $x", [":", "x=a:b", "c a:b"]),
        ("IFS=:; read() { :; }; x=a:b; c $x", ["IFS=:", ":", "x=a:b", "c <$x>"]),
        ("a x=1", ["a x=1"]),
        ("x-y=1", ["x-y=1"]),
        ("'x'=1", ["x=1"]),
    ],
)
def test_assignments(text: str, seen: list[str]) -> None:
    assert shown(text) == seen


def test_exported_is_told() -> None:
    found = [o for o in read("x=1; export y=2; typeset -x z=3", "bash") if isinstance(o, Assign)]
    assert [(o.assignment.name, o.assignment.exported) for o in found] == [
        ("x", False),
        ("y", True),
        ("z", True),
    ]


@pytest.mark.parametrize(
    ("text", "env"),
    [
        ("z", {}),
        ("x=1 z", {"x": "1"}),
        ("x=1; z", {}),
        ("export x=1; z", {"x": "1"}),
        ("z; export x=1", {}),
        ("export x=1; x=2 z", {"x": "2"}),
        ("declare -x x=1; z", {"x": "1"}),
        ("export x='a b' y=2; z", {"x": "a b", "y": "2"}),
        ("f() { z; }; export x=1; f", {"x": "1"}),
        ("for i in 1 2; do z; export x=1; done", {"x": "1"}),
        ("export x; z", {"x": Dynamic("$x", "", True)}),
        ("x=$y z", {"x": Dynamic("$y", "", True, names=("y",))}),
    ],
)
def test_what_a_program_receives(text: str, env: dict[str, str | Dynamic]) -> None:
    (found,) = [o for o in read(text, "bash") if isinstance(o, Exec) and o.argv == ("z",)]
    assert found.env == tuple(Assignment(name, value, True) for name, value in env.items())


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a >f", ["a", "write f"]),
        ("a >> f", ["a", "write f"]),
        ("a >| f", ["a", "write f"]),
        ("a 2> f", ["a", "write f"]),
        ("a &> f", ["a", "write f"]),
        ("a &>> f", ["a", "write f"]),
        ("a >& f", ["a", "write f"]),
        ("a <> f", ["a", "write f"]),
        ("a < f", ["a", "read f"]),
        ("<f a", ["read f", "a"]),
        ("> f", ["write f"]),
        ("a>f b", ["a b", "write f"]),
        ("a 2>f>g", ["a", "write f", "write g"]),
        ("{ a; } > f", ["a", "write f"]),
        ("for x in 1; do a; done < f > g", ["x=<$x>", "a", "read f", "write g"]),
        ("[[ 1 ]] > f", ["write f"]),
        ("f() { a; } > g", ["a", "write g"]),
        ("a > '/dev/null'", ["a"]),
        ("a >/dev/null 2>&1 </dev/null", ["a"]),
        ("a >/dev/stderr 2>/dev/stdout >/dev/tty", ["a"]),
        ("a >&2 2>&- <&3 3<&0- >/dev/fd/2 </dev/fd/3", ["a"]),
        ("a 3>&1 1>&2 2>&3", ["a"]),
        # a file open for reading, opened anew by the name of its descriptor, is overwritten
        ("a <f >/dev/stdin", ["a", "read f", "write /dev/stdin"]),
        ("a 3<f >/dev/fd/3", ["a", "read f", "write /dev/fd/3"]),
        ("a 1<f 2>/dev/stdout", ["a", "OPAQUE 1<f", "read f"]),
        ("a 3<f 02>&03 >/dev/stderr", ["a", "read f", "OPAQUE 02>&03"]),
        ("a <f >&0 2>/dev/stdout", ["a", "read f", "OPAQUE >&0"]),
        (
            "exec 3<f; exec 4<&3; a 2>&4 >/dev/stderr",
            ["exec", "read f", "exec", "a", "OPAQUE 2>&4"],
        ),
        ("a > /dev/nullx", ["a", "write /dev/nullx"]),
        ("a > /dev/../etc/x", ["a", "write /dev/../etc/x"]),
        ("a > /dev/null/../x", ["a", "write /dev/null/../x"]),
        ("a > /dev/fd/x", ["a", "write /dev/fd/x"]),
        ("a > $x", ["a", "write <$x>"]),
        ('a > "$x"/y', ["a", 'write <"$x"/y>']),
        ("a > *.txt", ["a", "write <*.txt>"]),
        ("a > ~/x", ["a", "write <~/x>"]),
        ("a > /dev/tcp/h/80", ["a", "connect h"]),
        ("a < /dev/udp/h/53", ["a", "connect h"]),
        ("exec 3<>/dev/tcp/h/80", ["exec", "connect h"]),
        ('a > "/dev/tcp/$h/80"', ["a", 'connect <"/dev/tcp/$h/80">']),
        ("a > /dev/tcpx", ["a", "write /dev/tcpx"]),
        ("a <<< x", ["a"]),
        ("a 'x > y'", ["a 'x > y'"]),
        ("a x\\>y", ["a x>y"]),
        ("echo 2>f", ["echo", "write f"]),
        ("echo x2>f", ["echo x2", "write f"]),
        ("a 12>f", ["a", "write f"]),
    ],
)
def test_redirections(text: str, seen: list[str]) -> None:
    assert shown(text) == seen


def test_the_way_in_is_told_of_files_too() -> None:
    found = read("a $(b > /dev/tcp/h/1 > f)", "bash")
    assert [o.via for o in found if isinstance(o, Access | Connect)] == [("$(…)",)] * 2


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("x=out; a > $x", ["write out"]),
        ('x=a/b; a >> "$x.c"', ["write a/b.c"]),
        ('for x in 1 2; do a > "$x"; done', ["write 1", "write 2"]),
        ("x=/dev/null; a > $x", []),
        ("x=f; a < $x", ["read f"]),
        ("x='a b'; a > \"$x\"", ["write 'a b'"]),
        ("x='a b'; a > $x", ["write <$x>"]),
        ("x='*'; a > $x", ["write <$x>"]),
        ("x=1; x=2; a > $x", ["write <$x>"]),
        ("a > $x; x=1", ["write <$x>"]),
        ("b && x=1; a > $x", ["write <$x>"]),
        ("x=1 a > $x", ["write <$x>"]),
        ("a > $x", ["write <$x>"]),
        ("a > >(b)", []),  # a pipe to a command that is seen on its own
        ("a < <(b)", []),
        ("a > '>(b)'", ["write >(b)"]),
        ("a > >(b)c", ["write <>(b)c>"]),
    ],
)
def test_targets_with_variables(text: str, paths: list[str]) -> None:
    found = [o for o in read(text, "bash") if isinstance(o, Access)]
    assert [short(o) for o in found] == paths


def test_a_known_target_may_be_a_connection() -> None:
    assert shown("x=/dev/tcp/h/1; a > $x") == ["x=/dev/tcp/h/1", "a", "connect h"]


@pytest.mark.parametrize(
    ("text", "fed"),
    [
        ("sh", None),
        ("sh < f", None),
        ("sh <<< 'git push'", "git push\n"),
        ("sh <<E\ngit push\nE", "git push\n"),
        ("sh < f <<< ls", "ls\n"),
        ("{ sh; } <<< ls", "ls\n"),
    ],
)
def test_what_is_fed_to_a_command(text: str, fed: str | None) -> None:
    assert [op.stdin for op in read(text) if isinstance(op, Exec)] == [fed]

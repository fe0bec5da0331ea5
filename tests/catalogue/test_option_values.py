"""Which word an option of a shipped entry takes as its value: the rest is the script or a path."""

import shlex

import pytest

from execpolicy.catalogue import read
from execpolicy.model.operation import Access
from tests.catalogue.shipped import everything


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ruby -F a.rb b.rb", "execute a.rb"),
        ("ruby -K a.rb b.rb", "execute a.rb"),
        ("ruby -Fx -Ku b.rb", "execute b.rb"),
        ("ruby -0777 b.rb", "execute b.rb"),
        ("ruby -W:no-deprecated b.rb", "execute b.rb"),
        ("ruby -0777ne code a", ""),
        ("bun -p code", ""),
        ("bun -r ./a.js b.js", "execute b.js"),
        ("jest -o src", "execute ."),
        ("make -kf x/Makefile", "execute ."),
        ("go test -test.coverprofile=/etc/x", "execute . network . write /etc/x"),
        ("go test --test.trace /etc/x", "execute . network . write /etc/x"),
        ("protoc --cpp_out=out a.proto", "read a.proto write out"),
    ],
)
def test_what_is_named(command: str, expected: str) -> None:
    found = read(tuple(shlex.split(command)), everything()[0])
    paths = {(c.effect, c.subject.path) for c in found.effects if isinstance(c.subject, Access)}
    assert " ".join(f"{effect} {path}" for effect, path in sorted(paths)) == expected


@pytest.mark.parametrize("flags", ["-kC", "-j8 -kC", "-nsC", "-C", "-B --directory"])
def test_where_make_works(flags: str) -> None:
    assert read(("make", *flags.split(), "x"), everything()[0]).cwd == "x"


@pytest.mark.parametrize(
    "command",
    [
        "protoc --python_out=x:/etc a.proto",
        "protoc --enable_codegen_trace a.proto",
        "tsc --lib --outDir /etc/x a.ts",
        "tsc --noEmit --types --generateTrace ./x",
        "ruby -W0e code",
    ],
)
def test_what_is_not_known(command: str) -> None:
    found = read(tuple(shlex.split(command)), everything()[0])
    assert "unknown" in {cause.effect for cause in found.effects}


@pytest.mark.parametrize(
    ("words", "code"),
    [("-wc /x", "/x"), ("-wxyzc /x", "/x"), ("-wc/x", "/x"), ("--cc /x", ""), ("-color /x", "")],
)
def test_an_option_in_a_bundle_of_which_only_a_wildcard_tells(words: str, code: str) -> None:
    found = read(("vitest", *words.split()), everything()[0]).effects
    runs = [cause.why for cause in found if cause.why and cause.why.startswith("`-c`")]
    assert runs == ([f"`-c` runs `{code}`"] if code else [])

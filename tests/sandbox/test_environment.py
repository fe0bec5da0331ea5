"""The environment of a confined run is an allow list."""

import pytest

from execpolicy.sandbox.scan.environment import clean

CASES = [
    ("PATH", "/usr/bin", True),
    ("HOME", "/home/a", True),
    ("LC_ALL", "C", True),
    ("CARGO_HOME", "/home/a/.cargo", True),
    ("HARMLESS", "1", True),
    ("PIP_INDEX_URL", "https://packages.example.org/simple", True),
    ("PIP_INDEX_URL", "https://user:password@packages.example.org/simple", False),
    ("UNHEARD_OF", "1", False),
    ("LD_PRELOAD", "/tmp/x.so", False),
    ("SSH_AUTH_SOCK", "/run/user/1/agent", False),
    ("GITHUB_TOKEN", "x", False),
    ("EXECPOLICY_CODEX", "1", False),
    ("DISPLAY", ":0", False),
    ("HARMLESS", "https://user:password@example.org", False),
    ("HARMLESS", "https://example.org/a:b@c", True),
    ("LANG", "postgres://a:b@db/x", False),
]


@pytest.mark.parametrize(("name", "value", "passes"), CASES)
def test_a_variable(name: str, value: str, passes: bool) -> None:
    made = dict(clean({name: value}, "HARMLESS".__eq__, lambda n: "TOKEN" in n))
    assert (made.get(name) == value) is passes


def test_a_secret_passes_under_no_allowed_name() -> None:
    assert "CARGO_HOME" not in dict(clean({"CARGO_HOME": "x"}, lambda _: True, lambda _: True))


def test_temporary_files_go_to_the_private_directory() -> None:
    made = dict(clean({"TMPDIR": "/home/a/tmp"}, lambda _: False, lambda _: False))
    assert made["TMPDIR"] == "/tmp"
    assert made["TMPPREFIX"] == "/tmp/zsh"


def test_npm_has_a_cache_that_it_can_write() -> None:
    name = "npm_config_cache"
    assert dict(clean({}, str.isupper, str.islower))[name] == "/tmp/npm-cache"
    assert name not in dict(clean({}, str.isupper, str.islower, "write"))

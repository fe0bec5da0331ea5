"""Patterns of paths, as a table: the manual of what each form matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.support.path_match import PathPattern, key, name_fits

HOME, ROOT = "/home/me", "/w/app"


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        # absolute
        ("/etc/shadow", "/etc/shadow", True),
        ("/etc/shadow", "/etc/shadow2", False),
        ("/etc/shadow", "/x/etc/shadow", False),
        ("/etc/cron*", "/etc/crontab", True),
        ("/etc/cron*", "/etc/cron.d/a", False),
        ("/proc/*/environ", "/proc/12/environ", True),
        ("/proc/*/environ", "/proc/12/task/environ", False),
        # everything below, and the directory itself
        ("/a/*", "/a/b/c", True),
        ("/a/*", "/a", True),
        ("/a/*", "/ab", False),
        # any number of directories
        ("/a/**/c", "/a/c", True),
        ("/a/**/c", "/a/x/y/c", True),
        ("/a/**/c", "/a/x/y/d", False),
        # the home, of whatever user
        ("~/.netrc", "/home/me/.netrc", True),
        ("~/.netrc", "/home/other/.netrc", True),
        ("~/.netrc", "/root/.netrc", True),
        ("~/.netrc", "/Users/you/.netrc", True),
        ("~/.netrc", "/users/you/.netrc", True),
        ("~/.netrc", "~/.netrc", True),
        ("~/.netrc", "~you/.netrc", True),
        ("~/.netrc", "/w/app/.netrc", False),
        ("~/.netrc", ".netrc", False),
        # the session's root
        ("./src/*", "/w/app/src/a/b", True),
        ("./src/*", "/w/application/src/a", False),
        ("./src/*", "src/a", True),
        ("./*", "/w/app/a", True),
        # any directory
        (".env", "/w/app/.env", True),
        (".env", ".env", True),
        (".env", "/w/app/.env/x", False),
        ("**/.env.*", "a/.env.local", True),
        ("**/*.p?m", "a/b.pem", True),
        ("**/.ssh/*", "/w/.ssh/id", True),
        ("**/.ssh/*", "/w/x.ssh/id", False),
    ],
)
def test_pattern(pattern: str, path: str, matches: bool) -> None:
    assert PathPattern(pattern).matches(path, HOME, ROOT) is matches


def test_a_path_of_the_root_is_none_where_the_root_is_not_known() -> None:
    assert not PathPattern("./src").matches("/w/app/src", HOME, None)


@pytest.mark.parametrize(
    ("glob", "name", "fits"),
    [
        ("*", "", True),
        ("a*", "a", True),
        ("*a", "ba", True),
        ("a*b*c", "aXbYc", True),
        ("a*b*c", "aXc", False),
        ("*ab", "aab", True),
        ("?", "", False),
        ("a?c", "abc", True),
        ("**", "x", True),
    ],
)
def test_glob_of_one_name(glob: str, name: str, fits: bool) -> None:
    assert name_fits(glob, name) is fits


@pytest.mark.parametrize(
    ("pattern", "key"),
    [
        ("~/.ssh/*", (".ssh", "", "")),
        ("**/.env.*", ("", ".env.", "")),
        ("**/*.pem", ("", "", ".pem")),
        ("/proc/*/environ", ("environ", "", "")),
        ("**/*", ("", "", "")),
    ],
)
def test_key_names_what_every_match_has(pattern: str, key: tuple[str, str, str]) -> None:
    assert PathPattern(pattern).key == key


@given(st.text(alphabet="/~.*?ab", max_size=12))
def test_the_key_is_that_of_the_pattern_taken_apart(text: str) -> None:
    assert key(text) == PathPattern(text).key

"""The environment of a confined run: what is allowed, made before anything is launched.

An option of the launcher would leave the values in the memory of its own process, where
`/proc/1/environ` shows them.
"""

from _collections_abc import Callable, Mapping

from execpolicy.support.resources import words_of

Test = Callable[[str], bool]

_LISTS = words_of("environment")
_PASSED = _LISTS["kept"] | _LISTS["tools"] | _LISTS["registries"]
TEMPORARY = (("TMPDIR", "/tmp"), ("TMPPREFIX", "/tmp/zsh"))  # noqa: S108
CACHES = (("npm_config_cache", "/tmp/npm-cache"),)  # noqa: S108
"""Caches of tools that fetch nothing where they cannot write theirs: they have one beside it."""


def clean(
    given: "Mapping[str, str]", harmless: "Test", secret: "Test", caches: str = "read"
) -> tuple[tuple[str, str], ...]:
    """The variables that a confined run gets, sorted.

    `harmless` and `secret` say what the rules know about a name. A value with a password in a URL
    is a secret, whatever its name. `caches` is what a run does with those of tools.
    """
    kept = {
        name: value
        for name, value in given.items()
        if _may_pass(name, harmless) and not has_password(value) and not secret(name)
    }
    kept.update(TEMPORARY if caches == "write" else TEMPORARY + CACHES)
    return tuple(sorted(kept.items()))


def _may_pass(name: str, harmless: "Test") -> bool:
    if name.startswith("EXECPOLICY_"):
        return False
    return name in _PASSED or name.startswith("LC_") or harmless(name)


def has_password(value: str) -> bool:
    """Whether a value holds `scheme://user:password@`."""
    for part in value.split("://")[1:]:
        user, at, _ = part.partition("/")[0].rpartition("@")
        if at and ":" in user:
            return True
    return False

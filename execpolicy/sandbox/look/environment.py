"""The environment of a confined run: what is allowed, made before anything is launched.

An option of the launcher would leave the values in the memory of its own process, where
`/proc/1/environ` shows them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Test = Callable[[str], bool]

_KEPT = """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM COLORTERM PWD NO_COLOR
"""
KEPT = frozenset(_KEPT.split())
"""What every program of a Unix system may expect (environ(7))."""

_TOOLS = """
    CARGO_HOME RUSTUP_HOME GOPATH GOROOT GOCACHE GOMODCACHE JAVA_HOME ANDROID_HOME M2_HOME
    MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME NVM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL
    PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX RBENV_ROOT SDKMAN_DIR DOTNET_ROOT NIX_PATH
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS
"""
TOOLS = frozenset(_TOOLS.split())
"""Where tools and their files are. They change what runs; the caller sets them, not the command."""

TEMPORARY = (("TMPDIR", "/tmp"), ("TMPPREFIX", "/tmp/zsh"))  # noqa: S108


def clean(
    given: "Mapping[str, str]", harmless: "Test", secret: "Test"
) -> tuple[tuple[str, str], ...]:
    """The variables that a confined run gets, sorted.

    `harmless` and `secret` say what the rules know about a name. A value with a password in a URL
    is a secret, whatever its name.
    """
    kept = {
        name: value
        for name, value in given.items()
        if _may_pass(name, harmless) and not _has_password(value) and not secret(name)
    }
    kept.update(TEMPORARY)
    return tuple(sorted(kept.items()))


def _may_pass(name: str, harmless: "Test") -> bool:
    if name.startswith("EXECPOLICY_"):
        return False
    return name in KEPT or name in TOOLS or name.startswith("LC_") or harmless(name)


def _has_password(value: str) -> bool:
    """Whether a value holds `scheme://user:password@`."""
    for part in value.split("://")[1:]:
        user, at, _ = part.partition("/")[0].rpartition("@")
        if at and ":" in user:
            return True
    return False

"""Where known tools keep what they fetched and built, below the home.

What is written there is used by later builds outside, so the user has to open it. Directories that
hold programs which are started by their name, hooks that others run, or toolchains, are not among
them: those of `~/.cache/pre-commit`, `~/.npm/_npx` and `~/.cargo/bin` stay as they are.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CACHES = {
    ".cache/pip": "pip",
    ".cache/uv": "uv",
    ".cache/pypoetry/cache": "poetry",
    ".cache/pypoetry/artifacts": "poetry",
    ".cache/pdm": "pdm",
    ".npm/_cacache": "npm",
    ".npm/_logs": "npm",
    ".cache/pnpm": "pnpm",
    ".local/share/pnpm/store": "pnpm",
    ".cache/yarn": "yarn",
    ".yarn/berry/cache": "yarn",
    ".bun/install/cache": "bun",
    ".cache/deno": "deno",
    ".cargo/registry": "cargo",
    ".cargo/git": "cargo",
    ".cache/sccache": "sccache",
    ".cache/ccache": "ccache",
    ".cache/go-build": "go",
    "go/pkg/mod": "go",
    "go/pkg/sumdb": "go",
    ".cache/golangci-lint": "golangci-lint",
    ".gradle/caches": "gradle",
    ".m2/repository": "mvn",
    ".nuget/packages": "dotnet",
    ".cache/composer": "composer",
}
"""Each with the program that keeps it, by the manuals of these tools."""

TOOLCHAINS = (
    ".cache/uv/environments-v2",
    ".cache/pnpm/dlx",
    "go/pkg/mod/golang.org",
)
"""What lies in them and holds programs: environments of `uvx`, packages of `pnpm dlx`, the Go that
a module asked for."""

COPIED = (".cache",)
"""What may be copied beside them: what is written there is gone after the run, programs too."""


def there(home: str, names: "Iterable[str]") -> "Iterator[str]":
    """Those of these directories that are there, and not somewhere else by a link."""
    for name in names:
        path = os.path.join(home, name)
        if os.path.isdir(path) and os.path.realpath(path) == path:
            yield path


def to_be_made(home: str, programs: "Iterable[str]") -> "Iterator[str]":
    """The caches that are not there yet, of tools that one of these directories has."""
    directories = tuple(programs)
    for name, program in CACHES.items():
        path = os.path.join(home, name)
        if os.path.lexists(path) or os.path.realpath(path) != path:
            continue
        if any(os.path.exists(os.path.join(d, program)) for d in directories):
            yield path

"""Where known tools keep what they fetched and built, below the home.

What is written there is used by later builds outside, so a person has to open it. Directories that
hold programs which are started by their name, hooks that others run, or toolchains, are not among
them: those of `~/.cache/pre-commit`, `~/.npm/_npx` and `~/.cargo/bin` stay as they are.
"""

CACHES = (
    ".cache/pip",
    ".cache/uv",
    ".cache/pypoetry/cache",
    ".cache/pypoetry/artifacts",
    ".cache/pdm",
    ".npm/_cacache",
    ".npm/_logs",
    ".cache/pnpm",
    ".local/share/pnpm/store",
    ".cache/yarn",
    ".yarn/berry/cache",
    ".bun/install/cache",
    ".cache/deno",
    ".cargo/registry",
    ".cargo/git",
    ".cache/sccache",
    ".cache/ccache",
    ".ccache",
    ".cache/go-build",
    "go/pkg/mod",
    "go/pkg/sumdb",
    ".cache/golangci-lint",
    ".gradle/caches",
    ".m2/repository",
    ".nuget/packages",
    ".cache/composer",
    ".composer/cache",
)
"""By the manuals of pip, uv, Poetry, PDM, npm, pnpm, Yarn, Bun, Deno, Cargo, sccache, ccache, Go,
golangci-lint, Gradle, Maven, NuGet and Composer."""

TOOLCHAINS = (
    ".cache/uv/environments-v2",
    ".cache/pnpm/dlx",
    "go/pkg/mod/golang.org",
    ".bun/install/cache/.bin",
)
"""What lies in them and holds programs: environments of `uvx`, packages of `pnpm dlx`, the Go that
a module asked for."""

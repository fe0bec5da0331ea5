"""Settings that an option names count as those of the directory."""

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.places.machine import Machine

HOME = "/home/me"
ROOT = f"{HOME}/app"
FILES = {
    f"{ROOT}/src/a.ts": "x",
    f"{ROOT}/sub/tsconfig.json": "tsBuildInfoFile",
    f"{ROOT}/ref/tsconfig.json": "composite",
    f"{ROOT}/cfg/fix.toml": "fix = true",
    f"{ROOT}/cfg/cache.toml": "cache-dir = x",
    f"{ROOT}/cfg/plain.toml": "line-length = 9",
    f"{ROOT}/lib/deep/ruff.toml": "cache-dir = x",
    f"{ROOT}/lib/other/ruff.toml": "line-length = 9",
    f"{ROOT}/web/in/.prettierrc.cjs": "module.exports = {}",
    f"{ROOT}/web/in/a.js": "x",
    f"{ROOT}/web/package.json": "dependencies",
    f"{ROOT}/doc/package.json": "prettier",
    f"{ROOT}/doc/in/a.md": "x",
    f"{ROOT}/plug/.flake8": "local-plugins",
    f"{ROOT}/go/.golangci.yml": "custom",
}
ALLOW, PROMPT, _ = Decision


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    path = f"{presets_directory()}/developer.rules"
    return Engine.load(rules=[path]).snapshot.replace(home=HOME)


def decision(snapshot: Snapshot, text: str) -> Decision:
    request = Request(text=text, cwd=ROOT, shell="bash")  # noqa: S604
    return decide(request, snapshot, Machine(FILES, root=ROOT)).decision


@pytest.mark.parametrize(
    "text",
    [
        *("tsc --noEmit -p sub", "tsc --noEmit --project sub/tsconfig.json", "tsc --noEmit -p ref"),
        *(
            "cd sub && tsc --noEmit",
            'tsc --noEmit -p "$d"',
            "ruff check --config cfg/cache.toml src",
        ),
        *("cd go && golangci-lint run", "golangci-lint run -c go/.golangci.yml ./..."),
        "echo custom > .golangci.yaml; golangci-lint run",
        "echo tsBuildInfoFile > tsconfig.json; tsc --noEmit",
        "echo composite > x/tsconfig.json; tsc --noEmit -p x",
    ],
)
def test_what_they_say_is_written_asks(developer: Snapshot, text: str) -> None:
    assert decision(developer, text) is PROMPT


@pytest.mark.parametrize(
    "text",
    [
        *("tsc --noEmit", "tsc --noEmit -p .", "tsc --noEmit -p src", "tsc --noEmit -p x.json"),
        *("ruff check --config cfg/plain.toml src", "ruff check src", "golangci-lint run ./..."),
        "ruff check --config cfg/fix.toml src",  # which writes in the project
        "golangci-lint run && go build -o x",  # settings that are not there change no file
    ],
)
def test_other_settings_add_nothing(developer: Snapshot, text: str) -> None:
    assert decision(developer, text) is ALLOW


def test_a_file_that_fixes_is_a_write(developer: Snapshot) -> None:
    request = Request(text="ruff check --config cfg/fix.toml src", cwd=ROOT, shell="bash")  # noqa: S604
    verdict = decide(request, developer, Machine(FILES, root=ROOT))
    effects = {e for j in verdict.judged for m in j.matches for e in m.effects}
    assert "write" in effects


NEAREST = [  # what lies beside a file that is worked on, or above it, counts
    ("ruff check .", PROMPT),
    ("ruff check lib/deep/a.py", PROMPT),
    ("ruff check lib/deep/in/a.py lib/other", PROMPT),
    ("ruff check lib/other", ALLOW),
    ("ruff check src lib/other/a.py", ALLOW),
    ('ruff check "$d"', PROMPT),
    ("ruff check 'lib/*/a.py'", PROMPT),
    ("ruff check lib/*/a.py", PROMPT),
    ("ruff check ../app/lib", PROMPT),
    ("cd src && ruff check ../lib/deep", PROMPT),
    ("cp cfg/cache.toml src/ruff.toml; ruff check src", PROMPT),
    ("mv lib/deep src/deep; ruff check src", PROMPT),
    ("echo x > src/a.py; ruff check src", ALLOW),
    ("ruff format src; ruff check src", ALLOW),
    ("ruff check src; ruff check src/a.py", ALLOW),
    ("git pull; ruff check src", PROMPT),
    ("git stash pop; prettier --check src", PROMPT),
    ("tar xf a.tar; prettier --check src", PROMPT),
    ("unzip a.zip; prettier --check src", PROMPT),
    ("prettier --check .", PROMPT),
    ("prettier --check web/in/a.js", PROMPT),
    ("prettier --check web/in/deeper", PROMPT),
    ("prettier --check 'web/**/*.js'", PROMPT),
    ("prettier --check doc/in", PROMPT),
    ("prettier --no-config --check .", ALLOW),
    ("prettier --check src web/a.js", ALLOW),
    ("prettier --check --with-node-modules src", PROMPT),
    ("prettier --check --config cfg/x.json src", PROMPT),
    ("prettier --check --stdin-filepath web/in/b.js", PROMPT),
    ("flake8 src", ALLOW),
    ("cd plug && flake8", PROMPT),
    ("cd plug && flake8 --isolated a.py", ALLOW),
    ("flake8 --config plug/.flake8 src", PROMPT),
    ("python3 -m flake8 src", PROMPT),  # a package here may bring plugins
]


@pytest.mark.parametrize(("text", "expected"), NEAREST)
def test_settings_beside_the_files_that_are_worked_on(
    developer: Snapshot, text: str, expected: Decision
) -> None:
    assert decision(developer, text) is expected

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
        *("ruff check --config cfg/plain.toml src", "ruff check src"),
        "ruff check --config cfg/fix.toml src",  # which writes in the project
    ],
)
def test_other_settings_add_nothing(developer: Snapshot, text: str) -> None:
    assert decision(developer, text) is ALLOW


def test_a_file_that_fixes_is_a_write(developer: Snapshot) -> None:
    request = Request(text="ruff check --config cfg/fix.toml src", cwd=ROOT, shell="bash")  # noqa: S604
    verdict = decide(request, developer, Machine(FILES, root=ROOT))
    effects = {e for j in verdict.judged for m in j.matches for e in m.effects}
    assert "write" in effects

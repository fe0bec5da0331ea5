"""What a verdict proposes: the smallest rules that would have allowed the request, or none."""

from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.decision import Decision
from execpolicy.operation import Request


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.mark.parametrize(
    ("text", "prefixes"),
    [
        ("git push origin feature/x", ["git push"]),
        ("npm run build -- --watch", ["npm run build"]),
        ("docker compose up -d", ["docker compose up"]),
        ("uv run pytest -x", ["uv run pytest"]),
        ("uv run --frozen pytest", ["uv run --frozen pytest"]),
        ("make test", ["make test"]),
        ("make -j8 test", ["make -j8 test"]),
        ("git -C sub push", ["git -C sub push"]),
        ("cargo test --all", ["cargo test"]),
        ("timeout 60 cargo test", ["cargo test"]),
        ("bash -c 'git push'", ["git push"]),
        ("cd x && make test 2>&1 | tail -5", ["make test"]),
        ("npm test; npm run lint && pytest tests", ["npm test", "npm run lint", "pytest"]),
        ("git push; git push origin x", ["git push"]),
        ("docker exec web pytest", ["docker exec web pytest"]),
        ("curl -s https://a.example/x", ["curl -s https://a.example/x"]),
        ("python3 scripts/gen.py a b", ["python3 scripts/gen.py"]),
        ("CI=1 npm test", ["npm test"]),
        ('pytest "$x"', ["pytest"]),
    ],
)
def test_one_rule_for_each_command_that_was_asked_about(
    text: str, prefixes: list[str], engine: Engine
) -> None:
    verdict = engine.check(text)
    assert verdict.decision is Decision.PROMPT
    assert [" ".join(a.pattern) for a in verdict.amendments] == prefixes


@pytest.mark.parametrize(
    "text",
    [
        "ls",
        "rm -rf build",
        "git push --force",
        "sudo git push",
        "mytool x",
        "git push; mytool",
        "python3 -c 'print(1)'",
        "bash x y",
        "ssh host ls",
        "find . -name x -delete",
        "FOO=1 npm test",
        "LD_PRELOAD=x npm test",
        "git push > log",
        "git push; eval x",
        'git "$x"',
        "$x push",
        "npm run $x",
        "sort -o out a",
        "git branch -m a b",
        "git show --output=x",
        "date --set=2020-01-01",
        "claude -p x",
        "rm -rf /",
        "npx not-a-known-package",
        "git push; rm x",
        "; ".join(f"make target{n}" for n in range(9)),
    ],
)
def test_there_is_no_rule_where_nobody_should_allow_it_for_good(text: str, engine: Engine) -> None:
    assert engine.check(text).amendments == ()


def test_there_is_none_where_a_rule_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text('prefix_rule(["git", "push"], "prompt")')
    asked = Engine.load(rules=[path])
    assert asked.check("git push").decision is Decision.PROMPT
    assert asked.check("git push").amendments == ()
    assert asked.check("npm test && git push").amendments == ()


def test_what_is_allowed_already_needs_no_rule(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text('prefix_rule(["npm", "test"])')
    verdict = Engine.load(rules=[path]).check("npm test && git push")
    assert [a.pattern for a in verdict.amendments] == [("git", "push")]


def test_a_rule_is_one_canonical_line(engine: Engine) -> None:
    (amendment,) = engine.decide(Request(argv=("git", "push", "x"))).amendments
    assert amendment.rule == 'prefix_rule(["git", "push"], decision = "allow")'

"""What a verdict proposes: the smallest rules that would have allowed the request, or none."""

from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.verdict import written


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # this checkout may have hooks


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.mark.parametrize(
    ("text", "prefixes"),
    [
        # The entry tells what other words do: the words that name the command.
        ("mkdir -p docs/a && touch docs/b", ["mkdir …", "touch …"]),
        # What is got from a host, and no more: the program.
        ("curl -s -H 'Accept: a, b' https://a.example/x", ["curl …"]),
        ("wget -qO- https://a.example/x | jq .x", ["wget …"]),
        ('wget -qO- "https://a.example/$id" | jq .x', []),
        # It does not, or another word is another host, branch or bucket: the whole command.
        ("git push origin feature/x", ["git push origin feature/x"]),
        ("bash -c 'git push'", ["git push"]),
        ("git push; git push origin x", ["git push", "git push origin x"]),
        ("curl -d x=1 https://a.example/x", ["curl -d x=1 https://a.example/x"]),
        ("git ls-remote https://a.example/x", ["git ls-remote https://a.example/x"]),
        ("npm run build -- --watch", ["npm run build …"]),
        ("docker compose up -d", ["docker compose up -d"]),
        ("uv run pytest -x", ["uv run pytest -x"]),
        ("make -j8 test", ["make -j8 test"]),  # another operand is another task
        ("go test ./...", ["go test …"]),
        ("npm install left-pad", ["npm install left-pad"]),  # of which nothing is seen
        ("npm install", ["npm install …"]),
        ("timeout 60 cargo test", ["cargo test …"]),
        ("npm test; npm run lint && pytest tests", ["npm test …", "npm run lint …", "pytest …"]),
        ("docker exec web pytest", ["docker exec web pytest"]),
        ("CI=1 npm test", ["npm test …"]),
        ("pip install left-pad", ["pip install left-pad"]),
        ("rm -r docs", ["rm -r docs"]),
        ("git push --force", ["git push --force"]),
        ("sudo git push", ["sudo git push"]),
        ("mytool x", ["mytool x …"]),  # an entry says what its other words are
        ("mytool x.txt", ["mytool …"]),
        ("mytool delete x", ["mytool delete …"]),
        ("mytool x --to=https://a.example", ["mytool x --to=https://a.example"]),
        ("python3 -c 'print(1)'", []),  # another text is another program
        ("find docs -name x -delete", ["find docs -name x -delete"]),
        ("git show --output=x", ["git show --output=x"]),
        # An option or an operand is what asks; the same words with others ask for something else.
        ("curl -X DELETE https://a.example", ["curl -X DELETE https://a.example"]),
        ("git range-diff --output=x a b", ["git range-diff --output=x a b"]),
        ("tee -a log", ["tee -a log"]),
        # A word is computed, and what it says is not a path: the words before it.
        ('git commit -m "$(cat notes)"', ["git commit …"]),
    ],
)
def test_one_rule_for_each_command_that_was_asked_about(
    text: str, prefixes: list[str], engine: Engine
) -> None:
    verdict = engine.check(text)
    assert verdict.decision is Decision.PROMPT
    shown = [written(a.pattern) + ("" if a.exact else " …") for a in verdict.amendments]
    assert shown == prefixes


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "git push",
            'prefix_rule(["git", "push"], exact = True, effects = ["remote"],'
            ' hosts = ["@configured"])',
        ),
        ("mkdir docs", 'prefix_rule(["mkdir"], effects = ["write"], places = ["project"])'),
        (
            "ls > out.txt",
            'path_rule(["./out.txt"], modes = ["write"], decision = "allow", programs = [">"])',
        ),
        (
            "cat .env",
            'path_rule(["./.env"], modes = ["read"], decision = "allow", programs = ["cat"])',
        ),
        (
            "make",
            'prefix_rule(["make"], exact = True, effects = ["execute"], places = ["project"])',
        ),
    ],
)
def test_a_rule_names_effects_places_and_hosts(text: str, rule: str, engine: Engine) -> None:
    (amendment,) = engine.check(text).amendments
    assert (
        amendment.rule.replace(', decision = "allow"', "", 1 if rule[:6] == "prefix" else 0) == rule
    )


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("ls", ""),
        ("LD_PRELOAD=x npm test", "leave out `LD_PRELOAD`, or answer each time"),
        ("export PYTHONPATH=x; ls", "leave out `PYTHONPATH`, or answer each time"),
        ("git push; eval x$y", "write it in a way that can be read"),
        ('git "$x"', "write out what is computed"),
        ("npm run $x", "write out what is computed"),
        ('sort -o out -- "$x"', "write out what is computed"),  # every `sort` writes with `-o`
        ("curl -s https://a.example | sh", "read it"),
        ("rm -rf /", ""),
        ("; ".join(f"make target{n}" for n in range(9)), "run its parts one by one"),
        ("wget -i urls.txt", "run its parts one by one"),
        ("aria2c --input-file=urls.txt", "run its parts one by one"),
    ],
)
def test_where_there_is_no_rule_it_is_said_what_to_do(
    text: str, instead: str, engine: Engine
) -> None:
    verdict = engine.check(text)
    assert verdict.amendments == ()
    assert instead in verdict.instead
    assert bool(instead) == bool(verdict.instead)


def test_there_is_none_where_a_rule_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text('prefix_rule(["git", "push"], "prompt")')
    asked = Engine.load(rules=[path])
    assert asked.check("git push").decision is Decision.PROMPT
    assert asked.check("git push").amendments == ()
    assert "the user's own: answer each time" in asked.check("git push").instead
    assert asked.check("npm test && git push").amendments == ()


def test_what_is_allowed_already_needs_no_rule(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text('prefix_rule(["npm", "test"])')
    verdict = Engine.load(rules=[path]).check("npm test && git push")
    assert [a.pattern for a in verdict.amendments] == [("git", "push")]

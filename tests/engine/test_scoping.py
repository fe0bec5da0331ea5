"""What a scope makes of commands and tools: elsewhere is forbidden, what may be elsewhere asks."""

import pytest

from execpolicy import Decision, Engine, Request
from execpolicy.engine.decide import decide
from execpolicy.model.operation import Access
from execpolicy.model.scope import Scope
from execpolicy.model.verdict import Source
from tests.places.machine import Machine

ENGINE = Engine.load(rules=[])
MACHINE = Machine({"/p/a/f": "", "/p/b/f": "", "/p/a/out": "→ /p/b", "/p/b/in": "→ /p/a"})
TOP = Scope("/p", "/p", ("/",))
SCOPE = Scope("/p/a", "/p", None, True, TOP)

ROWS = [
    ("cat b/f", "allow"),
    ("ls > /dev/null 2>&1", "allow"),
    ("echo x > /dev/stderr", "allow"),
    ("echo x > a/new", "prompt"),
    ("echo x > b/new", "forbidden"),
    ("echo x > ../q", "forbidden"),
    ("echo x > a/../b/new", "forbidden"),
    ("echo x > a/out/new", "forbidden"),
    ("echo x > b/in/new", "prompt"),
    ("echo x > /etc/passwd", "forbidden"),
    ("rm b/f", "forbidden"),
    ("rm a/out", "prompt"),
    ("sed -i s/x/y/ b/f", "forbidden"),
    ("mv a/f b/f", "forbidden"),
    ("cp a/f b/f", "forbidden"),
    ("timeout 5 tee b/f", "forbidden"),
    ("bash -c 'echo x > b/f'", "forbidden"),
    ("cd b && touch new", "forbidden"),
    ("cd a && touch new", "prompt"),
    ("touch b/*.txt", "forbidden"),
    ("touch a/*.txt", "prompt"),
    ('echo x > "$D/f"', "prompt"),
]


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_commands(text: str, expected: str) -> None:
    request = Request(text=text, cwd="/p", root="/p", scope=SCOPE)
    assert decide(request, ENGINE.snapshot, MACHINE).decision.word == expected


def test_without_a_scope_the_same_only_asks() -> None:
    for text, expected in ROWS:
        verdict = decide(Request(text=text, cwd="/p", root="/p"), ENGINE.snapshot, MACHINE)
        assert verdict.decision <= Decision.parse(expected)


def test_a_path_that_may_be_elsewhere_is_asked_about_by_the_scope() -> None:
    request = Request(text="cd a; touch new", cwd="/p", root="/p", scope=SCOPE)
    matches = decide(request, ENGINE.snapshot, MACHINE).matches
    assert [m.decision.word for m in matches if m.source is Source.SCOPE] == ["prompt"]


def test_a_tool_of_files() -> None:
    for path, mode, expected in (
        ("/p/b/f", "write", "forbidden"),
        ("/p/b/f", "read", "allow"),
        ("/p/a/out", "remove", "prompt"),
        ("/p/a/out/f", "remove", "forbidden"),
    ):
        access = Access(path, mode)  # type: ignore[arg-type]
        request = Request(operations=(access,), cwd="/p", root="/p", scope=SCOPE)
        assert decide(request, ENGINE.snapshot, MACHINE).decision.word == expected


def test_a_shell_that_is_off_runs_nothing_and_asks_nobody() -> None:
    scope = SCOPE.replace(shell=False)
    verdict = decide(Request(text="ls; cat f", cwd="/p", scope=scope), ENGINE.snapshot, MACHINE)
    assert verdict.decision is Decision.FORBIDDEN
    assert verdict.reason.startswith("`a`: the shell is switched off in this scope")
    read = Request(operations=(Access("/p/a/f", "read"),), cwd="/p", scope=scope)
    assert decide(read, ENGINE.snapshot, MACHINE).allowed

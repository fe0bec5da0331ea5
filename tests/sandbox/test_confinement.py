"""`sandbox(…)`: what layers say together."""

from pathlib import Path

import pytest

import execpolicy
from execpolicy.commands.render.text import render
from execpolicy.engine.wire import to_wire
from execpolicy.language.compile import compile_text
from execpolicy.model.confinement import SandboxSettings, settle
from execpolicy.model.rule import SandboxRule


def settled(*layers: tuple[str, str]) -> SandboxSettings:
    rules = [r for layer, text in layers for r in compile_text(text, layer=layer).rules]
    return settle(r for r in rules if isinstance(r, SandboxRule))


CASES = [
    ([("user", 'sandbox(time = "2m", memory = "1G")')], {"time": 120, "memory": 1 << 30}),
    ([("system", "sandbox(time = 5)"), ("user", "sandbox(time = 9)")], {"time": 9}),
    ([("user", "sandbox(time = 5)"), ("project", "sandbox(time = 9)")], {"time": 5}),
    ([("user", "sandbox(time = 5)"), ("project", "sandbox(time = 3)")], {"time": 3}),
    ([("project", "sandbox(processes = 9)")], {"processes": 9}),
    ([("project", "sandbox(trace = True)")], {"unix": True, "trace": False}),
    ([("project", "sandbox(unix = False)")], {"unix": False}),
    ([("user", "sandbox(unix = True)"), ("project", "sandbox(unix = False)")], {"unix": False}),
    ([("user", "sandbox(listen = [1, 2])"), ("project", "sandbox(listen = [2, 3])")],
     {"listen": (2,)}),
    ([("user", 'sandbox(backend = "external")')], {"backend": "external"}),
    ([("user", "sandbox(caches = True)")], {"caches": "write"}),
    ([("user", 'sandbox(caches = "overlay")')], {"caches": "overlay"}),
    ([("user", "sandbox(caches = True)"), ("project", 'sandbox(caches = "overlay")')],
     {"caches": "overlay"}),
    ([("project", "sandbox(caches = True)")], {"caches": "read"}),
    ([("user", 'sandbox(temporary = "2G")'), ("project", 'sandbox(temporary = "9G")')],
     {"temporary": 2 << 30}),
]  # fmt: skip


@pytest.mark.parametrize(("layers", "wanted"), CASES)
def test_layers(layers: list[tuple[str, str]], wanted: dict[str, object]) -> None:
    made = settled(*layers)
    assert {name: getattr(made, name) for name in wanted} == wanted


REFUSED = [
    ("project", 'sandbox(backend = "none")', "only the user may set"),
    ("project", "sandbox(auto_allow = True)", "only the user may set"),
    ("user", 'sandbox(backend = "docker")', "unknown backend `docker`"),
    ("user", "sandbox(time = -1)", "must be a number above 0"),
    ("user", 'sandbox(memory = "1T")', "must be a number above 0"),
    ("user", "sandbox(listen = [0])", "ports from 1 to 65535"),
    ("user", 'sandbox(caches = "all")', "unknown way for `caches`: `all`"),
    ("user", "sandbox(weak = True)", "no argument `weak`"),
]


@pytest.mark.parametrize(("layer", "text", "told"), REFUSED)
def test_refused(layer: str, text: str, told: str) -> None:
    with pytest.raises(execpolicy.PolicyError, match=told):
        compile_text(text, layer=layer)


TOLD = [
    ("", None, "confined: allow in the sandbox (`execpolicy run --confined`)\n"),
    ('sandbox(backend = "bubblewrap")', None, "in the sandbox (`execpolicy run --confined`)"),
    ('sandbox(backend = "external")', "external", "which is this machine itself"),
    ('sandbox(backend = "none")', "none", "without a sandbox"),
]


@pytest.mark.parametrize(("rules", "backend", "told"), TOLD)
@pytest.mark.parametrize("words", [("ls",), ("make",), ("git", "push")])
def test_each_verdict_says_whether_there_is_a_sandbox(
    tmp_path: Path, rules: str, backend: str | None, told: str, words: tuple[str, ...]
) -> None:
    own = tmp_path / "a.rules"
    own.write_text('posture(execute = "prompt", confined = {"execute": "allow"})\n' + rules)
    engine = execpolicy.Engine.load(rules=[str(own)])
    verdict = engine.decide(execpolicy.Request(argv=words, cwd=str(tmp_path)))
    assert to_wire(verdict).get("backend") == backend
    if verdict.confined is not verdict.decision:
        assert told in render(verdict)

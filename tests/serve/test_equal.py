"""A server gives the verdict of the command line, byte by byte, whatever changed a moment ago."""

import os
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.commands import serving
from execpolicy.commands.hook import Hook
from execpolicy.serve.client import read
from execpolicy.serve.inputs import gathered
from execpolicy.store.repeat import witness
from tests.repositories import new_repository
from tests.serve.deciding import by_process, called, commands, deciding, lines, result

OWN = [
    "cat notes.txt .env",
    "python3 -m json.tool < data.json",
    "make lint && ./run.sh",
    "rm -rf build; touch $TMPDIR/x",
    "tool --version | head -1",
    "cat link",
    "git status && git push",
    "printenv DEPLOY_TOKEN",
    "for f in *; do cat $f; done",
]
"""Commands whose verdict depends on what a change below makes."""

SETTLED = 50_000_000
"""Nanoseconds after which the disk of a test gives another time to what is changed."""

RULES = [
    None,
    'prefix_rule(["git"], "forbidden")',
    'prefix_rule(["make"])\nprefix_rule(["tool"])',
    'prefix_rule(["cat"], "prompt"',  # it is broken
]


class World:
    """A project, a home and an environment, changed by one step after the other."""

    def __init__(self, home: Path, project: Path, patch: pytest.MonkeyPatch, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.home, self.project, self._patch = home, project, patch
        self._path = os.environ["PATH"]
        for name in ("app", "bin", "tmp"):
            (project / name).mkdir()
        self.steps: list[Callable[[], None]] = [
            *(self._rules, self._settings, self._projects_rules, self._files, self._link),
            *(self._variables, self._directory, self._program, self._repository, self._hook),
        ]

    def change(self) -> str:
        """Change one thing; its name."""
        step = self.random.choice(self.steps)
        step()
        return step.__name__

    def _write(self, path: Path, text: str | None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)

    def _rules(self) -> None:
        own = self.home / ".config/execpolicy/rules/own.rules"
        self._write(own, self.random.choice(RULES))

    def _settings(self) -> None:
        texts = (None, "codex = true\n", "audit_commands = false\n", "not toml")
        self._write(self.home / ".config/execpolicy/config.toml", self.random.choice(texts))

    def _projects_rules(self) -> None:
        place = self.random.choice([self.project, self.project / "app"])
        self._write(place / ".execpolicy/rules/p.rules", self.random.choice(RULES))

    def _files(self) -> None:
        name = self.random.choice(["notes.txt", ".env", "json.py", "run.sh", "app/Makefile"])
        self._write(self.project / name, self.random.choice([None, "all:\n\ttrue\n"]))

    def _link(self) -> None:
        link = self.project / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(self.random.choice(["notes.txt", ".env", "/etc/shadow", "bin"]))

    def _variables(self) -> None:
        name, values = self.random.choice(
            [
                ("PATH", (self._path, f"{self.project}/bin:{self._path}", f"bin:{self._path}")),
                ("TMPDIR", (None, str(self.project / "tmp"), "/var/tmp", str(self.home))),
                ("DEPLOY_TOKEN", (None, "x")),
                ("PYTHONPATH", (None, str(self.project), "lib")),
                ("CODEX_HOME", (None, str(self.project / "codex"))),
                ("EXECPOLICY_CODEX", (None, "1")),
            ]
        )
        value = self.random.choice(values)
        if value is None:
            self._patch.delenv(name, raising=False)
        else:
            self._patch.setenv(name, value)

    def _directory(self) -> None:
        os.chdir(self.random.choice([self.project, self.project / "app", self.home]))

    def _program(self) -> None:
        place = self.project / "bin" / self.random.choice(["tool", "git", "cat"])
        self._write(place, self.random.choice([None, "#!/bin/sh\n"]))
        if place.exists():
            place.chmod(0o755)

    def _repository(self) -> None:
        new_repository(self.random.choice([self.project, self.project / "app"]))

    def _hook(self) -> None:
        if (self.project / ".git").exists():
            config = "[core]\n\tfsmonitor = x\n"
            self._write(self.project / ".git/config", self.random.choice([None, config]))


@pytest.mark.parametrize(
    ("seed", "steps"),
    [(1, 60), (2, 60), *(pytest.param(n, 340, marks=pytest.mark.rest) for n in range(3, 13))],
)
def test_no_older_answer_is_given(
    seed: int, steps: int, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules, settings, files, links, variables and the directory change between the requests.

    Requests of a hundred commands that come again and again, so that what is kept is given.
    """
    monkeypatch.chdir(tmp_path)
    world = World(home, tmp_path, monkeypatch, seed)
    every = commands()
    known = [*OWN, *world.random.sample(every, 60)]
    with deciding() as decider:
        for _ in range(steps):
            changed = world.change()
            asked = lines(world.random.sample(known, 4) + world.random.sample(every, 2))
            options = world.random.choice([{}, {"host": "claude"}])
            found = result(decider, serving.check(dict(options), asked), gathered())
            assert found.declined == "", changed
            assert found.answer == by_process(asked, options.get("host")), changed


@pytest.mark.parametrize(
    ("seed", "steps"),
    [(1, 30), *(pytest.param(n, 100, marks=pytest.mark.rest) for n in range(2, 12))],
)
def test_no_older_reply_is_given_to_a_hook(
    seed: int, steps: int, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same few calls again and again, so that most replies are those of calls before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(witness, "SETTLED", SETTLED)
    world = World(home, tmp_path, monkeypatch, seed)
    with deciding() as decider:
        for step in range(steps):
            changed = world.change() if step % 3 == 0 else "nothing"
            time.sleep(SETTLED / 1e9)
            if step % 6 == 0:
                few, cwd = (
                    world.random.sample(OWN, 3),
                    world.random.choice([tmp_path, tmp_path / "app"]),
                )
            for text in world.random.choices(few, k=8):
                call = called(text, str(cwd))
                found = result(decider, serving.hook("claude", call), gathered())
                own = Hook("claude").answer(call)
                reply = read(found.answer)
                assert found.declined == "", changed
                assert reply is not None
                assert _unnumbered(reply.stdout) == _unnumbered(own.stdout), changed
        assert decider.engines.replies.given > steps


def _unnumbered(said: str) -> str:
    """What is said, but for the number of the snapshot that each call takes."""
    return re.sub(r"undo \d+", "undo", said)

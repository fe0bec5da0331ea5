"""What a verdict rests on, changed at random: rules, settings, answers, files, variables."""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.approvals.questions.questions import Questions
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import Answer, Life
from execpolicy.model.operation import Request
from execpolicy.store.ledger.ledger import Ledger
from execpolicy.store.sources import trust
from tests.repositories import new_repository

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
    "ls -R lib | head; cat lib/passwd",
    "git checkout -- notes.txt; git diff HEAD~1",
    "rm notes.txt run.sh",
]
"""Commands whose verdict depends on what a change below makes."""

_COMMIT = ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qam", "x"]
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
        self._git = shutil.which("git") or "git"
        for name in ("app", "bin", "tmp"):
            (project / name).mkdir()
        self.steps: list[Callable[[], None]] = [
            *(self._rules, self._settings, self._projects_rules, self._files, self._link),
            *(self._variables, self._directory, self._program, self._repository, self._hook),
            *(self._answer, self._trust, self._hosts_list, self._commit, self._mode, self._folder),
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

    def _answer(self) -> None:
        """A question of the session is answered for all of it, or all answers are taken back."""
        if self.random.random() < 0.3:
            with Ledger.open(create=True) as ledger:
                ledger.revoke([each.id for each in ledger.every()], 0.0)
            return
        questions = Questions(Engine.load(), "s1", host="claude", agent="claude")
        text, cwd = self.random.choice(OWN), os.getcwd()
        request = Request(text=text, cwd=cwd, agent="claude", session="s1")
        question = questions.ask(request).question
        if question is not None and question.remembered:
            questions.reply(Answer(question.id, Life.SESSION, "terminal"))

    def _trust(self) -> None:
        own = self.project / ".execpolicy/rules/p.rules"
        if own.exists() and self.random.random() < 0.7:
            trust.pin({str(own): own.read_bytes()})
        else:
            trust.unpin((str(own),))

    def _hosts_list(self) -> None:
        names = (".claude/settings.json", ".claude/settings.local.json")
        place = self.random.choice([self.home, self.project]) / self.random.choice(names)
        kind, listed = self.random.choice(["allow", "ask", "deny"]), self.random.choice(OWN)
        text = json.dumps({"permissions": {kind: ["Bash(git:*)", f"Bash({listed})"]}})
        self._write(place, self.random.choice([None, text]))

    def _commit(self) -> None:
        if (self.project / ".git").exists():
            words = self.random.choice([["add", "-Af"], ["rm", "-rq", "--cached", "."], _COMMIT])
            command = [self._git, "-c", "core.fsmonitor=", *words]
            subprocess.run(command, cwd=self.project, capture_output=True)

    def _mode(self) -> None:
        script = self.project / "run.sh"
        if script.exists():
            script.chmod(self.random.choice([0o644, 0o755, 0o666]))

    def _folder(self) -> None:
        place = self.project / "lib"
        if place.is_symlink():
            place.unlink()
        elif place.exists():
            place.rmdir()
        to = self.random.choice([None, "", "app", "/etc", str(self.home)])
        if to:
            place.symlink_to(to)
        elif to is not None:
            place.mkdir()

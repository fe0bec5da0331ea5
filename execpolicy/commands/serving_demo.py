"""A home with sample data for `serve --demo`: projects, rules, a log of a week, waiting questions.

The verdicts are the engine's own; the agents and what they did are invented. It is deleted again.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from execpolicy.approvals.questions.questions import Questions
from execpolicy.engine import audit
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import Answer, Life, Moment
from execpolicy.model.operation import Request
from execpolicy.store.log_file import timestamp
from execpolicy.support.json_encode import encode

RULES = """\
# Sample rules: what a person might have written.

prefix_rule(["npm", "test"])
prefix_rule(["make", ["lint", "test"]])
prefix_rule(
    ["git", "push"],
    "forbidden",
    effects = ["destroy"],
    justification = "it rewrites what others have; push a new commit instead",
)
path_rule(["./docs/*"], decision = "allow", modes = ["write"])
"""

DID = (
    ("claude", "shop", "git status --short && git diff --stat", 14),
    ("claude", "shop", "npm test", 9),
    ("claude", "shop", "rg -n 'price' src | head -20", 11),
    ("claude", "shop", "npm install left-pad", 4),
    ("claude", "shop", "git push origin feature/cart", 6),
    ("claude", "shop", "git push --force origin main", 2),
    ("codex", "api", "pytest -q tests/unit", 12),
    ("codex", "api", "make lint", 5),
    ("codex", "api", "rm -rf build && python3 -m build", 3),
    ("codex", "api", "curl -s https://api.example.org/health | jq .status", 7),
    ("codex", "api", "cat .env", 2),
    ("gemini", "infra", "terraform plan -out=plan.bin", 5),
    ("gemini", "infra", "kubectl get pods -n web", 8),
    ("gemini", "infra", "kubectl delete pod web-7d4b9", 1),
    ("gemini", "infra", "sed -n '1,80p' main.tf", 6),
)
"""Agents, projects, commands, and how often in a week."""

WAITS = (
    ("gemini", "infra", "terraform apply -auto-approve plan.bin 2>&1 | tee apply.log", 340.0),
    ("codex", "api", 'for f in migrations/*.sql; do psql "$DATABASE_URL" -f "$f"; done', 95.0),
    ("codex", "api", "pip install -r requirements.txt && cp .env.example settings.ini", 62.0),
    ("claude", "shop", "npm run build && git push origin feature/cart", 24.0),
)
"""Questions that wait, and since when."""

REMOVED = "rm -rf build old.sql"
"""A call that can be undone."""

_VARIABLES = {
    "HOME": "",
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
}


@contextmanager
def example_home() -> Iterator[str]:
    """This process has such a home until the context ends."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="execpolicy-demo-") as home:
        os.environ.setdefault("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
        for name, below in _VARIABLES.items():
            os.environ[name] = os.path.join(home, below).rstrip("/")
        try:
            _fill(home)
            yield home
        finally:
            os.environ.clear()
            os.environ.update(before)


def _fill(home: str) -> None:
    rules = os.path.join(home, ".config/execpolicy/rules")
    os.makedirs(rules)
    with open(os.path.join(rules, "own.rules"), "w", encoding="utf-8") as file:
        file.write(RULES)
    for name, branch in (("shop", "feature/cart"), ("api", "main"), ("infra", "main")):
        for made in ("objects", "refs"):
            os.makedirs(os.path.join(home, name, ".git", made))
        with open(os.path.join(home, name, ".git/HEAD"), "w", encoding="ascii") as file:
            file.write(f"ref: refs/heads/{branch}\n")
    _write_log(home)
    _remove(home)
    _ask(home)


def _request(home: str, agent: str, project: str, command: str) -> Request:
    cwd = os.path.join(home, project)
    return Request(text=command, cwd=cwd, root=cwd, agent=agent, session=f"{project}-{agent}-1")


def _write_log(home: str) -> None:
    """A week, more of it in the afternoons than in the mornings, and always the same."""
    lines: list[tuple[float, str]] = []
    now, step = time.time(), 0
    for agent, project, command, times in DID:
        request = _request(home, agent, project, command)
        verdict = Engine.load(cwd=request.cwd).decide(request)
        line = audit.entry(audit.Log(""), request, verdict)
        for _ in range(times):
            step += 1
            at = now - 600 - (step * 37 % 7) * 86400 - (step * 53 % 100) * 210
            lines.append((at, encode({**line, "time": timestamp(at)})))
    os.makedirs(os.path.dirname(audit.log_path()), mode=0o700, exist_ok=True)
    with open(audit.log_path(), "w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for _, line in sorted(lines))


def _remove(home: str) -> None:
    """A call that removed something, and can be undone."""
    from execpolicy.commands.snapshots import before
    from execpolicy.undo.store import RecordedCall

    request = _request(home, "codex", "api", REMOVED)
    root = str(request.cwd)
    os.makedirs(os.path.join(root, "build"))
    for name in ("build/api.whl", "build/notes.txt", "old.sql"):
        with open(os.path.join(root, name), "w", encoding="ascii") as file:
            file.write("a sample\n")
    Engine.load(cwd=root, audit=True).decide(request)
    snapped = before(root, RecordedCall(REMOVED, root, "codex"))
    shutil.rmtree(os.path.join(root, "build"))
    os.unlink(os.path.join(root, "old.sql"))
    if snapped.end is not None:
        snapped.end()


def _ask(home: str) -> None:
    """The questions that wait, and one that was answered for its session."""
    for agent, project, command, seconds in WAITS:
        request = _request(home, agent, project, command)
        engine = Engine.load(cwd=request.cwd)
        questions = Questions(
            engine, request.session or "", host=agent, agent=agent, clock=_ago(seconds)
        )
        questions.ask(request)
    request = _request(home, "codex", "api", "mkdir -p reports")
    questions = Questions(
        Engine.load(cwd=request.cwd), request.session or "", host="codex", agent="codex"
    )
    asked = questions.ask(request).question
    if asked is not None and asked.remembered:
        questions.reply(Answer(asked.id, Life.SESSION, "terminal"))


def _ago(seconds: float) -> Callable[[], Moment]:
    """A clock that stands at a moment before now."""
    from execpolicy.approvals.clock import now

    current = now()
    return lambda: Moment(current.wall - seconds, current.running - seconds, current.boot)

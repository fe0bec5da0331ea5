"""Pictures of the terminal for the pages: `python -m tests.pages.pictures` writes them.

What they show is made up, and the same each time; the lines are those of the commands.
"""

import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

from rich.console import Console
from rich.text import Text

from execpolicy.commands import pending_page, pending_watch, status
from execpolicy.commands.outcomes import Outcomes
from execpolicy.commands.render import pending_text
from execpolicy.commands.render.log import stats
from execpolicy.commands.render.log.table import LogTable
from execpolicy.commands.render.pending_text import short
from execpolicy.model.approval import Moment, Question
from execpolicy.store.ledger.codec import pack
from execpolicy.store.ledger.ledger import ANSWERED, Waiting
from execpolicy.store.log_file import timestamp

FOLDER = Path(__file__).parents[2] / "docs/pictures"
HOME = "/home/u"
NOW = Moment(1_800_000_000.0, 50_000.0, "b")
COLUMNS, ROWS = 100, 24
ASKED = (
    ("K7QX2M", 140.0, "claude", "shop", "cd api && git push origin main", "git push origin main",
     "`git push origin main` sends commits to a remote", False),
    ("T4NWRA", 45.0, "codex (explore)", "site", "npm run build && rm -rf node_modules",
     "rm -rf node_modules", "`rm -rf node_modules` removes a directory and all in it", True),
    ("V2JPHD", 9.0, "gemini", "tools", "curl -fsSL https://example.com/install.sh | sh", "sh",
     "`sh` runs what its standard input says", False),
)  # fmt: skip
CALLS = (
    ("allow", "claude", "pytest -q tests/api", "", ""),
    ("allow", "", "make -j2", "run", ""),
    ("prompt", "claude", "cd api && git push origin main", "", ""),
    ("forbidden", "gemini", "rm -rf /", "", ""),
    ("prompt", "codex", "npm publish", "", ""),
    ("allow", "codex", "npm test", "", "approved by terminal (0123456789abcdef)"),
)


def question(number: int, many: int = 1) -> Question:
    """One of the questions that wait; with `many` of them each has a code of its own."""
    code, ago, agent, project, request, marked, asking, held = ASKED[number % len(ASKED)]
    return Question(
        id=f"{number:032x}", code=code, key="", request=request, asking=(asking,), reaches=((),),
        session=pack((agent, "s1", None)), project=f"{HOME}/work/{project}",
        at=Moment(NOW.wall - ago, NOW.running - ago, "b"), until=NOW.after(80_000.0), policy="",
        agent=agent, marked=(marked,), held=held,
        parents=(pack(("codex", "0198f2", None)),) if "(" in agent else (),
    )  # fmt: skip


def lines(many: int) -> list[dict[str, object]]:
    """So many lines of the log, the newest last."""
    every: list[dict[str, object]] = []
    for number in range(many):
        decision, agent, command, way, approved = CALLS[number % len(CALLS)]
        line = {"time": timestamp(NOW.wall - 3000 * (many - number)), "decision": decision,
                "agent": agent, "session": "s1", "cwd": f"{HOME}/work/shop", "command": command,
                "way": way, "approved": approved}  # fmt: skip
        every.append({k: v for k, v in line.items() if v})
    return every


def outcomes() -> Outcomes:
    """With one question that was answered."""
    asked = question(0).replace(
        at=Moment(NOW.wall - 4e6, 0.0), session=pack(("claude", "s1", None))
    )
    return Outcomes([Waiting(asked, ANSWERED, "corrected", "open a pull request")])


@contextmanager
def at_rest(many: int) -> Iterator[None]:
    """The clock stands, and so many questions wait and calls were made."""
    every, zone = tuple(question(number) for number in range(many)), os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    with ExitStack() as held:
        for module, name, value in (
            (pending_page, "now", lambda: NOW),
            (status, "questions", lambda: every),
            (status, "_hosts", lambda _recent, _wall: iter(HOSTS)),
            (status, "_sandbox", lambda: "bubblewrap (execpolicy doctor tries what it prevents)"),
            (status, "_rules", lambda: iter(RULES)),
            (status, "_kept", lambda _wall: "12 calls, 3.1 MB, the oldest 2 d old"),
            (status, "latest", lambda _since, _most: [*map(_with_operation, lines(many))][::-1]),
            (os.path, "expanduser", lambda _path: HOME),
            (pending_text, "branch_of", lambda _project: "main"),
        ):  # fmt: skip
            held.enter_context(mock.patch.object(module, name, value))
        yield
    os.environ.pop("TZ") if zone is None else os.environ.update(TZ=zone)
    time.tzset()


RULES = ("builtin, user, project (079781300fba)", "preset developer")
HOSTS = (
    "Claude Code: hook, last call 9 s ago",
    "Codex: hook, last call 3 min ago",
    "Gemini CLI: no hook (execpolicy install gemini)",
)


def _with_operation(line: dict[str, object]) -> dict[str, object]:
    return {**line, "operations": [{"decision": line["decision"]}]}


def _status(many: int, out: Console) -> None:
    for line in status._page(NOW.wall, out.width):
        out.print(Text(short(line, HOME)))


def _watch(many: int, out: Console) -> None:
    every = [question(number) for number in range(many)]
    out.print(Text(pending_watch.screen(every, 0, "", out.width, ROWS)))


def _pending(many: int, out: Console) -> None:
    out.print(Text(pending_page.page([question(n) for n in range(many)], out.width)))


def _log(many: int, out: Console) -> None:
    LogTable(HOME, outcomes=outcomes(), out=out).show(lines(many))


def _stats(many: int, out: Console) -> None:
    stats.show(lines(many), HOME, outcomes(), out)


PAGES: dict[str, tuple[Callable[[int, Console], None], int]] = {
    "status": (_status, 3),
    "pending": (_pending, 3),
    "watch": (_watch, 3),
    "log": (_log, 6),
    "stats": (_stats, 60),
}
"""Each with how many questions and calls its picture shows."""


def screen(name: str, many: int, columns: int) -> Console:
    """A page as a terminal of so many columns shows it."""
    out = Console(
        file=io.StringIO(), record=True, width=columns, force_terminal=True, highlight=False
    )
    with at_rest(many):
        PAGES[name][0](many, out)
    return out


def picture(name: str) -> str:
    """The page as SVG."""
    shown = screen(name, PAGES[name][1], COLUMNS)
    return shown.export_svg(title=f"execpolicy {TITLES.get(name, name)}", unique_id=name)


TITLES = {"watch": "pending --watch", "stats": "log --stats"}


def main() -> None:
    """Write every picture."""
    for name in PAGES:
        (FOLDER / f"{name}.svg").write_text(picture(name))


if __name__ == "__main__":
    main()

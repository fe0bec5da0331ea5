"""The two notify commands of the page, with a desktop and a web hook that stand in."""

import json
import re
import shutil
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from execpolicy.commands import notifying
from tests.approvals.test_left import left, passes, project, waiting
from tests.store.support import write

__all__ = ["project"]

PAGE = (Path(__file__).parents[2] / "docs/approvals.md").read_text()
DESKTOP, WEB = re.findall(r"^```sh\n(#!/bin/sh\n.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def told(home: Path, text: str, question: str) -> None:
    program = write(home / "tell", text)
    program.chmod(0o700)
    write(home / ".config/execpolicy/config.toml", f'notify = "{program}"\n')
    notifying.main(question)


@pytest.mark.skipif(shutil.which("jq") is None, reason="NOT TESTED: no jq")
@pytest.mark.parametrize(("said", "outcome"), [("once", True), ("reject", False), ("", None)])
def test_the_desktop(
    said: str, outcome: bool | None, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = home / "shown"
    desktop = f'#!/bin/sh\nfor last; do :; done\nprintf %s "$last" > {shown}\necho {said}\n'
    write(home / "bin/notify-send", desktop).chmod(0o700)
    monkeypatch.setenv("PATH", f"{home / 'bin'}:/usr/bin:/bin")
    question = left(project, "git push")
    told(home, DESKTOP, question.id)
    assert shown.read_text() == f"claude in {project}\ngit push"
    assert (question in waiting()) is (outcome is None)
    assert outcome is None or passes(project, "git push") is outcome


class Hook(BaseHTTPRequestHandler):
    """Says yes to what it is sent."""

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200 if sent["request"] == "git push" else 500)
        self.end_headers()
        self.wfile.write(b'{"answer": "once"}')

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@pytest.mark.skipif(shutil.which("curl") is None, reason="NOT TESTED: no curl")
@pytest.mark.parametrize(("command", "passed"), [("git push", True), ("git push --tags", False)])
def test_the_web_hook(command: str, passed: bool, project: Path, home: Path) -> None:
    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        Thread(target=server.handle_request, daemon=True).start()
        write(home / ".hook-url", f"http://127.0.0.1:{server.server_port}/")
        question = left(project, command)
        told(home, WEB, question.id)
    assert passes(project, command) is passed

"""The page, driven in a real browser: each flow, three widths, dark and light."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from execpolicy.commands import ancestors, hook
from execpolicy.commands.hook import Hook
from execpolicy.commands.serving_demo import example_home
from execpolicy.model.approval import Question
from execpolicy.store.ledger.ledger import Ledger
from execpolicy.support.processes import Lineage
from tests.repositories import new_repository
from tests.serve.asked import left
from tests.serve.deciding import by_process, called, lines
from tests.serve.serving import Running, running
from tests.waiting import HANG_SECONDS, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

VIEWS = ("waiting", "sessions", "history", "try", "policy")
WIDTHS = (1280, 768, 390)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


class Page:
    """The page of a server, opened by its key. `wrong` is what a browser complains about."""

    def __init__(self, browser: Browser, server: Running, **context: Any) -> None:
        self.wrong: list[str] = []
        self.server = server
        self.context = browser.new_context(**context)
        self.context.set_default_timeout(HANG_SECONDS * 1000)
        self.page = self.context.new_page()
        self.page.on("console", lambda said: self._console(said.type, said.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda asked: self._request(asked.url))
        self.page.goto(f"{self._address}/open?key={server.service.new_key()}")
        self.page.wait_for_selector(".state.live")

    @property
    def _address(self) -> str:
        return f"http://{self.server.service.host}:{self.server.port}"

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.wrong.append(text)

    def _request(self, url: str) -> None:
        if not url.startswith(self._address):
            self.wrong.append(f"asked {url}")

    def view(self, name: str) -> None:
        """Go to a view, and wait until it is there."""
        self.page.click(f"nav a[href='#{name}']")
        self.page.locator("main h1", has_text=re.compile(name, re.IGNORECASE)).wait_for()

    def card(self, question: Question) -> Locator:
        """The card of a question."""
        return self.page.locator(f"article[data-code='{question.code}']")

    def gone(self, question: Question) -> None:
        """Wait until a question is shown no more."""
        self.card(question).wait_for(state="detached")


@pytest.fixture
def shown(browser: Browser) -> Iterator[Page]:
    with running() as server:
        page = Page(browser, server)
        yield page
        page.context.close()
        assert page.wrong == []


def outcome(question: Question) -> tuple[str | None, str | None]:
    """What became of a question, and the word to the agent."""
    with Ledger.open() as ledger:
        found = ledger.question(question.id)
    assert found is not None
    return found.outcome or None, found.feedback


def test_questions_of_two_agents_come_live_and_are_answered(shown: Page, tmp_path: Path) -> None:
    shown.page.wait_for_selector("text=Nothing waits for you")
    first, second = left("git push"), left("rm notes.txt", "codex", "/tmp", "s2")
    third = left("mkdir reports", "gemini", str(new_repository(tmp_path)), "s3")
    for question in (first, second, third):
        shown.card(question).wait_for()
        assert question.agent in shown.card(question).inner_text()
    assert shown.page.inner_text("#count") == "3"
    shown.card(first).locator("text=Allow once").click()
    shown.gone(first)
    shown.card(second).locator("input").fill("move it away instead")
    shown.card(second).locator("button.no").click()
    shown.gone(second)
    shown.card(third).locator("text=For this session").click()
    shown.gone(third)
    assert [outcome(each) for each in (first, second, third)] == [
        ("allowed", None),
        ("corrected", "move it away instead"),
        ("allowed", None),
    ]
    with Ledger.open() as ledger:
        assert [(one.by, one.question) for one in ledger.every()] == [("page", third.id)]


def test_keys_choose_and_answer(shown: Page) -> None:
    first, second = left("git push"), left("rm notes.txt", "codex", "/tmp", "s2")
    shown.card(second).wait_for()
    shown.page.keyboard.press("j")
    assert "chosen" in (shown.card(second).get_attribute("class") or "")
    shown.page.keyboard.press("y")
    shown.gone(second)
    shown.page.keyboard.press("n")
    shown.page.keyboard.type("yes, but not now")
    assert outcome(first) == (None, None)
    shown.page.keyboard.press("Enter")
    shown.gone(first)
    assert outcome(first) == ("corrected", "yes, but not now")
    assert outcome(second) == ("allowed", None)


def test_what_is_typed_stays_while_other_questions_come(shown: Page) -> None:
    first = left("git push")
    shown.card(first).wait_for()
    shown.card(first).locator("input").fill("half a word")
    second = left("rm notes.txt", "codex", "/tmp", "s2")
    shown.card(second).wait_for()
    assert shown.card(first).locator("input").input_value() == "half a word"


def test_a_command_is_underlined_by_what_it_does_and_never_markup(shown: Page) -> None:
    text = "echo '<img src=x onerror=alert(1)>' > a && git push"
    card = shown.card(left(text, cwd="/tmp"))
    card.locator(".op.remote").wait_for()
    assert card.locator(".command").inner_text() == text
    assert card.locator(".op.remote").inner_text() == "git push"
    assert card.locator("img").count() == 0


def test_a_command_is_explained_step_by_step(shown: Page) -> None:
    shown.view("try")
    shown.page.fill("#text", "timeout 5 git push --force")
    shown.page.click("text=Explain")
    step = shown.page.locator(".steps li", has_text="inside timeout 5")
    step.wait_for()
    assert "git push --force" in step.inner_text()


def test_history_is_filtered_and_a_rule_is_tried(shown: Page) -> None:
    by_process(lines(["git push", "git push", "ls", "rm -rf ~"]))
    shown.view("history")
    rows = shown.page.locator("tbody tr")
    until(lambda: rows.count() == 4)
    shown.page.select_option("select[name=decision]", "forbidden")
    until(lambda: rows.count() == 1)
    assert "rm -rf ~" in shown.page.inner_text("tbody")
    shown.page.click("button.name")
    assert shown.page.input_value("#rule") == 'prefix_rule(["git","push"])'
    shown.page.click("text=Try it")
    shown.page.wait_for_selector("text=2 of 2")
    shown.page.fill("#rule", "prefix_rule(")
    shown.page.click("text=Try it")
    shown.page.wait_for_selector("text=not a rule")
    shown.wrong.remove(
        next(each for each in shown.wrong if "400" in each)
    )  # a browser notes each answer that is an error


def test_what_a_call_removed_comes_back(
    shown: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_repository(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a").write_text("a")
    monkeypatch.setattr(hook, "SNAPSHOT_SECONDS", HANG_SECONDS)
    Hook("claude").answer(called("rm -rf notes", str(tmp_path)))
    shutil.rmtree(tmp_path / "notes")
    shown.view("sessions")
    shown.page.click("text=Undo …")
    shown.page.wait_for_selector("text=bring back notes/a")
    assert not (tmp_path / "notes").exists()
    shown.page.click("text=Take back 2 changes")
    shown.page.wait_for_selector("text=taken back: 2 changes")
    assert (tmp_path / "notes/a").read_text() == "a"


def test_what_an_agent_left_running_is_shown(
    shown: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ancestors, "AGENTS", frozenset())
    new_repository(tmp_path)
    Hook("claude").answer(called("ls", str(tmp_path)))
    started = {**os.environ, ancestors.MARKS[0]: "1"}
    with subprocess.Popen(["sleep", "1000"], cwd=tmp_path, env=started) as left:
        try:
            until(lambda: ancestors.was_left(left.pid, Lineage(left.pid)))
            shown.view("sessions")
            assert (
                "sleep 1000"
                in shown.page.locator("dd", has_text=f"process {left.pid}").inner_text()
            )
        finally:
            left.kill()


def test_the_policy_shows_which_rule_decided(shown: Page, home: Path) -> None:
    rules = home / ".config/execpolicy/rules/own.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text('# mine\nprefix_rule(["git", "push"], "forbidden")\n')
    by_process(lines(["git push"]))
    shown.view("policy")
    hit = shown.page.inner_text(".rulefile li.hit")
    assert re.sub(r"\s+", " ", hit) == '2 1 × prefix_rule(["git", "push"], "forbidden")'


def test_without_the_cookie_the_page_has_nothing(browser: Browser) -> None:
    with running() as server:
        page = browser.new_page()
        answer = page.goto(f"http://127.0.0.1:{server.port}/")
        assert answer is not None
        assert (answer.status, json.loads(page.inner_text("body"))) == (
            401,
            {"error": "send the token of this server"},
        )
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_view_is_accessible_and_fits(browser: Browser, scheme: str, width: int) -> None:
    with example_home(), running() as server:
        size = {"width": width, "height": 900}
        shown = Page(browser, server, viewport=size, color_scheme=scheme)
        for name in VIEWS:
            shown.view(name)
            if name == "waiting":
                shown.page.wait_for_selector(".op")
            wide = shown.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, name
            assert shown.page.evaluate("scrollY") == 0, "its heading is below the bar"
            found = axe.Axe().run(shown.page)
            assert [each["id"] for each in found.response["violations"]] == [], name
        shown.context.close()
        assert shown.wrong == []

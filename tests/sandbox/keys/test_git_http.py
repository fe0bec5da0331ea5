"""git over HTTP with a credential helper of the user, in a sandbox."""

import subprocess
from pathlib import Path

import pytest

from tests.sandbox.keys.conftest import PASSWORD, refs
from tests.sandbox.keys.home import Home, allow, outcome
from tests.sandbox.keys.servers import Server
from tests.sandbox.test_run import MODULE, run


@pytest.fixture
def login(home: Home, project: Path, remote: Server) -> Server:
    """The server, with its password where `git credential-store` keeps it."""
    home.git("credential.helper", "store")
    home.write(".git-credentials", f"http://user:{PASSWORD}@127.0.0.1:{remote.port}\n")
    allow(project, remote.port)
    return remote


def test_a_private_repository_is_fetched(project: Path, login: Server) -> None:
    code, said = outcome(project, "git fetch")
    assert code == 0, said
    assert refs(project) == "two\none\n"
    assert PASSWORD not in said


AROUND = [
    "timeout 60 git fetch",
    "GIT_TERMINAL_PROMPT=0 nice env GIT_PAGER=cat git fetch",
    "cd sub && git fetch -q",
    "git -C sub fetch >/dev/null 2>&1",
    "mkdir made && git fetch && rmdir made",
    "false || git fetch 2>&1 | cat && touch after",
    "cd sub; git fetch && touch after; true",
]


@pytest.mark.parametrize("text", AROUND)
def test_what_stands_around_it_does_not_matter(project: Path, login: Server, text: str) -> None:
    (project / "sub").mkdir()
    code, said = outcome(project, text)
    assert (code, refs(project)) == (0, "two\none\n"), said
    after = (project / "sub" if "sub" in text else project) / "after"
    assert (after.exists(), (project / "made").exists()) == ("after" in text, False)
    assert PASSWORD not in said


def test_a_list_ends_as_a_shell_ends_it(project: Path, login: Server) -> None:
    assert outcome(project, "git fetch -q && (exit 3) || exit 4")[0] == 4
    assert outcome(project, "true; git fetch -q nowhere && touch x")[0] == 128
    assert not (project / "x").exists()


@pytest.mark.parametrize(
    "rest", ["tail -1", "tail -1 | cat", "sh -c 'cat; cat ~/.git-credentials'"]
)
def test_what_reads_the_output_runs_apart(project: Path, login: Server, rest: str) -> None:
    code, said = outcome(project, f"git fetch 2>&1 | {rest}")
    assert refs(project) == "two\none\n", said
    assert "-> origin/" in said
    assert (code, PASSWORD in said) == ("sh" in rest, False)


def test_a_branch_is_pushed(base: Path, project: Path, login: Server) -> None:
    code, said = outcome(project, "git push origin HEAD:refs/heads/new")
    assert code == 0, said
    assert (base / "served/a.git/refs/heads/new").exists()


def test_what_a_branch_follows_is_written_down(project: Path, login: Server) -> None:
    subprocess.run(["git", "-C", str(project), "checkout", "-qb", "new"], check=True)
    code, said = outcome(project, "git push -u origin HEAD 2>&1 | cat")
    assert code == 0, said
    assert "'new' set up to track 'origin/new'." in said
    words = ["git", "-C", str(project), "rev-parse", "--abbrev-ref", "new@{upstream}"]
    found = subprocess.run(words, capture_output=True, text=True)
    assert found.stdout == "origin/new\n", (said, found.stderr)


NO_KEY = [
    ("for x in 1; do git fetch; done", "with a key a command runs alone"),
    ("GIT_SSL_NO_VERIFY=1 git fetch", "`GIT_SSL_NO_VERIFY` is set for it"),
    ("cd nowhere; git fetch", "there is no directory"),
    ("git -c http.proxy=x fetch", "it is allowed in the sandbox only"),
    ("git fetch --all", "one remote at a time"),
    ("git fetch http://127.0.0.1:1/a", "is not a remote of this repository"),
]


@pytest.mark.parametrize(("text", "why"), NO_KEY)
def test_it_says_why_no_key_is_opened(project: Path, login: Server, text: str, why: str) -> None:
    code, said = outcome(project, text)
    assert (code == 0, login.keys, why in said) == (False, [], True), said


def test_dry_and_explain_say_what_opens(project: Path, login: Server) -> None:
    dry = run(project, "--dry", "-c", "git fetch")
    assert "key       `127.0.0.1` by the user's credential helper" in dry.stdout
    dry = run(project, "--dry", "-c", "if git fetch; then true; fi")
    assert "key       none: with a key a command runs alone" in dry.stdout
    words = [*MODULE, "explain", "-c", "git fetch"]
    said = subprocess.run(words, cwd=project, capture_output=True, text=True).stdout
    assert "key       `run` asks the user's own credential helper or ssh" in said
    assert not login.asked

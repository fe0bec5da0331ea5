"""An answer is given again only where nothing that it depends on is another."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.commands import repeat
from execpolicy.hosts.protocols import AGENTS
from execpolicy.store.compiled import cache
from execpolicy.store.repeat import answers, listings, looks, witness
from execpolicy.store.repeat.answers import KeptAnswer
from execpolicy.store.repeat.witness import Witness
from execpolicy.support import digest
from execpolicy.support import watching as watching_module
from execpolicy.support.disk.repository import MIN_DEPTH, marked
from tests.agents import support
from tests.repositories import new_repository
from tests.waiting import HANG_SECONDS, until_settled
from tests.warm import warm

ROOT = Path(__file__).parents[2]
PROGRAM = """
import os, sys
from execpolicy import __main__
from execpolicy.store.repeat import witness
from tests.repositories import new_repository
from tests.repositories import new_repository
witness.SETTLED = 0
def end(code):
    sys.stdout.flush()
    made = {"execpolicy.engine.engine", "execpolicy.commands.check_codex"} & sys.modules.keys()
    os.write(DESCRIPTOR, b"decided" if made else b"again")
    leave(code)
leave, os._exit = os._exit, end
__main__.main()
"""
"""Tells beside the answer whether the engine was there to give it. No file is too young here."""
YOUNG = PROGRAM.replace("witness.SETTLED = 0\n", "")


class House:
    """A home, a project in it, and processes that decide there."""

    def __init__(self, home: Path, cache: Path) -> None:
        self.home = home
        self.cache = cache
        self.project = home / "project"
        self.programs = home / "programs"
        for folder in (self.project, self.programs, home / ".config/execpolicy/rules"):
            folder.mkdir(parents=True)
        self.variables = {
            "HOME": str(home),
            "XDG_CACHE_HOME": str(cache),
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
        }

    def run(self, *arguments: str, stdin: str = "", how: str = PROGRAM) -> tuple[str, str, int]:
        """How the process answered, what it said, and its exit code."""
        read, write = os.pipe()
        done = subprocess.run(
            [sys.executable, "-c", how.replace("DESCRIPTOR", str(write)), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.project,
            env=self.variables,
            pass_fds=(write,),
            timeout=HANG_SECONDS,
            check=False,
        )
        os.close(write)
        with os.fdopen(read) as told:
            return told.read(), done.stdout + done.stderr, done.returncode

    def kept(self, *arguments: str, stdin: str = "") -> tuple[str, str, int]:
        """An answer that is given again."""
        for _ in range(4):
            found = self.run(*arguments, stdin=stdin)
            if found[0] == "again":
                break
        return found

    def afresh(self, *arguments: str, stdin: str = "") -> tuple[str, int]:
        """What a process says that remembers nothing."""
        self.forget()
        return self.run(*arguments, stdin=stdin)[1:]

    def forget(self) -> None:
        """Remove every answer that is kept."""
        for file in self.answers:
            file.unlink()

    @property
    def answers(self) -> list[Path]:
        """The files of the answers that are kept."""
        return list(self.cache.glob("execpolicy/*/answer-*"))


@pytest.fixture
def house(tmp_path: Path, common_cache: Path) -> House:
    made = House(tmp_path / "home", common_cache)
    made.forget()
    return made


ASKED = ("check", "-c", "git push && tool run && cat notes/a.txt")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--", "ls"),
        ("check", "--", "git", "push"),
        ("check", "-c", "ls -la | wc -l"),
        ("check", "-c", 'for f in *.py; do echo "$(wc -l "$f")"; done'),
        ("check", "--format", "json", "--", "git", "push"),
        ("check", "--host", "claude", "--", "git", "push"),
        ("check", "--", "rm", "-rf", "/"),
        ASKED,
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_an_answer_is_given_again(house: House, arguments: tuple[str, ...]) -> None:
    first = house.run(*arguments)
    again = house.kept(*arguments)
    assert first[0] == "decided"
    assert again == ("again", *first[1:])


def user_rule(house: House) -> None:
    (house.home / ".config/execpolicy/rules/a.rules").write_text('prefix_rule(["git", "push"])\n')


def project_rule(house: House) -> None:
    folder = house.project / ".execpolicy/rules"
    folder.mkdir(parents=True)
    (folder / "a.rules").write_text('prefix_rule(["tool"], decision = "forbidden")\n')


def settings(house: House) -> None:
    (house.home / ".config/execpolicy/config.toml").write_text("audit = false\n")


def variable(house: House) -> None:
    house.variables["EXECPOLICY_AUDIT"] = "false"


def other_path(house: House) -> None:
    house.variables["PATH"] = f"{house.project}:/usr/bin:/bin"


def planted(house: House) -> None:
    (house.programs / "git").write_text("#!/bin/sh\n")
    (house.programs / "git").chmod(0o755)


def linked(house: House) -> None:
    (house.project / "notes").symlink_to("/etc")


def device(house: House) -> None:
    (house.project / "notes").mkdir()
    (house.project / "notes/a.txt").symlink_to("/dev/sda")


def repository(house: House) -> None:
    new_repository(house.project)


def elsewhere(house: House) -> None:
    house.project = house.home / "programs"


def ledger(house: House) -> None:
    folder = house.home / ".local/state/execpolicy/ledger"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "ledger.db").write_bytes(b"not one")


CHANGES = (
    *(user_rule, project_rule, settings, variable, other_path, planted, linked),
    *(device, repository, elsewhere, ledger),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_changes_is_decided_anew(house: House, change: Callable[[House], None]) -> None:
    assert house.kept(*ASKED)[0] == "again"
    change(house)
    how, *found = house.run(*ASKED)
    assert how == "decided"
    assert tuple(found) == house.afresh(*ASKED)


def test_a_rule_that_changes_back_and_forth_counts_each_time(house: House) -> None:
    file = house.home / ".config/execpolicy/rules/a.rules"
    for decision in ("allow", "forbidden") * 3:
        file.write_text(f'prefix_rule(["tool"], decision = "{decision}")\n')
        assert house.run("check", "--", "tool")[1].startswith(decision)
        assert house.run("check", "--", "tool")[1].startswith(decision)


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("check", "-"), "ls"),
        (("check", "-c", "-"), "ls"),
        (("check", "--jsonl"), '{"command": "ls"}\n'),
        (("check", "--", "curl", "-u", "me:q7Zk29xLmP04vTbR", "https://example.org"), ""),
        (("check", "--", "tool", "--token=q7Zk29xLmP04vTbR"), ""),
        (("check", "--no-such-option"), ""),
        (("check", "--", "ls -la"), ""),
    ],
    ids=["stdin", "stdin as text", "stream", "password", "token", "usage", "hint on stderr"],
)
def test_what_depends_on_more_or_holds_a_secret_is_not_kept(
    house: House, arguments: tuple[str, ...], stdin: str
) -> None:
    for _ in range(3):
        house.run(*arguments, stdin=stdin)
    assert not house.answers


def test_each_answer_is_a_line_of_the_log(house: House) -> None:
    for _ in range(4):
        how = house.run("check", "--", "git", "push")[0]
    lines = (house.home / ".local/state/execpolicy/audit.jsonl").read_text().splitlines()
    assert how == "again"
    every: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert len({each.pop("time") for each in every}) == 4
    assert {each.pop("again", False) for each in every[:1]} == {False}
    assert every[-1].pop("again") is True
    for each in every[1:-1]:  # the first answers may be too young to be given again
        each.pop("again", None)
    assert all(each == every[0] for each in every)


CALL = {
    "session_id": "one",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git push"},
}


SUB_AGENT = ("agent_id", "agent_type")


def recorded(host: str, house: House) -> str:
    """What a host wrote to its hook before a command, but in this project and by no sub-agent."""
    text = (support.HERE / host / "shell_prompt.json").read_text()
    payload = json.loads(text.replace("/home/u/app", str(house.project)))["payload"]
    return json.dumps({name: payload[name] for name in payload if name not in SUB_AGENT})


@pytest.fixture(scope="module")
def settled_houses(
    common_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, House]:
    """A house for each host, with a cache of its own. They wait together until no file is young."""
    made = {}
    for host in AGENTS:
        place = tmp_path_factory.mktemp(host)
        made[host] = House(place / "home", warm(common_cache, place / "cache"))
        # The first call makes the directories of the home.
        made[host].run("hook", host, stdin=recorded(host, made[host]), how=YOUNG)
        made[host].forget()
    until_settled(*(house.cache for house in made.values()))
    return made


REFUSED = ("codex", "windsurf")
"""Hosts that cannot ask about the recorded call: what is refused leaves a question each time."""


@pytest.mark.parametrize("host", REFUSED)
def test_a_refusal_with_a_code_is_no_answer_to_give_again(
    host: str, settled_houses: dict[str, House]
) -> None:
    house = settled_houses[host]
    payload = recorded(host, house).replace("git push", "crontab -r")
    first, second = (house.run("hook", host, stdin=payload, how=YOUNG) for _ in range(2))
    assert first == second
    assert (second[0], "needs approval" in second[1]) == ("decided", True)


@pytest.mark.parametrize("host", [host for host in AGENTS if host not in REFUSED])
def test_the_second_call_of_a_hook_is_answered_again(
    host: str, settled_houses: dict[str, House]
) -> None:
    """Nothing is said to be old here that is not: the session is as young as its first call."""
    house = settled_houses[host]
    payload = recorded(host, house)
    shutil.rmtree(house.home / ".local/state/execpolicy/sessions", ignore_errors=True)
    first = house.run("hook", host, stdin=payload, how=YOUNG)
    again = house.run("hook", host, stdin=payload, how=YOUNG)
    assert first[0] == "decided"
    assert again == ("again", *first[1:])


def test_a_hook_answers_no_other_call_again(house: House) -> None:
    call = {**CALL, "cwd": str(house.project)}
    first = house.kept("hook", "claude", stdin=json.dumps(call))
    assert first[0] == "again"
    for more in ({"permission_mode": "plan"}, {"tool_input": {"command": "ls"}}, {"cwd": "/"}):
        assert house.run("hook", "claude", stdin=json.dumps({**call, **more}))[0] == "decided"
    assert house.run("hook", "gemini", stdin=json.dumps(call))[1:] != first[1:]
    assert house.run("hook", "claude", stdin=json.dumps(call)) == first


def session_elsewhere(file: Path) -> None:
    file.write_text("/")


def session_gone(file: Path) -> None:
    file.unlink()


def session_linked(file: Path) -> None:
    file.rename(file.with_suffix(".real"))
    file.symlink_to(file.with_suffix(".real"))


def session_of_all(file: Path) -> None:
    file.chmod(0o666)


@pytest.mark.parametrize(
    "change",
    [session_elsewhere, session_gone, session_linked, session_of_all],
    ids=lambda change: change.__name__,
)
def test_a_session_with_another_root_is_decided_anew(
    house: House, change: Callable[[Path], None]
) -> None:
    stdin = json.dumps({**CALL, "cwd": str(house.project)})
    assert house.kept("hook", "claude", stdin=stdin)[0] == "again"
    (file,) = house.home.glob(".local/state/execpolicy/sessions/*")
    status = file.stat()
    change(file)
    if file.exists():
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert house.run("hook", "claude", stdin=stdin)[0] == "decided"


def test_a_damaged_answer_does_not_count(house: House) -> None:
    expected = house.kept("check", "--", "git", "push")
    (file,) = house.answers
    whole = file.read_bytes()
    for damaged in (b"", whole[:-1], whole.replace(b"prompt", b"ALLOW!"), whole + b"x", b"\0" * 99):
        for each in house.answers:
            each.write_bytes(damaged)
        assert house.run("check", "--", "git", "push") == ("decided", *expected[1:])


# --- the looks themselves -------------------------------------------------------------------------


def noted(act: Callable[[], object]) -> "list[Any] | None":
    with Witness(()) as watching:
        with suppress(OSError, ValueError):
            act()
        watching._watching = False
    return watching.looks


DEEP = "/".join(["inner"] * MIN_DEPTH)
ACTS: dict[str, Callable[[Path], object]] = {
    "stat": lambda at: os.stat(str(at / "a")),
    "stat of a link": lambda at: os.lstat(str(at / "link")),
    "exists": lambda at: os.path.exists(str(at / "none")),
    "is a directory": lambda at: os.path.isdir(str(at)),
    "readlink": lambda at: os.readlink(str(at / "link")),
    "readlink of none": lambda at: os.readlink(str(at / "a")),
    "real path": lambda at: os.path.realpath(str(at / "link/../link")),
    "names": lambda at: os.listdir(str(at)),
    "names of none": lambda at: os.listdir(str(at / "none")),
    "walk": lambda at: list(os.walk(str(at))),
    "access": lambda at: os.access(str(at / "a"), os.R_OK),
    "open": lambda at: open(str(at / "a")).close(),
    "open none": lambda at: open(str(at / "none")).close(),
    "descriptor": lambda at: os.close(os.open(str(at / "a"), os.O_RDONLY)),
    "no link": lambda at: os.close(os.open(str(at / "link"), os.O_RDONLY | os.O_NOFOLLOW)),
    "a zero byte": lambda at: os.stat("a\0b"),
    "far below": lambda at: marked(str(at / DEEP), ("a", "b")),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a").write_text("a")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / DEEP).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_look_gives_the_same_until_something_changes(
    act: Callable[[Path], object], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "SETTLED", 0)
    found = noted(lambda: act(folder))
    assert found
    assert looks.all_same(found)


@pytest.mark.parametrize(
    "name", [n for n in ACTS if n not in ("a zero byte", "open none", "exists", "names of none")]
)
def test_a_look_differs_where_all_is_gone(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "SETTLED", 0)
    found = noted(lambda: ACTS[name](folder))
    assert found
    shutil.rmtree(folder)
    assert not looks.all_same(found)


@pytest.mark.parametrize(("made", "same"), [("b", False), ("c", True)])
def test_what_appears_above_a_deep_directory_is_seen(folder: Path, made: str, same: bool) -> None:
    seen = noted(lambda: ACTS["far below"](folder))
    above = [look for look in seen or () if look[1].startswith(str(folder))]
    assert above == [("above a b", str(folder / DEEP), (str(folder),))]
    (folder / "inner/inner" / made).touch()
    assert looks.all_same(above) is same


FIELDS = ("st_mode", "st_ino", "st_dev", "st_uid", "st_gid", "st_nlink", "st_size",
          "st_mtime_ns", "st_ctime_ns")  # fmt: skip


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("kind", ["a", "inner"])
def test_a_file_is_the_same_by_all_of_its_status_and_a_directory_by_what_it_is(
    field: str, kind: str, folder: Path
) -> None:
    """What a directory holds is listed. Its times and its size tell no more than that."""
    found = os.stat(folder / kind)
    fields = {name: getattr(found, name) for name in FIELDS}
    before = looks.of_status(SimpleNamespace(**fields))  # type: ignore[arg-type]
    other = SimpleNamespace(**{**fields, field: fields[field] + 1})
    counts = kind == "a" or field in FIELDS[:5]
    assert (looks.of_status(other) != before) is counts  # type: ignore[arg-type]
    assert before == looks.of_status(found)


def test_a_file_with_its_old_size_and_time_is_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the kernel sets the time of the last change of a status (ctime, inode(7))."""
    monkeypatch.setattr(witness, "SETTLED", 0)
    found = noted(lambda: os.stat(str(folder / "a")))
    assert found
    status = os.stat(folder / "a")
    while os.stat(folder / "a").st_ctime_ns == status.st_ctime_ns:  # the clock of files has steps
        (folder / "a").write_text("b")
        os.utime(folder / "a", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert os.stat(folder / "a").st_mtime_ns == status.st_mtime_ns
    assert not looks.all_same(found)


def test_a_directory_with_its_old_time_is_listed_again(folder: Path) -> None:
    status = os.stat(folder)
    entries = looks.again("scandir", str(folder))
    _, (listing,) = listings.split([("scandir", str(folder), entries)], sys.maxsize)
    assert listings.is_same(listing)
    (folder / "a").rename(folder / "b")
    os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))
    while os.stat(folder).st_ctime_ns == status.st_ctime_ns:  # the clock of files has steps
        os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert os.stat(folder).st_mtime_ns == status.st_mtime_ns
    assert not listings.is_same(listing)


def test_what_a_directory_has_not_is_known_by_the_directory(folder: Path) -> None:
    paths = [f"{folder}/{name}" for name in ("x", "y")]
    seen = [("lstat", path, looks.again("lstat", path)) for path in (*paths, "/none/z")]
    others, (absent,) = listings.part_absent(seen, sys.maxsize)
    assert others == seen[2:]
    assert listings.is_absent(absent)
    (folder / "other").write_text("")
    assert listings.is_absent(absent)
    status = os.stat(folder)
    (folder / "y").symlink_to("nowhere")
    while os.stat(folder).st_ctime_ns == status.st_ctime_ns:  # the clock of files has steps
        os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not listings.is_absent(absent)
    (folder / "y").unlink()
    assert listings.is_absent(absent)


def test_a_directory_that_changed_just_now_tells_nothing(folder: Path) -> None:
    seen = [("lstat", f"{folder}/{name}", looks.ENOENT) for name in ("x", "y")]
    assert listings.part_absent(seen, 0) == (seen, [])


USERS: dict[str, Callable[[], object]] = {
    "getuid": lambda: 4711,
    "geteuid": lambda: 4711,
    "getgid": lambda: 4711,
    "getegid": lambda: 4711,
    "getgroups": lambda: [4711],
    "getcwd": lambda: "/elsewhere",
}


@pytest.mark.parametrize("name", USERS)
def test_another_user_group_or_directory_is_another_key(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers.key(["check", "--", "ls"])
    assert answers.key(["check", "--", "ls"]) == before
    monkeypatch.setattr(os, name, USERS[name])
    assert answers.key(["check", "--", "ls"]) != before


FILE, LINK, HERE = (
    (0o100644, 1, 2, 3, 4, 1, 5, 6, 7),
    (0o120777, 8, 2, 3, 4, 1, 5, 6, 7),
    (0o40755,),
)
IMPLIED: list[tuple[list[Any], list[Any]]] = [
    ([("lstat", "/a", FILE), ("stat", "/a", FILE)], [("lstat", "/a", FILE)]),
    ([("stat", "/a", HERE), ("lstat", "/a", HERE)], [("lstat", "/a", HERE)]),
    ([("lstat", "/a", LINK), ("stat", "/a", FILE)], [("lstat", "/a", LINK), ("stat", "/a", FILE)]),
    ([("lstat", "/a", LINK), ("stat", "/a", 2)], [("lstat", "/a", LINK), ("stat", "/a", 2)]),
    ([("lstat", "/a", FILE), ("open", "/a", FILE)], [("lstat", "/a", FILE), ("open", "/a", FILE)]),
    ([("lstat", "/a", 2), ("stat", "/a", 2), ("open", "/a/b/c", 2)], [("lstat", "/a", 2)]),
    ([("lstat", "/a", 2), ("lstat", "/a/b", 2), ("lstat", "/ab", 2)],
     [("lstat", "/a", 2), ("lstat", "/ab", 2)]),
    ([("stat", "/a", 2), ("stat", "/a/b", 2)], [("stat", "/a", 2), ("stat", "/a/b", 2)]),
    ([("lstat", "/a", 2), ("lstat", "/a/b", 13)], [("lstat", "/a", 2), ("lstat", "/a/b", 13)]),
    ([("lstat", "/a", 2), ("access 4", "/a/b", False)],
     [("lstat", "/a", 2), ("access 4", "/a/b", False)]),
    ([("listdir", "/a", ("b",)), ("lstat", "/a/c", 2), ("stat", "/a/c/d", 2)],
     [("listdir", "/a", ("b",))]),
    ([("scandir", "/", (("a", True, False),)), ("lstat", "/b/c", 2), ("open", "/b", 2)],
     [("scandir", "/", (("a", True, False),))]),
    ([("listdir", "/a", ("b",)), ("lstat", "/a/b/c", 2)],
     [("listdir", "/a", ("b",)), ("lstat", "/a/b/c", 2)]),
    ([("listdir", "/a", ("b",)), ("stat", "/a/../c", 2), ("stat", "/a//c", 2)],
     [("listdir", "/a", ("b",)), ("stat", "/a/../c", 2), ("stat", "/a//c", 2)]),
    ([("lstat", "/a", FILE), ("readlink", "/a", 22)], [("lstat", "/a", FILE)]),
    ([("lstat", "/a", LINK), ("readlink", "/a", 22)],
     [("lstat", "/a", LINK), ("readlink", "/a", 22)]),
    ([("readlink", "/a", 22)], [("readlink", "/a", 22)]),
    ([("listdir", "/a", 2), ("listdir", "/a", 13), ("lstat", "/a/b", 2)],
     [("listdir", "/a", 2), ("listdir", "/a", 13), ("lstat", "/a/b", 2)]),
    ([("listdir", "/a", ("b",)), ("lstat", "/a/c", 13)],
     [("listdir", "/a", ("b",)), ("lstat", "/a/c", 13)]),
]  # fmt: skip


@pytest.mark.parametrize(("every", "left"), IMPLIED)
def test_a_look_that_another_one_implies_is_left_out(every: list[Any], left: list[Any]) -> None:
    assert looks.without_implied(every) == left


SPOILING: dict[str, Callable[[Path], object]] = {
    "a file is made": lambda at: (at / "new").write_text(""),
    "a directory is made": lambda at: os.mkdir(at / "new"),
    "a program runs": lambda _: subprocess.run(["true"], check=True),
    "the parent is asked for": lambda _: os.getppid(),
    "the state of a process is read": lambda _: open("/proc/self/stat").close(),
    "relative to something open": lambda at: os.stat("a", dir_fd=os.open(at, os.O_RDONLY)),
    "past the functions of `os`": lambda at: __import__("_io").open(str(at / "a")).close(),
    "a file that is too young": lambda at: open(str(at / "a")).close(),
}


@pytest.mark.parametrize("act", SPOILING.values(), ids=SPOILING)
def test_what_cannot_be_looked_at_again_spoils(act: Callable[[Path], object], folder: Path) -> None:
    assert noted(lambda: act(folder)) is None


def test_a_file_that_changes_meanwhile_spoils(folder: Path) -> None:
    def act() -> None:
        os.stat(str(folder / "a"))
        watching._watching = False
        (folder / "a").write_text("other")
        watching._watching = True
        os.stat(str(folder / "a"))

    with Witness(()) as watching:
        act()
        watching._watching = False
    assert watching.looks is None


@given(st.binary(max_size=300))
def test_no_bytes_in_the_place_of_an_answer_raise(data: bytes) -> None:
    mark = "0" * 64
    os.makedirs(os.path.dirname(cache.place("x")), 0o700, exist_ok=True)
    Path(cache.place(next(answers._names(mark)))).write_bytes(data)
    assert answers.recall(mark) is None


def test_answers_have_a_bounded_number_of_files() -> None:
    names = {name for n in range(5000) for name in answers._names(f"{n:08x}")}
    assert len(names) <= answers.SLOTS * answers.WAYS
    assert KeptAnswer(0, "").logged == ()


def test_the_answers_of_a_day_do_not_replace_each_other() -> None:
    cache.forget("answer-")
    marks = [digest.of(f"command {number}".encode()) for number in range(300)]
    for mark in marks:
        answers.keep(mark, KeptAnswer(0, mark), ())
    kept = [answers.recall(mark) for mark in marks]
    assert sum(found is not None for found in kept) >= 0.95 * len(marks)
    assert all(found is None or found.text == mark for found, mark in zip(kept, marks, strict=True))


def test_an_answer_that_is_kept_anew_takes_no_other_file() -> None:
    mark = digest.of(b"one")
    for text in ("old", "new"):
        answers.keep(mark, KeptAnswer(0, text), ())
    assert sum(cache.read(name, mark) is not None for name in answers._names(mark)) == 1
    assert answers.recall(mark) == KeptAnswer(0, "new")


# --- the kernel's own list ------------------------------------------------------------------------

CALLS = re.compile(r"^\d+ +(\w+)\((?:AT_FDCWD, )?\"(?P<path>[^\"]*)\"(?P<rest>.*)", re.MULTILINE)
LOOKING = "trace=%file,getdents64"


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("arguments", [ASKED, ("check", "-c", "cat a; rm -rf $PWD/x")])
def test_the_kernel_saw_no_look_that_is_not_noted(house: House, arguments: tuple[str, ...]) -> None:
    house.run(*arguments)  # makes the directories of the log and the cache
    house.afresh(*arguments)
    house.forget()
    told = house.home / "told"
    how = f"""
import os, json, sys
from execpolicy.store.compiled import cache
from execpolicy.store.repeat import answers, witness
witness.SETTLED = 0
leaves, enters = witness.Witness.__exit__, witness.Witness.__enter__
def enter(self):
    os.access("/begins", 0)
    return enters(self)
def leave(self, *error):
    os.access("/ends", 0)
    leaves(self, *error)
witness.Witness.__enter__, witness.Witness.__exit__ = enter, leave
def keep(mark, answer, looks):
    open({str(told)!r}, "w").write(json.dumps(looks))
answers.keep = keep
from execpolicy.__main__ import main
main()
"""
    log = house.home / "strace"
    command = ["strace", "-f", "-s", "4096", "-e", LOOKING, "-o", str(log)]
    subprocess.run(
        [*command, sys.executable, "-c", how, *arguments],
        cwd=house.project,
        env=house.variables,
        capture_output=True,
        check=False,
        timeout=HANG_SECONDS,
    )
    seen = {path for _, path, _ in json.loads(told.read_text())}
    text = log.read_text()
    within = text[text.index('"/begins"') : text.rindex('"/ends"')]
    looked = {m["path"] for m in CALLS.finditer(within)} - {"/ends", "/begins"}
    state = house.home / ".local/state/execpolicy"
    looked -= {f"{state}/runs", f"{state}/shared"}  # asked about before an answer is given again
    foreign = {p for p in looked - seen if not is_of_python(p) and "audit.jsonl" not in p}
    assert not foreign
    assert len(looked & seen) > 30


def is_of_python(path: str) -> bool:
    """Whether the importer looks there: its sources are looked at when all is over."""
    importing = (".py", ".pyc", ".so", "/__pycache__", "pyvenv.cfg")
    return (
        path.endswith(importing)
        or path in sys.path
        or ".cpython-" in path
        or path.startswith(
            (os.path.dirname(os.__file__), str(ROOT / "execpolicy"), "/proc/self/fd")
        )
    )


# --- what is not kept takes no memory -------------------------------------------------------------


def test_a_stream_is_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = io.StringIO()
    monkeypatch.setattr("sys.stdout", stdout)
    used: list[object] = []

    def command(_arguments: Sequence[str]) -> int:
        used.append(sys.stdout)
        return 0

    assert repeat.check(["--jsonl"], command) == 0
    assert used == [stdout]


def test_of_a_long_output_no_more_is_copied_than_is_kept() -> None:
    written: list[str] = []
    copy = repeat._Copy(io.StringIO(), written)
    for _ in range(1000):
        copy.write("x" * 1000)
    assert answers.MAX_BYTES < len("".join(written)) <= answers.MAX_BYTES + 1000


def test_what_is_spoiled_notes_nothing_more(folder: Path) -> None:
    with Witness(()) as watching:
        watching.spoil()
        before = len(watching._looks)
        os.stat(str(folder / "a"))
        watching._watching = False
    assert len(watching._looks) == before


def test_what_another_thread_sees_is_not_noted(folder: Path) -> None:
    def other() -> None:
        os.stat(str(folder / "a"))
        os.getppid()
        with watching_module.Aside():
            begun.set()
            assert ends.wait(HANG_SECONDS)

    begun, ends = threading.Event(), threading.Event()
    with Witness((), modules=False) as watching:
        thread = threading.Thread(target=other)
        thread.start()
        assert begun.wait(HANG_SECONDS)
        os.stat(str(folder / "link"))
    ends.set()
    thread.join(HANG_SECONDS)
    assert watching.looks is not None
    assert [path for _, path, _ in watching.looks] == [str(folder / "link")]


def test_the_interpreter_is_asked_once_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """What hooks into it stays for good."""
    asked: list[object] = []
    noted(lambda: None)
    monkeypatch.setattr(sys, "addaudithook", asked.append)
    noted(lambda: None)
    assert asked == []

"""Writing a rule: old or new file at every moment, nothing lost, and back again."""

import multiprocessing
import os
import random
import re
import signal
import stat
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from execpolicy.engine.amend.change import canonical
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store import amend
from execpolicy.store.amend import with_block, without_block
from execpolicy.store.sources import trust
from execpolicy.support import digest
from tests.repositories import new_repository
from tests.store.dying import STEPS, in_child, suicide

RULE = 'prefix_rule(["git", "push"], decision = "allow")'
OLD = b"# mine\nprefix_rule(['ls'])\n"
NOW = 1_800_000_000.0


def fine(_content: bytes) -> None:
    """A verification that has nothing against it."""


@pytest.fixture
def path(home: Path) -> str:
    found = amend.target("user")
    assert found == str(home / ".config/execpolicy/rules/default.rules")
    amend.prepare("user", found)
    return found


def append(path: str, rule: str = RULE, command: str = "git push") -> amend.Change:
    return amend.append("user", path, [rule], command, fine)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"# amend W [T] for: git push\nR\n"),
        (b"x = 1\n", b"x = 1\n\n# amend W [T] for: git push\nR\n"),
        (b"x = 1", b"x = 1\n\n# amend W [T] for: git push\nR\n"),
        (b"x = 1\r\n", b"x = 1\r\n\r\n# amend W [T] for: git push\r\nR\r\n"),
        (b"# c\n\n\n", b"# c\n\n\n\n# amend W [T] for: git push\nR\n"),
    ],
)
def test_a_block_is_a_comment_and_the_rule(before: bytes, after: bytes) -> None:
    found = with_block(before, [RULE], "git push", NOW)
    tag = found.partition(b"[")[2].partition(b"]")[0]
    shown = found.replace(tag, b"T", 1).replace(b"2027-01-15T08:00:00Z", b"W")
    assert shown.replace(RULE.encode(), b"R") == after
    assert without_block(found) == before


@pytest.mark.parametrize(
    "command",
    [
        "a\nprefix_rule(['rm'])",
        "a\r\nb",
        "a\u2028b",
        "a\x1b[2K",
        "\u202ea",
        "a\x85b",
        "x" * 9999,
        "\udcff",
    ],
)
def test_nothing_breaks_out_of_the_comment(command: str) -> None:
    lines = with_block(b"", [RULE], command, NOW).decode().splitlines()
    assert len(lines) == 2
    assert lines[0].isprintable()
    assert len(lines[0]) < 400


def test_every_comment_is_kept_and_the_mode_too(path: str) -> None:
    Path(path).write_bytes(OLD)
    os.chmod(path, 0o640)
    change = append(path)
    assert change.before == OLD
    assert Path(path).read_bytes() == change.after
    assert change.after.startswith(OLD)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640


def test_a_new_file_is_the_users_own(path: str) -> None:
    append(path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700


def test_undo_takes_back_the_last_one_and_the_one_before(path: str) -> None:
    Path(path).write_bytes(OLD)
    first = append(path).after
    append(path, RULE.replace("push", "fetch"))
    assert amend.undo("user", path, fine).after == first
    assert amend.undo("user", path, fine).after == OLD
    with pytest.raises(ExecPolicyError, match="does not end with rules that `amend` wrote"):
        amend.undo("user", path, fine)
    assert Path(path).read_bytes() == OLD


@pytest.mark.parametrize(
    "edit",
    [
        lambda content: content + b"x = 1\n",
        lambda content: content.replace(b'"allow"', b'"prompt"'),
        lambda content: content.replace(b"for: git", b"for: tig"),
        lambda content: content[:-1],
    ],
)
def test_what_was_edited_since_is_not_taken_back(edit: Callable[[bytes], bytes], path: str) -> None:
    content = edit(append(path).after)
    Path(path).write_bytes(content)
    with pytest.raises(ExecPolicyError, match="edit the file"):
        amend.undo("user", path, fine)
    assert Path(path).read_bytes() == content


_READ = 'path_rule([{}], modes = ["{}"], decision = "allow", programs = ["{}"])'
_MORE = ', decision = "allow", effects = ["remote"], hosts = ["@configured"], below = True)'
_WORDS = 'prefix_rule(["bd", {}]' + _MORE


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("long", ["", "a word so long that each argument has a line " * 2])
def test_a_rule_that_differs_in_a_word_joins_one_and_leaves_it(
    newline: str, long: str, path: str
) -> None:
    words = [f'"{word}{long}"' for word in ("note", "close", "push")]
    Path(path).write_bytes(f"# mine{newline}".encode())
    states = [Path(path).read_bytes()]
    for word in words:
        append(path, canonical(_WORDS.format(word)), f"bd {word}")
        states.append(Path(path).read_bytes())
    rule = canonical(_WORDS.format(f"[{', '.join(words)}]"))
    assert rule.replace("\n", newline) in states[-1].decode()
    assert re.findall("^prefix_rule", states[-1].decode(), re.M) == ["prefix_rule"]
    for state in states[-2::-1]:
        assert amend.undo("user", path, fine).after == state


@pytest.mark.parametrize(
    ("new", "together"),
    [
        (_READ.format('"./.env"', "read", "sed"), _READ.format('"./.env"', "read", 'awk", "sed')),
        (
            _READ.format('"./.env"', "write", "awk"),
            _READ.format('"./.env"', 'read", "write', "awk"),
        ),
        (_READ.format('"./a"', "read", "awk"), _READ.format('"./.env", "./a"', "read", "awk")),
    ],
)
def test_a_rule_for_paths_that_differs_in_one_thing_joins_one(
    new: str, together: str, path: str
) -> None:
    before = append(path, _READ.format('"./.env"', "read", "awk")).after
    after = append(path, new).after.decode()
    assert f"\n{together}\n" in after
    assert after.count("\npath_rule") == 1
    assert amend.undo("user", path, fine).after == before


@pytest.mark.parametrize(
    ("there", "new"),
    [
        (_READ.format('"./.env"', "read", "awk"), _READ.format('"./a"', "read", "sed")),
        (_READ.format('"./a"', "read", "awk").replace("allow", "prompt"),) * 2,
        (_WORDS.format('"note"'), _WORDS.format('"note", "x"')),  # of another length
        (_WORDS.format('"note", "x"'), _WORDS.format('"close", "y"')),  # two words
        (_WORDS.format('"note"'), _WORDS.format('"close"').replace('"bd"', '"db"')),
        (_WORDS.format('"note"'), _WORDS.format('"close"').replace("remote", "network")),
        (_WORDS.format('"note"'), _WORDS.format('"close"').replace(", below = True", "")),
        (_WORDS.format('"note"'), _WORDS.format('"close"').replace("allow", "prompt")),
        (RULE, RULE.replace("push", "fetch")),  # no conditions: written by hand
        ("# " + _WORDS.format('"note"'), _WORDS.format('"close"')),
        ("x = " + _WORDS.format('"note"'), _WORDS.format('"close"')),
    ],
)
def test_another_rule_is_a_line_of_its_own(there: str, new: str, path: str) -> None:
    Path(path).write_bytes(f"{there}\n".encode())
    after = append(path, new).after.decode()
    assert after.startswith(f"{there}\n")
    assert after.endswith(f"\n{new}\n")


def test_what_stands_before_may_have_been_edited() -> None:
    block = with_block(OLD, [RULE], "# amend x", NOW)
    assert without_block(b"y = 2\n" + block) == b"y = 2\n" + OLD


def test_what_is_not_verified_is_not_written(path: str) -> None:
    Path(path).write_bytes(OLD)

    def against(content: bytes) -> None:
        assert content.startswith(OLD)
        raise ExecPolicyError("no")

    with pytest.raises(ExecPolicyError, match="no"):
        amend.append("user", path, [RULE], "x", against)
    assert Path(path).read_bytes() == OLD
    assert os.listdir(os.path.dirname(path)) == ["default.rules"]


def test_a_dry_run_writes_nothing(path: str) -> None:
    change = amend.append("user", path, [RULE], "x", fine, dry=True)
    assert RULE.encode() in change.after
    assert not os.path.exists(path)


def test_a_link_is_followed_and_stays(path: str, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "my.rules"
    target.parent.mkdir()
    target.write_bytes(OLD)
    os.symlink(target, path)
    append(path)
    assert os.path.islink(path)
    assert RULE in target.read_text()


def test_a_file_that_is_none_is_refused(path: str) -> None:
    os.symlink("/dev/null", path)
    with pytest.raises(ExecPolicyError, match="is not a regular file"):
        append(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(path: str) -> None:
    Path(path).write_bytes(OLD)
    os.chown(path, 12345, -1)
    with pytest.raises(ExecPolicyError, match="belongs to another user"):
        append(path)


def test_a_directory_that_others_can_write_is_refused(path: str) -> None:
    os.chmod(os.path.dirname(path), 0o777)  # noqa: S103
    with pytest.raises(ExecPolicyError, match="others can write to"):
        amend.prepare("user", path)


def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    new_repository(root)
    (root / "a" / "b").mkdir(parents=True)
    return root


def test_the_projects_file_is_at_the_root_of_the_repository(tmp_path: Path) -> None:
    root = repository(tmp_path)
    wanted = str(root / ".execpolicy/rules/default.rules")
    assert amend.target("project", str(root / "a/b")) == wanted
    assert amend.target("project", str(tmp_path)) == str(
        tmp_path / ".execpolicy/rules/default.rules"
    )


@pytest.mark.parametrize(("trusted", "pinned"), [(True, True), (False, False), (None, True)])
def test_trust_of_a_project_goes_on(trusted: bool | None, pinned: bool, tmp_path: Path) -> None:
    path = amend.target("project", str(repository(tmp_path)))
    amend.prepare("project", path)
    if trusted is not None:
        Path(path).write_bytes(OLD)
    if trusted:
        trust.pin({path: OLD})
    change = amend.append("project", path, [RULE], "x", fine)
    assert trust.trusted(path, change.after, trust.read()) is pinned
    change = amend.undo("project", path, fine)
    assert trust.trusted(path, change.after, trust.read()) is pinned


@pytest.mark.parametrize("before", [b"", OLD])
@pytest.mark.parametrize("stage", STEPS)
def test_killed_at_any_step_the_file_is_the_old_or_the_new(
    stage: str, before: bytes, path: str
) -> None:
    if before:
        Path(path).write_bytes(before)
    step = suicide(stage)
    status = in_child(lambda: amend.append("user", path, [RULE], "x", fine, step=step))
    assert os.WTERMSIG(status) == signal.SIGKILL
    content = Path(path).read_bytes() if os.path.exists(path) else b""
    if stage in ("renamed", "done"):
        assert without_block(content) == before
    else:
        assert content == before
    append(path)  # the lock is free, and what was left behind is swept away
    assert os.listdir(os.path.dirname(path)) == ["default.rules"]
    assert without_block(Path(path).read_bytes()) == content


@pytest.mark.parametrize("stage", STEPS)
def test_killed_while_taking_back(stage: str, path: str) -> None:
    Path(path).write_bytes(OLD)
    new = append(path).after
    in_child(lambda: amend.undo("user", path, fine, step=suicide(stage)))
    late = stage in ("renamed", "done")
    assert Path(path).read_bytes() == (OLD if late else new)


PINNING = tuple(f"{when} {stage}" for when in ("pin", "settle") for stage in STEPS)


@pytest.mark.parametrize("back", [False, True], ids=["append", "undo"])
@pytest.mark.parametrize("stage", [*PINNING, *STEPS])
def test_killed_at_any_step_a_project_is_trusted_as_it_was(
    stage: str, back: bool, tmp_path: Path
) -> None:
    path = amend.target("project", str(repository(tmp_path)))
    amend.prepare("project", path)
    Path(path).write_bytes(OLD)
    trust.pin({path: OLD})
    if back:
        amend.append("project", path, [RULE], "x", fine)
    before, step = Path(path).read_bytes(), suicide(stage)
    status = in_child(
        lambda: (
            amend.undo("project", path, fine, step=step)
            if back
            else amend.append("project", path, [RULE], "x", fine, step=step)
        )
    )
    assert os.WTERMSIG(status) == signal.SIGKILL
    content = Path(path).read_bytes()
    late = stage in ("renamed", "done") or stage.startswith("settle")
    assert (content != before) is late
    assert trust.trusted(path, content, trust.read())
    change = amend.append("project", path, ['prefix_rule(["other"])'], "x", fine)
    assert trust.read().pins == {trust.Pin.of(path): (digest.of(change.after),)}
    left = [n for _, _, names in os.walk(os.path.dirname(trust.record())) for n in names]
    assert not [n for n in left if n.endswith(".tmp")]


def test_a_change_that_fails_leaves_the_trust_in_the_old_file(tmp_path: Path) -> None:
    path = amend.target("project", str(repository(tmp_path)))
    amend.prepare("project", path)
    Path(path).write_bytes(OLD)
    trust.pin({path: OLD})

    def full(stage: str) -> None:
        if stage == "written":
            raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        amend.append("project", path, [RULE], "x", fine, step=full)
    assert Path(path).read_bytes() == OLD
    assert trust.trusted(path, OLD, trust.read())


def rule(number: int) -> str:
    return f'prefix_rule(["tool{number}"], decision = "allow")'


def test_killed_at_each_step_in_turn_no_rule_is_lost(path: str) -> None:
    """What one process leaves behind is no hindrance to the next."""
    kept = []
    for number, stage in enumerate(STEPS * 3):
        step = suicide(stage)
        action = partial(amend.append, "user", path, [rule(number)], "x", fine, step=step)
        assert os.WTERMSIG(in_child(action)) == signal.SIGKILL
        if stage in ("renamed", "done"):
            kept.append(rule(number))
        assert blocks(path) == kept


@pytest.mark.rest
def test_killed_200_times_at_random_no_rule_is_lost(path: str) -> None:
    chance, kept = random.Random(7), []  # noqa: S311
    for number in range(200):
        child = os.fork()
        if child == 0:
            append(path, rule(number))
            os._exit(0)
        time.sleep(chance.random() * 0.006)
        os.kill(child, signal.SIGKILL)
        if os.waitpid(child, 0)[1] == 0:
            kept.append(rule(number))
        blocks(path)
    rules = blocks(path)
    assert [r for r in rules if r in kept] == kept
    assert len(set(rules)) == len(rules)


def blocks(path: str) -> list[str]:
    """The rules of a file of whole blocks and nothing else, in order."""
    content = Path(path).read_bytes() if os.path.exists(path) else b""
    found = []
    while content:
        before = without_block(content)
        assert before is not None, content
        found.append(content.decode().splitlines()[-1])
        content = before
    return found[::-1]


def _several(path: str, worker: int) -> None:
    for number in range(10):
        append(path, f'prefix_rule(["tool", "{worker}", "{number}"], decision = "allow")')


def test_eight_processes_at_once_lose_nothing(path: str) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_several, args=(path, n)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert len(set(blocks(path))) == 80

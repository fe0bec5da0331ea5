"""Hooks in TOML: nothing of the user's is touched, and what cannot be edited is refused."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.hosts.install import toml
from execpolicy.hosts.install.host import HOSTS
from execpolicy.model.errors import ExecPolicyError

CODEX = HOSTS["codex"]
PROGRAM = ("/opt/x y/execpolicy",)
COMMAND = f"'{PROGRAM[0]}' hook codex"
MINE = '[[hooks.PreToolUse]]\nmatcher = "x"\n\n[[hooks.PreToolUse.hooks]]\ncommand = "mine"\n'

FILES = {
    "nothing": "",
    "settings": 'model = "x"  # why\n',
    "tables": f"# mine\n{MINE}\n# servers\n[mcp.a]\nurl = 'b'\n",
    "carriage returns": MINE.replace("\n", "\r\n"),
    "in line": 'hooks = { PreToolUse = [{ hooks = [{ command = "mine" }] }] } # c\nx = 1\n',
    "an array": '[hooks]\n# a\nPreToolUse = [\n  # b\n  { hooks = [{ command = "mine" }] }, # c\n]',
    "dotted": 'hooks.PreToolUse = [{ hooks = [{ command = "mine" }] }]\n[x]\ny = 1\n',
    "trust behind": f'{MINE}\n[hooks.state."k"]\ntrusted_hash = "s"\n',
    "a text with a header": f'a = """\n[[hooks.PreToolUse]]\n# no comment\n"""\n{MINE}',
    "out of order": f"{MINE}\n[other]\nz = 1\n\n{MINE}",
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_installing_adds_our_hooks_and_nothing_else(text: str) -> None:
    there = toml.installed(text, CODEX, PROGRAM)
    found = list(toml.items(tomllib.loads(there), CODEX))
    assert [i.event for i in found] == ["PreToolUse", "PermissionRequest", "SessionStart"]
    assert [i.hook["command"] for i in found] == [COMMAND] * 3
    lines = [line for line in text.splitlines() if "hooks = {" not in line and "mine" not in line]
    assert [line for line in there.splitlines() if line in lines][: len(lines)] == lines


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_installing_is_idempotent_and_undone(text: str) -> None:
    there = toml.installed(text, CODEX, PROGRAM)
    assert toml.installed(there, CODEX, PROGRAM) == there
    gone = toml.removed(there, CODEX)
    assert tomllib.loads(gone) == tomllib.loads(text)
    if "{" not in text:
        assert gone == text


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_a_moved_program_changes_its_command_alone(text: str) -> None:
    there = toml.installed(text, CODEX, ("/a/execpolicy",))
    moved = toml.installed(there, CODEX, ("/b/execpolicy",))
    assert moved == there.replace("/a/execpolicy", "/b/execpolicy")


def test_what_codex_writes_behind_our_hooks_stays() -> None:
    trust = '\n[hooks.state."k:0:0"]\ntrusted_hash = "s"\n'
    there = toml.installed(MINE, CODEX, PROGRAM) + trust
    assert toml.installed(there, CODEX, PROGRAM) == there
    assert toml.removed(there, CODEX) == MINE + trust


def test_a_hook_that_was_changed_by_hand_is_taken_out() -> None:
    there = toml.installed(MINE, CODEX, PROGRAM).replace("timeout = 10", "timeout   =  30")
    assert tomllib.loads(toml.removed(there, CODEX)) == tomllib.loads(MINE)


def test_a_hook_of_somebody_else_in_our_group_stays() -> None:
    more = '\n[[hooks.PermissionRequest.hooks]]\ncommand = "theirs"\n'
    gone = toml.removed(toml.installed("", CODEX, PROGRAM) + more, CODEX)
    (group,) = tomllib.loads(gone)["hooks"]["PermissionRequest"]
    assert group["hooks"] == [{"command": "theirs"}]


REFUSED = {
    "events that are not a list": "[hooks.PreToolUse]\nmatcher = 'x'\n",
    "hooks that are not a table": "hooks = 3\n",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_no_host_reads_is_refused(text: str) -> None:
    with pytest.raises(ExecPolicyError, match="cannot be edited without a loss"):
        toml.installed(text, CODEX, PROGRAM)


def test_a_comment_inside_of_our_hook_is_not_lost() -> None:
    there = toml.installed(MINE, CODEX, PROGRAM).replace(
        "timeout = 10", "# slow disk\ntimeout = 10"
    )
    with pytest.raises(ExecPolicyError, match="edit them by hand"):
        toml.removed(there, CODEX)


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (MINE, True),
        ("[hooks]\nStop = []\n", False),
        ('[hooks.state."k"]\ntrusted_hash = "s"\n', False),
        ("hooks = 3\n", False),
        (toml.installed("", CODEX, PROGRAM), False),
        (toml.installed(MINE, CODEX, PROGRAM), True),
    ],
)
def test_whose_hooks_they_are(text: str, others: bool) -> None:
    assert toml.others(tomllib.loads(text), CODEX) is others


PIECES = st.lists(
    st.sampled_from(
        [
            MINE,
            "# a comment\n",
            "\n",
            MINE.replace("PreToolUse", "Stop"),
            MINE.replace("PreToolUse", "PermissionRequest"),
            "[[list]]\nx = 1\n",
        ]
    ),
    max_size=6,
).map("".join)


@given(PIECES, st.sampled_from(["", "x = 1\n", "y = '''\n# z\n'''\n"]))
def test_whatever_the_file_installing_is_undone_to_the_byte(pieces: str, top: str) -> None:
    text = top + pieces
    there = toml.installed(text, CODEX, PROGRAM)
    assert there.startswith(text)
    assert toml.removed(there, CODEX) == text

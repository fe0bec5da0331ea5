"""JSON with comments is read as its readers read it, and edited without touching the rest."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.hosts.install import hooks
from execpolicy.hosts.install.host import HOSTS
from execpolicy.hosts.install.jsonc import JsonError, add, parse, remove

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
INDENTS = st.sampled_from([None, 2, 4, "\t"])


@given(VALUES, INDENTS)
def test_it_reads_what_json_reads(value: object, indent: "int | str | None") -> None:
    assert parse(json.dumps(value, indent=indent)).value == value


@given(st.dictionaries(st.text(), VALUES, max_size=4), INDENTS)
def test_to_add_and_to_remove_is_nothing(
    value: "dict[str, object]", indent: "int | str | None"
) -> None:
    value.pop("new", None)
    text = json.dumps(value, indent=indent)
    longer = add(text, parse(text), [1, {"a": 2}], "new")
    root = parse(longer)
    assert root.value == {**value, "new": [1, {"a": 2}]}
    member = root.get("new")
    assert member is not None
    assert remove(longer, root, member) == text


@pytest.mark.parametrize(
    "text",
    ["", "{", "{]", '{"a"}', '{"a" 1}', "{1: 2}", "[1 2]", "{} x", "/* ", "nul", '"a', "[" * 200],
)
def test_what_is_no_json_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(JsonError, match=r"^\d+:\d+: "):
        parse(text)


FILES = [
    "{}",
    '{"a": 1}\n',
    '{\n    // why\n    "a": 1, // note\n    "hooks": {\n        "Stop": [],\n    },\n}\n',
    '{\r\n\t"a": 1 /* x */\r\n}\r\n',
    '{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "x", "hooks": [{"command": "y"}]}'
    "\n    ]\n  }\n}\n",
]
EDITED = [host for host in HOSTS.values() if not host.plugin]


@pytest.mark.parametrize("text", FILES)
@pytest.mark.parametrize("host", EDITED, ids=lambda h: h.name)
def test_installing_is_idempotent_and_undone_to_the_byte(host: "object", text: str) -> None:
    assert host in EDITED
    one = HOSTS[getattr(host, "name", "")]
    there = hooks.installed(text, one, ("/opt/x y/execpolicy",))
    assert hooks.installed(there, one, ("/opt/x y/execpolicy",)) == there
    assert hooks.commands(there, one) == [f"'/opt/x y/execpolicy' hook {one.name}"] * len(
        one.entries
    )
    assert hooks.removed(there, one) == text


def test_a_moved_program_changes_its_command_alone() -> None:
    host = HOSTS["claude"]
    there = hooks.installed(FILES[2], host, ("/a/execpolicy",))
    moved = hooks.installed(there, host, ("/b/execpolicy",))
    assert moved == there.replace("/a/execpolicy", "/b/execpolicy")


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("/usr/bin/execpolicy hook claude", True),
        ("'/a b/python' -I -m execpolicy hook claude", True),
        ("execpolicy hook codex", False),
        ("/usr/bin/other hook claude", False),
        ("echo 'execpolicy hook claude", False),
        ("execpolicy check", False),
    ],
)
def test_which_command_lines_are_ours(command: str, ours: bool) -> None:
    assert hooks.is_ours(command, "claude") is ours

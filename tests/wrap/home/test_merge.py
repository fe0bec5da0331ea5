"""What a session changed in a file of settings, and what of it is carried back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.hosts.agents.entries import agent
from execpolicy.wrap.home.merge import NOTHING, held, merged
from tests.examples import examples

Table = dict[str, Any]

KEYS = next(file.keys for file in agent("claude").carried if file.path == ".claude.json")
START: Table = {
    "numStartups": 1,
    "tipsHistory": {"a": 1},
    "mcpServers": {"db": {"command": "db"}},
    "projects": {"/p": {"allowedTools": [], "hasTrustDialogAccepted": False, "lastCost": 1}},
}

ROWS: dict[str, tuple[Table, Table, Table, set[str], set[str], set[str]]] = {
    # what the session made of it, what it is outside by now, and: as it becomes outside, keys that
    # were carried, that stay as they are outside, that are steering
    "nothing": (START, START, START, set(), set(), set()),
    "a counter": (
        {**START, "numStartups": 2},
        START,
        {**START, "numStartups": 2},
        {"numStartups"},
        set(),
        set(),
    ),
    "a counter, and outside another key": (
        {**START, "numStartups": 2},
        {**START, "theme": "light"},
        {**START, "theme": "light", "numStartups": 2},
        {"numStartups"},
        set(),
        set(),
    ),
    "both the same": (
        {**START, "numStartups": 2},
        {**START, "numStartups": 2},
        {**START, "numStartups": 2},
        set(),
        set(),
        set(),
    ),
    "both another": (
        {**START, "numStartups": 2},
        {**START, "numStartups": 5},
        {**START, "numStartups": 5},
        set(),
        {"numStartups"},
        set(),
    ),
    "keys of one table": (
        {**START, "tipsHistory": {"a": 1, "b": 2}},
        {**START, "tipsHistory": {"a": 1, "c": 3}},
        {**START, "tipsHistory": {"a": 1, "b": 2, "c": 3}},
        {"tipsHistory.b"},
        set(),
        set(),
    ),
    "a key is gone": (
        {**START, "tipsHistory": {}},
        START,
        {**START, "tipsHistory": {}},
        {"tipsHistory.a"},
        set(),
        set(),
    ),
    "a server": (
        {**START, "mcpServers": {"db": {"command": "evil"}}},
        START,
        START,
        set(),
        set(),
        {"mcpServers"},
    ),
    "trust, tools and a cost": (
        {
            **START,
            "projects": {
                "/p": {"allowedTools": ["Bash"], "hasTrustDialogAccepted": True, "lastCost": 2}
            },
        },
        START,
        {
            **START,
            "projects": {
                "/p": {"allowedTools": [], "hasTrustDialogAccepted": False, "lastCost": 2}
            },
        },
        {"projects./p.lastCost"},
        set(),
        {"projects./p.allowedTools", "projects./p.hasTrustDialogAccepted"},
    ),
    "a new project": (
        {
            **START,
            "projects": {**START["projects"], "/q": {"lastCost": 3, "mcpServers": {"x": {}}}},
        },
        START,
        {**START, "projects": {**START["projects"], "/q": {"lastCost": 3}}},
        {"projects./q.lastCost"},
        set(),
        {"projects./q.mcpServers"},
    ),
    "a project that is gone outside": (
        {**START, "projects": {"/p": {**START["projects"]["/p"], "lastCost": 2}}},
        {**START, "projects": {}},
        {**START, "projects": {}},
        set(),
        {"projects./p.lastCost"},
        set(),
    ),
    "a table that is none any more": (
        {**START, "projects": 5},
        START,
        START,
        set(),
        set(),
        {"projects"},
    ),
    "a table that is none outside": (
        {**START, "tipsHistory": {"a": 1, "b": 2}},
        {**START, "tipsHistory": 7},
        {**START, "tipsHistory": 7},
        set(),
        {"tipsHistory.b"},
        set(),
    ),
    "variables and a helper": (
        {**START, "env": {"PATH": "/p"}, "apiKeyHelper": "evil", "customApiKeyResponses": {}},
        START,
        START,
        set(),
        set(),
        {"env", "apiKeyHelper", "customApiKeyResponses"},
    ),
    "a key that looks like a row of them": (
        {**START, "projects./p.lastCost": 9, "*": 1},
        START,
        START,
        set(),
        set(),
        {"projects./p.lastCost", "*"},
    ),
    "one and true": (
        {**START, "numStartups": True},
        START,
        {**START, "numStartups": True},
        {"numStartups"},
        set(),
        set(),
    ),
    "all is gone": (
        {},
        START,
        {
            "mcpServers": START["mcpServers"],
            "tipsHistory": {},
            "projects": {"/p": {"allowedTools": [], "hasTrustDialogAccepted": False}},
        },
        {"numStartups", "tipsHistory.a", "projects./p.lastCost"},
        set(),
        {"mcpServers", "projects./p.allowedTools", "projects./p.hasTrustDialogAccepted"},
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_is_carried(name: str) -> None:
    after, outside, table, carried, conflicts, steering = ROWS[name]
    made = merged(START, after, outside, KEYS)
    assert made.table == table
    assert {".".join(key) for key in made.carried} == carried
    assert {".".join(key) for key in made.conflicts} == conflicts
    assert {".".join(key) for key in made.steering} == steering


NAMES = ("numStartups", "userID", "theme", "mcpServers", "env", "hooks", "permissions", "x")
INNER = ("lastCost", "history", "allowedTools", "hasTrustDialogAccepted", "mcpServers")
VALUES = st.integers(0, 3) | st.booleans() | st.none() | st.lists(st.integers(0, 1), max_size=2)
PROJECTS = st.dictionaries(
    st.sampled_from(("/p", "/q")),
    st.dictionaries(st.sampled_from(INNER), VALUES) | st.integers(0, 1),
)
TABLES = st.builds(
    lambda flat, projects, tips: {**flat, "projects": projects, "tipsHistory": tips},
    st.dictionaries(st.sampled_from(NAMES), VALUES),
    PROJECTS | st.integers(0, 1),
    st.dictionaries(st.sampled_from("ab"), VALUES) | VALUES,
)


def leaves(table: object, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], object]:
    """Each value that is not a table, by its keys."""
    if not isinstance(table, dict):
        return {path: table}
    return {k: v for name in table for k, v in leaves(table[name], (*path, name)).items()}


def is_data(path: tuple[str, ...]) -> bool:
    """The model: whether a row of keys is below one that is data."""
    return any(
        len(path) >= len(key) and all(k in ("*", p) for k, p in zip(key, path, strict=False))
        for key in KEYS
    )


def text(value: object) -> str:
    """A value as JSON, so that `1` and `true` are two."""
    return "" if value is NOTHING else json.dumps(value, sort_keys=True)


@given(TABLES, TABLES, TABLES)
@examples(400)
def test_nothing_of_steering_is_ever_carried(before: Table, after: Table, outside: Table) -> None:
    made = merged(before, after, outside, KEYS)
    old, new = leaves(outside), leaves(made.table)
    for path in {*old, *new}:
        if not is_data(path):
            # An empty table may stand where data was put or taken away.
            assert text(old.get(path, NOTHING)) == text(new.get(path, NOTHING)), path


@given(TABLES, TABLES, TABLES)
@examples(400)
def test_every_change_is_carried_told_or_there(before: Table, after: Table, outside: Table) -> None:
    made = merged(before, after, outside, KEYS)
    told = {*made.carried, *made.conflicts, *made.steering}
    was, now = leaves(before), leaves(after)
    for path in {*was, *now}:
        if text(was.get(path, NOTHING)) != text(now.get(path, NOTHING)):
            is_told = any(path[: len(key)] == key or key[: len(path)] == path for key in told)
            there = text(held(made.table, path)) == text(held(after, path))
            assert is_told or there, path
    for key in made.carried:
        assert text(held(made.table, key)) == text(held(after, key))
    for key in made.conflicts:
        assert text(held(made.table, key)) == text(held(outside, key))


@given(TABLES, TABLES, TABLES)
@examples(400)
def test_no_update_of_another_session_is_lost(start: Table, one: Table, other: Table) -> None:
    """Of two sessions that began together, what the first carried is there after the second."""
    first = merged(start, one, start, KEYS)
    second = merged(start, other, first.table, KEYS)
    for key in first.carried:
        kept = text(held(second.table, key)) == text(held(first.table, key))
        assert kept or key in second.carried or any(k[: len(key)] == key for k in second.carried)
        assert text(held(start, key)) != text(held(first.table, key))
        if key in second.carried:
            raise AssertionError(f"{key} was changed by both, and is another's now")


@given(TABLES, TABLES)
@examples(100)
def test_a_session_alone_loses_nothing_of_its_data(start: Table, after: Table) -> None:
    made = merged(start, after, start, KEYS)
    assert made.conflicts == ()
    assert merged(start, made.table, start, KEYS).steering == ()

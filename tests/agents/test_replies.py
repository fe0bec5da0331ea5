"""Every reply that an adapter can give: of the host's form, and never wider than the decision.

The forms are in `schemas.py`; that the hosts publish the same, `test_published.py` shows.
"""

import json
from collections.abc import Callable
from functools import cache

import jsonschema
import pytest

from execpolicy.hosts.payloads.protocol import Reply
from execpolicy.hosts.protocols import AGENTS, load
from execpolicy.model.decision import Decision
from tests.agents import replies
from tests.agents.schemas import SCHEMAS

Every = Callable[[str], list[replies.Given]]

# The fields that hold a host's word for the decision.
FIELDS = ("permissionDecision", "permission", "decision", "behavior")
GRANTS, REFUSES = {"allow"}, {"deny", "forbidden"}


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Every:
    known = replies.verdicts(tmp_path_factory.mktemp("rules"))
    return cache(lambda host: replies.every(host, known))


def word(reply: Reply) -> str:
    """The host's word for the decision; empty where nothing is said."""
    if reply.code == 2:
        return "deny"
    said = json.loads(reply.stdout or "{}")
    said = said.get("hookSpecificOutput", said)
    said = said["decision"] if isinstance(said.get("decision"), dict) else said
    (found,) = [said[field] for field in FIELDS if field in said] or [""]
    return str(found)


@pytest.mark.parametrize("host", SCHEMAS)
def test_every_reply_has_the_form_of_the_host(host: str, every: Every) -> None:
    form = jsonschema.validators.validator_for(SCHEMAS[host])(SCHEMAS[host])
    for given in every(host):
        assert (given.reply.code, given.reply.stderr) == (0, ""), given.ground
        if given.reply.stdout:
            assert given.reply.stdout.count("\n") == 1
            said = json.loads(given.reply.stdout)
            form.validate(said)
            about = said.get("hookSpecificOutput", {}).get("hookEventName", given.event)
            assert about == given.event or not given.event


def test_windsurf_is_told_by_the_exit_code_alone(every: Every) -> None:
    for given in every("windsurf"):
        assert (given.reply.stdout, given.reply.code) in (("", 0), ("", 2)), given.ground
        assert bool(given.reply.stderr) == (given.reply.code == 2)


@pytest.mark.parametrize("host", AGENTS)
def test_no_reply_is_wider_than_the_decision(host: str, every: Every) -> None:
    for given in every(host):
        said = word(given.reply)
        if given.decision is not Decision.ALLOW:
            assert said not in GRANTS, given.ground
        if given.decision is Decision.FORBIDDEN:
            assert said in REFUSES, given.ground
        if given.decision is None and given.ground.endswith("deny"):
            assert said in REFUSES, given.ground


@pytest.mark.parametrize("host", AGENTS)
def test_each_event_that_an_adapter_names_is_recorded(host: str) -> None:
    agent = load(host)
    events = {agent.read(payload).event.removesuffix(" 1") for payload in replies.payloads(host)}
    assert events == set(agent.EVENTS)

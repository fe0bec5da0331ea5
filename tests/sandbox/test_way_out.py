"""The network of a confined run: a proxy by the rules, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.commands.dialling import rule_for
from execpolicy.engine.engine import Engine
from execpolicy.policy.network_hosts import Attempt, decide, is_registry, opens_more
from execpolicy.policy.policy import Policy
from execpolicy.proxy.events import Event
from execpolicy.sandbox.backends.serving import Way
from execpolicy.sandbox.box import _may_share
from execpolicy.support.hostname import parse_host
from tests.proxy.support import Upstream
from tests.waiting import HANG_SECONDS

if not os.path.exists("/usr/bin/python3"):
    pytest.skip("needs a Python of the system", allow_module_level=True)

GET = """
import os, sys, urllib.parse, socket
proxy = urllib.parse.urlsplit(os.environ["HTTP_PROXY"])
s = socket.create_connection((proxy.hostname, proxy.port), 20)
s.sendall(f"CONNECT {sys.argv[1]} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n".encode())
print(s.recv(400).split(b" ")[1].decode())
"""


def run(
    project: Path, rules: str, *argv: str, path: str = "/usr/bin:/bin"
) -> "subprocess.CompletedProcess[str]":
    (project.parent / "net.rules").write_text(rules)
    words = ["run", "--confined", "--rules", str(project.parent / "net.rules"), "--", *argv]
    given = {**os.environ, "XDG_STATE_HOME": str(project.parent / "state")}
    given["PATH"] = path  # programs of a home may be hidden
    return subprocess.run(
        [sys.executable, "-m", "execpolicy", *words], cwd=project, env=given, text=True,
        capture_output=True, check=False, timeout=HANG_SECONDS,
    )  # fmt: skip


def allowing(port: int) -> str:
    return f"""
sandbox(auto_allow = True)
posture(confined = {{"network": "allow", "execute": {{"project": "allow", "generated": "allow"}}}})
network_rule("127.0.0.1", "https", "allow", ports = [{port}])
"""


@pytest.mark.parametrize("allowed", [True, False])
def test_a_host_is_reached_through_the_proxy_alone(project: Path, allowed: bool) -> None:
    upstream = Upstream()
    target = f"127.0.0.1:{upstream.port if allowed else 22}"
    done = run(project, allowing(upstream.port), "python3", "-c", GET, target)
    upstream.close()
    assert done.stdout == ("200\n" if allowed else "403\n"), done.stderr
    log = (project.parent / "state/execpolicy/network.jsonl").read_text()
    assert ('"decision":"allow"' in log.replace(" ", "")) is allowed


def test_what_is_not_public_is_told_with_the_rule_that_allows_it(project: Path) -> None:
    done = run(project, allowing(1), "python3", "-c", GET, "10.1.2.3:443")
    assert done.stdout == "403\n"
    (line,) = [line for line in done.stderr.split("\n") if "was refused" in line]
    assert "`10.1.2.3` is not public" in line
    assert 'network_rule("10.1.2.3", "https", "allow")' in line


def test_a_name_with_such_an_address_needs_a_rule_for_that_too() -> None:
    way = Way(lambda: Policy())
    attempt = Attempt(parse_host("npm.test"), "https", 443, None, parse_host("10.1.2.3"))
    way._log(Event(attempt, decide(Policy(), attempt)))
    assert rule_for(*[attempt for attempt, _ in way.missed.values()]).startswith(
        'network_rule("10.1.2.3", "https", "allow")'
    )


@pytest.mark.parametrize(
    ("rule", "more"),
    [
        ('network_rule("@registries", "https", "allow")', False),
        ('network_rule("a.example.com", "https", "forbidden")', False),
        ('network_rule("a.example.com", "https", "allow")', True),
        ('network_rule("@forges", "https", "prompt")', True),
    ],
)
def test_a_program_that_is_not_known_reaches_registries_alone(
    tmp_path: Path, rule: str, more: bool
) -> None:
    """Where the rules open more, no other run shares its network."""
    (tmp_path / "a.rules").write_text(rule)
    policy = Engine.load(rules=[tmp_path / "a.rules"]).snapshot.policy
    assert opens_more(policy) is more
    assert is_registry(policy, parse_host("pypi.org"))
    assert not is_registry(policy, parse_host("a.example.com"))
    assert _may_share(Way(lambda: policy, registries=True)) is not more
    assert _may_share(Way(lambda: policy))


def test_without_a_rule_there_is_no_proxy(project: Path) -> None:
    rules = allowing(1).replace("network_rule", "# network_rule")
    done = run(project, rules, "python3", "-c", "import os; print('HTTP_PROXY' in os.environ)")
    assert done.stdout == "False\n", done.stderr


TOOL = f"#!/usr/bin/python3\n{GET}"


@pytest.mark.parametrize("known", [False, True])
def test_a_program_that_is_not_known_does_not_reach_a_host_that_a_rule_opens(
    project: Path, known: bool
) -> None:
    """The proxy refuses it the host that another program reaches in the same way."""
    upstream = Upstream()
    folder = project.parent / "tools"
    folder.mkdir()
    (folder / "own-tool").write_text(TOOL)
    (folder / "own-tool").chmod(0o755)
    entry = 'program("own-tool", operands = "text", effect = "execute", runs = "project")\n'
    rules = allowing(upstream.port).replace('"execute"', '"unknown": "allow", "execute"', 1)
    done = run(
        project,
        f"{rules}{entry if known else ''}",
        *("own-tool", f"127.0.0.1:{upstream.port}"),
        path=f"{folder}:/usr/bin:/bin",
    )
    upstream.close()
    assert done.stdout == ("200\n" if known else "403\n"), done.stderr
    log = (project.parent / "state/execpolicy/network.jsonl").read_text()
    assert ('"forbidden"' in log) is not known

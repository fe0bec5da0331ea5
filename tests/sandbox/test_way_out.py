"""The network of a confined run: a proxy by the rules, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.policy.network_hosts import is_registry, opens_more
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


def run(project: Path, rules: str, *argv: str) -> "subprocess.CompletedProcess[str]":
    (project.parent / "net.rules").write_text(rules)
    words = ["run", "--confined", "--rules", str(project.parent / "net.rules"), "--", *argv]
    given = {**os.environ, "XDG_STATE_HOME": str(project.parent / "state")}
    given["PATH"] = "/usr/bin:/bin"  # programs of a home may be hidden
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

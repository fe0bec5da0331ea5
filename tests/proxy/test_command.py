"""`execpolicy proxy` as a program: loopback only, the same rules, hot reload, its log."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from execpolicy.proxy.variables import TABLE, variables
from tests.proxy.support import Upstream, everything
from tests.terminal import Terminal
from tests.waiting import HANG_SECONDS, until
from tests.warm import warm

RUN = [sys.executable, "-m", "execpolicy"]


@pytest.fixture(autouse=True)
def _compiled(tmp_path: Path, common_cache: Path) -> None:
    warm(common_cache, tmp_path / ".cache")


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(home), **more}


@contextmanager
def serving(home: Path, *options: str) -> Iterator[int]:
    """The port of a proxy by the user's rules, ended by SIGTERM."""
    process = subprocess.Popen(
        [*RUN, "proxy", *options],
        env=environment(home),
        cwd=home,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout
            line = process.stdout.readline()
            yield int(line.rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(HANG_SECONDS) == 0


def asked(port: int, target: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_SECONDS) as client:
        client.sendall(
            f"CONNECT {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
        )
        client.shutdown(socket.SHUT_WR)
        return everything(client)


def rules(home: Path, text: str) -> None:
    path = home / ".config/execpolicy/rules/network.rules"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text(text)


def test_rules_reload_and_log(tmp_path: Path) -> None:
    upstream = Upstream()
    allow = f'network_rule("127.0.0.1", "https", "allow", ports = [{upstream.port}])\n'
    rules(tmp_path, allow)
    target = f"127.0.0.1:{upstream.port}"
    with serving(tmp_path) as port:
        assert asked(port, target).startswith(b"HTTP/1.1 200")
        rules(tmp_path, allow + 'network_rule("127.0.0.1", "https", "deny")\n')
        until(lambda: asked(port, target).startswith(b"HTTP/1.1 403"))
        assert json.loads(asked(port, target).partition(b"\r\n\r\n")[2])["line"] == 2
    upstream.close()
    shown = subprocess.run(
        [*RUN, "log", "--network", "--json", "-n", "0"],
        env=environment(tmp_path), capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [json.loads(line) for line in shown.stdout.splitlines()]
    assert (lines[0]["decision"], lines[-1]["decision"]) == ("allow", "forbidden")
    assert lines[-1]["rule"].endswith("network.rules:2")
    table = subprocess.run(
        [*RUN, "log", "--network"], env=environment(tmp_path), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert target in table.stdout


@contextmanager
def on_a_terminal(home: Path) -> Iterator[tuple[Terminal, int]]:
    """A proxy on a terminal of its own: the terminal, and the port."""
    given = {**environment(home), "TERM": "dumb"}
    with Terminal([*RUN, "proxy"], home, given) as terminal:
        said = terminal.until("\n")
        yield terminal, int(said.rpartition(":")[2])
        terminal.process.send_signal(signal.SIGTERM)
        terminal.end()


def test_a_proxy_asks_on_its_own_terminal(tmp_path: Path) -> None:
    upstream = Upstream()
    rules(tmp_path, 'network_rule("127.0.0.1", "https", "allow", ports = [1])\n')
    target = f"127.0.0.1:{upstream.port}"
    wanted = [("y", b"200"), ("no", b"403"), ("not here", b"403"), ("s", b"200")]
    with ThreadPoolExecutor(4) as pool, on_a_terminal(tmp_path) as (terminal, port):
        for said, code in wanted:
            waiting = [pool.submit(asked, port, target) for _ in range(3)]
            question = terminal.until_done(  # who comes after an answer asks anew
                "or a reason against it:",
                f"{said}\n",
                lambda waiting=waiting: all(one.done() for one in waiting),  # type: ignore[misc]
            )
            assert f"a client of this proxy wants to reach {target}" in question
            answers = [one.result(HANG_SECONDS) for one in waiting]
            assert {answer.split(b" ")[1] for answer in answers} == {code}
            assert all(said.encode() in answer for answer in answers if said == "not here")
        assert asked(port, target).startswith(b"HTTP/1.1 200")
    with serving(tmp_path) as port:  # another session, and nobody there
        answer = asked(port, target)
    upstream.close()
    body = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (body["status"], body["reason"]) == (403, "port")
    assert body["allow"] == (
        f'network_rule("127.0.0.1", "https", "allow", ports = [{upstream.port}])'
    )


REFUSED = {
    "0.0.0.0:0": "not loopback",
    "[::]:0": "not loopback",
    "localhost:0": "not an address",
    "127.0.0.1": "not an address",
    "127.1:0": "not an address",
}


@pytest.mark.parametrize(("address", "why"), REFUSED.items())
def test_it_listens_on_loopback_only(tmp_path: Path, address: str, why: str) -> None:
    ended = subprocess.run(
        [*RUN, "proxy", "--listen", address],
        env=environment(tmp_path), capture_output=True, text=True, timeout=HANG_SECONDS,
        check=False,
    )  # fmt: skip
    assert ended.returncode == 64
    assert why in ended.stderr


def test_a_tunnel_for_ssh(tmp_path: Path) -> None:
    upstream = Upstream(b"SSH-2.0-test\r\n")
    rules(tmp_path, f'network_rule("127.0.0.1", "ssh", "allow", ports = [{upstream.port}])\n')
    with serving(tmp_path) as port:
        given = environment(tmp_path, HTTPS_PROXY=f"http://127.0.0.1:{port}")
        done = [
            subprocess.run(
                [*RUN, "proxy", "--tunnel", "127.0.0.1", str(to)],
                env=given, input=b"hello\r\n\r\n", capture_output=True, timeout=HANG_SECONDS,
                check=False,
            )
            for to in (upstream.port, 22)
        ]  # fmt: skip
    upstream.close()
    assert (done[0].returncode, done[0].stdout) == (0, b"SSH-2.0-test\r\n")
    assert done[1].returncode == 1
    assert b"the proxy refuses it" in done[1].stderr
    assert upstream.heard == [b"hello\r\n\r\n"]


def test_the_table_of_variables() -> None:
    found = dict(variables(8899, tunnel=("execpolicy", "proxy", "--tunnel")))
    assert len(found) == len(TABLE) + 1
    assert found["http_proxy"] == found["HTTPS_PROXY"] == "http://127.0.0.1:8899"
    assert found["ALL_PROXY"] == "socks5h://127.0.0.1:8899"
    assert found["RSYNC_PROXY"] == "127.0.0.1:8899"
    assert "-Dhttps.proxyPort=8899" in found["JAVA_TOOL_OPTIONS"]
    assert found["GIT_SSH_COMMAND"] == ("ssh -o 'ProxyCommand=execpolicy proxy --tunnel %h %p'")
    assert dict(variables(1, "::1"))["HTTP_PROXY"] == "http://[::1]:1"

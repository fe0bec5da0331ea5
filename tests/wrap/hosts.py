"""A host's own program in a wrapped session, with a model of paper that the proxy leads to."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.agents import paper, real
from tests.wrap.support import ROOT, environment

RULE = 'network_rule("{}", protocol = "http", decision = "allow", ports = [{}])\n'


def address() -> str:
    """An address of this machine that is not on its loopback: no sandbox reaches it by itself."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("NOT TESTED: this machine has no network")
        found: str = probe.getsockname()[0]
        return found


@contextmanager
def reachable(model: paper.Paper) -> Iterator[tuple[str, int]]:
    """The model at an address that only a proxy leads to."""
    port = int(model.url.rpartition(":")[2])
    server = socket.create_server((address(), 0))
    host, public = server.getsockname()
    threading.Thread(target=_accept, args=(server, port), daemon=True).start()
    model.url = f"http://{host}:{public}"
    try:
        yield host, public
    finally:
        server.close()


def _accept(server: socket.socket, port: int) -> None:
    while True:
        try:
            inner, _ = server.accept()
        except OSError:
            return
        threading.Thread(target=_joined, args=(inner, port), daemon=True).start()


def _joined(inner: socket.socket, port: int) -> None:
    try:
        outer = socket.create_connection(("127.0.0.1", port))
    except ConnectionRefusedError:  # the model has ended, and the host has not
        inner.close()
        return
    with inner, outer:
        back = threading.Thread(target=_carry, args=(outer, inner), daemon=True)
        back.start()
        _carry(inner, outer)
        back.join()


def _carry(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


@contextmanager
def prepared(
    name: str,
    model: paper.Paper,
    project: Path,
    home: Path,
    key: str = "none",
    *,
    hook: bool = False,
) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The words and the variables that start a host in a wrapped session, with its key; also with
    the hook installed."""
    start = real.LINES[name]
    program = start.path
    with reachable(model) as (host, port):
        start.prepare(model, home)
        if hook:
            install = [sys.executable, "-m", "execpolicy", "install", start.program]
            subprocess.run(install, env=environment(), stdout=subprocess.DEVNULL, check=True)
        with (project.parent / "a.rules").open("a") as rules:
            rules.write(RULE.format(host, port))
        own = {k: key if v == "none" else v for k, v in start.variables.items()}
        variables = {k: v.replace("{url}", model.url) for k, v in own.items()}
        arguments = [one.replace("{url}", model.url) for one in start.arguments]
        passed = [word for each in variables for word in ("--pass", each)]
        wrap = [sys.executable, "-m", "execpolicy", "wrap", "-r", str(project.parent / "a.rules")]
        yield (
            [*wrap, *passed, "--model-host", f"{host}:{port}", "--", program, *arguments],
            {**os.environ, "PYTHONPATH": str(ROOT), **variables},
        )


def run(
    name: str,
    model: paper.Paper,
    project: Path,
    home: Path,
    *before: str,
    hook: bool = False,
) -> "subprocess.CompletedProcess[bytes]":
    """Let a host work in a wrapped session until it has no more to do; `before` comes before the
    command line, as `strace` does."""
    with prepared(name, model, project, home, hook=hook) as (words, variables):
        return subprocess.run(
            [*before, *words],
            cwd=project,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=real.SECONDS,
        )

"""`execpolicy proxy`: serve an agent or a container that is pointed at it, by the network rules."""

import os
import sys

from execpolicy.commands.arguments import (
    DIRECTORY,
    RULES,
    Needs,
    OptionSyntax,
    Syntax,
    Takes,
    existing,
    parse,
)
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.errors import ExecPolicyError, UsageError, printable
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    import socket
    from collections.abc import Sequence

    from execpolicy.commands.dialling import Desk
    from execpolicy.engine.engine import Engine
    from execpolicy.policy.network_hosts import Attempt, Ruling
    from execpolicy.proxy.events import EventLog
    from execpolicy.proxy.server import Proxy
    from execpolicy.proxy.terminal import Terminal

_SERVES = (Needs("tunnel", (None,)),)
SYNTAX = Syntax(
    "proxy",
    (
        OptionSyntax(("--listen",), "listen", Takes("address"), needs=_SERVES),
        OptionSyntax(("--beyond-loopback",), "beyond", needs=_SERVES),
        OptionSyntax(("--env",), "env", needs=_SERVES),
        OptionSyntax(("-r", "--rules"), "rules", RULES, joined=True, repeats=True, needs=_SERVES),
        OptionSyntax(("--no-builtin",), "builtin", value=False, needs=_SERVES),
        OptionSyntax(("--cwd",), "cwd", DIRECTORY, needs=_SERVES),
        OptionSyntax(("--tunnel",), "tunnel"),
    ),
    Takes("host"),
    most=2,
)


class ProxyOptions(Value):
    """What the command line says."""

    words: tuple[str, ...] = ()
    listen: str = "127.0.0.1:0"
    beyond: bool = False
    env: bool = False
    rules: tuple[str, ...] | None = None
    builtin: bool = True
    cwd: str | None = None
    tunnel: bool = False


def main(arguments: "Sequence[str]") -> ExitCode:
    """Serve until interrupted."""
    parsed = parse(SYNTAX, arguments)
    options = ProxyOptions(parsed.operands, **parsed.fields)  # type: ignore[arg-type]
    if options.tunnel:
        return _tunnel(options.words)
    if options.words:
        raise UsageError("operands belong to `--tunnel`: `execpolicy proxy --tunnel HOST PORT`")
    if options.cwd is not None:
        existing(options.cwd)
    listener = opened(options.listen, options.beyond)
    from execpolicy.engine.engine import Engine

    engine = Engine.load(options.rules, builtin=options.builtin, cwd=options.cwd)
    for problem in engine.problems:
        print(f"execpolicy: {problem}", file=sys.stderr)
    host, port = listener.getsockname()[:2]
    print(_environment(host, port) if options.env else f"listening on {host}:{port}", flush=True)
    with engine.watch():
        _serve(engine, options, listener)
    return ExitCode.ALLOW


def opened(text: str, beyond: bool) -> "socket.socket":
    """A listening socket at `address:port`. Raises `UsageError` where others could reach it."""
    import socket

    from execpolicy.support.hostname import HostError, parse_host

    address, colon, port = text.rpartition(":")
    digits = port.isascii() and port.isdigit() and int(port) < 65536
    wrong = UsageError(f"`{printable(text, 60)}` is not an address: write 127.0.0.1:8899")
    try:
        host = parse_host(address)
    except HostError:
        raise wrong from None
    if not colon or not digits or not host.address:
        raise wrong
    local = host.text == "::1" or host.text.startswith("127.")
    if not local and not beyond:
        why = "other machines may reach it there and use what the rules allow"
        raise UsageError(f"`{host}` is not loopback: {why}; add `--beyond-loopback`")
    family = socket.AF_INET6 if ":" in host.text else socket.AF_INET
    return socket.create_server((host.text, int(port)), family=family, backlog=256)


def _serve(engine: "Engine", options: ProxyOptions, listener: "socket.socket") -> None:
    """Serve until SIGINT or SIGTERM."""
    import asyncio
    import signal

    from execpolicy.commands.dialling import Desk
    from execpolicy.model.approval import Confinement

    cwd, writes = os.path.realpath(options.cwd or "."), options.rules is None
    desk = Desk(engine, cwd, Confinement.NONE, whole=False, writes=writes)
    log = _log(desk.session)

    async def serve() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel if task else loop.stop)
        await _proxy(engine, desk, _terminal(desk, loop), log).serve(listener)

    try:
        asyncio.run(serve())
    except asyncio.CancelledError:
        return
    finally:
        log.flush()


def _terminal(desk: "Desk", loop: "asyncio.AbstractEventLoop") -> "Terminal | None":
    """The terminal of this process, watched by the loop, where the user can be asked on it."""
    from execpolicy.commands.asking import can_ask
    from execpolicy.proxy.terminal import Terminal

    if not can_ask():
        return None
    terminal = Terminal("a client of this proxy", desk.offer, desk.take)

    def turn() -> None:
        terminal.turn()
        if terminal.open:
            loop.add_reader(terminal.read, typed)
        else:
            loop.remove_reader(terminal.read)

    def woken() -> None:
        terminal.woken()
        turn()

    def typed() -> None:
        terminal.typed()
        turn()

    loop.add_reader(terminal.wake, woken)
    return terminal


def _log(session: str) -> "EventLog":
    from execpolicy.engine.audit import record_connections
    from execpolicy.proxy.events import EventLog, dated

    return EventLog(lambda events: record_connections(dated(events, session)))


def _proxy(engine: "Engine", desk: "Desk", terminal: "Terminal | None", log: "EventLog") -> "Proxy":
    from execpolicy.policy.network_hosts import Rulings
    from execpolicy.proxy.server import Proxy

    rulings = Rulings()

    def ruling(attempt: "Attempt") -> "Ruling":
        return rulings.of(engine.snapshot.policy, attempt)

    return Proxy(ruling, terminal.ask if terminal else None, log, known=desk.known)


def _environment(host: str, port: int) -> str:
    from shlex import quote

    from execpolicy.proxy.variables import variables

    return "\n".join(f"export {name}={quote(value)}" for name, value in variables(port, host))


def _tunnel(words: tuple[str, ...]) -> ExitCode:
    from urllib.parse import urlsplit

    from execpolicy.proxy.stdio import tunnel

    if len(words) != 2 or not (words[1].isascii() and words[1].isdigit()):
        raise UsageError("give a host and a port: `execpolicy proxy --tunnel HOST PORT`")
    named = os.environ.get("HTTPS_PROXY") or os.environ.get("https_proxy") or ""
    parts = urlsplit(named)
    if not parts.hostname or not parts.port:
        raise ExecPolicyError("HTTPS_PROXY names no proxy: http://127.0.0.1:PORT")
    tunnel((parts.hostname, parts.port), words[0], int(words[1]))
    return ExitCode.ALLOW

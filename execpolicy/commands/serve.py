"""`execpolicy serve`: answer programs, hooks and a page, until it is stopped."""

import os
import sys
from collections.abc import Sequence

from execpolicy.commands.arguments import OptionSyntax, Syntax, Takes, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.errors import ExecPolicyError, UsageError, printable

SYNTAX = Syntax(
    "serve",
    (
        OptionSyntax(("--port",), "port", Takes("number")),
        OptionSyntax(("--open",), "open"),
        OptionSyntax(("--demo",), "demo"),
    ),
)
MAX_PORT = 65535


def main(arguments: Sequence[str]) -> ExitCode:
    """Serve until a signal comes. Raises `ExecPolicyError` where it cannot begin."""
    parsed = parse(SYNTAX, arguments)
    from execpolicy.commands.person import refuse_agents

    refuse_agents()
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ExecPolicyError("install what it needs: pip install 'execpolicy[serve]'") from None
    port = _port(parsed.fields.get("port"))
    opens, demo = bool(parsed.fields.get("open")), bool(parsed.fields.get("demo"))
    if port is None and (opens or demo):
        port = 0
    if not demo:
        return _serve(port, opens, False)
    from execpolicy.commands.serving_demo import example_home

    with example_home():
        return _serve(port, opens, True)


def _port(given: object) -> int | None:
    if given is None:
        return None
    text = str(given)
    if not (text.isascii() and text.isdigit() and int(text) <= MAX_PORT):
        raise UsageError(f"`--port` takes a number up to {MAX_PORT}, not `{printable(text, 20)}`")
    return int(text)


def _serve(port: int | None, opens: bool, demo: bool) -> ExitCode:
    import asyncio

    from execpolicy.commands.serving import Served
    from execpolicy.serve import sockets
    from execpolicy.serve.run import serve
    from execpolicy.serve.service import Service

    os.chdir("/")  # a relative path means nothing here

    async def begin() -> None:
        service = Service(Served(), demo=demo)

        def ready(at: int) -> None:
            sys.stdout.write(f"hooks ask {sockets.folder()}/hook.sock\n")
            if at:
                page = f"http://{service.host}:{at}/open?key={service.new_key()}"
                sys.stdout.write(f"programs ask http://{sockets.LOOPBACK}:{at}\n")
                sys.stdout.write(f"the page, once: {page}\n")
                if opens:
                    import webbrowser

                    webbrowser.open(page)
            sys.stdout.flush()

        await serve(service, port, ready)

    asyncio.run(begin())
    return ExitCode.ALLOW

"""`check --jsonl`: a request a line in, a verdict a line out, in the same order."""

import gc
import json
import os
import sys

from execpolicy.commands.check import scope_of
from execpolicy.commands.options import Options
from execpolicy.engine.engine import Engine
from execpolicy.engine.wire import to_wire
from execpolicy.errors import RequestError
from execpolicy.exit import ExitCode
from execpolicy.operation import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_LINE_BYTES = 4 * 1024 * 1024


def answer_all(engine: Engine, options: Options) -> ExitCode:
    """Answer every line of stdin; a line that is no request gets an error and the run goes on.

    Gives ERROR only if a line got no verdict.
    """
    gc.enable()
    scope_of(engine, options)  # a folder that is none is a mistake of the command line
    code = ExitCode.ALLOW
    lines = sys.stdin.buffer
    while line := lines.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            _skip(lines)
            reply: dict[str, Any] = {"error": f"line is longer than {MAX_LINE_BYTES} bytes"}
        elif not line.strip():
            continue
        else:
            reply = answer(engine, line, options)
        if "error" in reply:
            code = ExitCode.ERROR
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
    return code


def _skip(lines: "Any") -> None:
    """Read on to the end of an overlong line without keeping it."""
    while chunk := lines.readline(65536):
        if chunk.endswith(b"\n"):
            return


def answer(engine: Engine, line: bytes, options: Options) -> "dict[str, Any]":
    """The verdict about one line, or what is wrong with the line."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {"error": f"line is not JSON: {error}"}
    if not isinstance(request, dict):
        return {"error": "line is not a JSON object"}
    given = {"id": request["id"]} if "id" in request else {}
    try:
        asked = _request(request, options)
        if options.scope is not None:
            asked = asked.replace(scope=scope_of(engine, options))
        verdict = engine.decide(asked)
    except RequestError as error:
        return {**given, "error": str(error)}
    except Exception as error:  # a mistake of the engine's own is no reason to end the stream
        return {**given, "error": f"could not decide: {type(error).__name__}: {error}"}
    wire = to_wire(verdict, request.get("id"))
    if options.host:
        from execpolicy.commands.check_host import told

        wire["host"] = told(engine, options, asked, verdict).wire()
    return wire


def _request(given: "dict[str, Any]", options: Options) -> Request:
    command, argv = given.get("command"), given.get("argv")
    cwd = given.get("cwd", options.cwd)
    if cwd is not None and not isinstance(cwd, str):
        raise RequestError("`cwd` must be a string")
    if cwd is not None and not cwd.startswith("/"):
        cwd = os.path.join(options.cwd or "", cwd)
    if (command is None) == (argv is None):
        raise RequestError("give `command`, a string, or `argv`, a list of strings")
    if isinstance(command, str):
        return Request(text=command, cwd=cwd, shell=options.shell)
    if isinstance(argv, list) and all(isinstance(word, str) for word in argv):
        return Request(argv=tuple(argv), cwd=cwd, shell=options.shell)
    raise RequestError("`command` must be a string, `argv` a list of strings")

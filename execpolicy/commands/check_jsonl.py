"""`check --jsonl`: a request a line in, a verdict a line out, in the same order.

Lines that are there at once are decided together and answered at once: what is seen of the machine
for one of them counts for all (`places.moment` has the rule). A line that comes alone is answered
before the next one is waited for.
"""

import gc
import json
import os
import sys

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.line_batches import batches
from execpolicy.commands.options import Options, scope_of
from execpolicy.engine.engine import Engine
from execpolicy.engine.texts import Texts
from execpolicy.engine.wire import SCHEMA, to_wire
from execpolicy.model.errors import RequestError
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.recent import Together

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_WRITTEN = 8 * 1024 * 1024
"""Bytes of verdicts that are kept as they were written."""
_HEAD = f'{{"schema": "{SCHEMA}", '


class Written:
    """Verdicts as text, for verdicts that the engine gives again. `id` is put in each time."""

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts = Texts(MAX_WRITTEN)

    def line(self, verdict: Verdict, request_id: object) -> str:
        """The verdict as `json.dumps(to_wire(verdict, request_id))` writes it."""
        text = self._texts.get(verdict)
        if text is None:
            text = json.dumps(to_wire(verdict)).removeprefix(_HEAD)
            self._texts.keep(text, verdict)
        given = "" if request_id is None else f'"id": {json.dumps(request_id)}, '
        return _HEAD + given + text


def answer_all(engine: Engine, options: Options) -> ExitCode:
    """Answer every line of stdin; a line that is no request gets an error and the run goes on.

    Gives ERROR only if a line got no verdict.
    """
    gc.enable()
    scope_of(engine, options)  # what is not a folder is a mistake of the command line
    code, written = ExitCode.ALLOW, Written()
    for lines in batches(sys.stdin.buffer, MAX_LINE_BYTES):  # type: ignore[arg-type]
        replies: list[str] = []
        try:
            with engine.together() as together:
                for line in lines:
                    if line is not None and not line.strip():
                        continue
                    reply = answer(engine, line, options, written, together)
                    if isinstance(reply, dict):
                        code = ExitCode.ERROR if "error" in reply else code
                        reply = json.dumps(reply)
                    replies.append(reply)
        finally:
            sys.stdout.write("".join(f"{reply}\n" for reply in replies))
            sys.stdout.flush()
    return code


def answer(
    engine: Engine, line: bytes | None, options: Options, written: Written, together: "Together"
) -> "dict[str, object] | str":
    """The verdict about one line, as an object or as it is written, or what is wrong with it."""
    if line is None:
        return {"error": f"line is longer than {MAX_LINE_BYTES} bytes"}
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
        verdict = engine.decide(asked, together)
    except RequestError as error:
        return {**given, "error": str(error)}
    except Exception as error:  # a mistake of the engine's own is no reason to end the stream
        return {**given, "error": f"could not decide: {type(error).__name__}: {error}"}
    if not options.host:
        return written.line(verdict, request.get("id"))
    from execpolicy.commands.check_host import told

    wire = to_wire(verdict, request.get("id"))
    wire["host"] = told(engine, options, asked, verdict).wire()
    return wire


def _request(given: "dict[str, object]", options: Options) -> Request:
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

"""`check --jsonl`: a request a line in, a verdict a line out, in the same order.

Lines that are there at once are decided together and answered at once: what is seen of the machine
for one of them counts for all (`places.moment` has the rule). A line that comes alone is answered
before the next one is waited for.
"""

import gc
import json
import os
import sys
from _collections_abc import Iterable

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.line_batches import batches
from execpolicy.commands.options import CheckOptions, scope_of
from execpolicy.engine.engine import Engine
from execpolicy.engine.memory.recent import Together
from execpolicy.engine.wire import to_wire
from execpolicy.model.errors import RequestError, has_surrogates, not_utf8
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.support.record import Value

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_KNOWN = 2048
MAX_KNOWN_BYTES = 2048
"""Lines that are known again when they come again, and how long they are at most."""


def answer_all(engine: Engine, options: CheckOptions) -> ExitCode:
    """Answer every line of stdin; a line that is not a request gets an error and the run goes on.

    Gives ERROR only if a line got no verdict.
    """
    gc.enable()
    # What is not a folder is a mistake of the command line.
    scope_of(engine, options.scope, options.cwd)
    stream = LineStream(engine, options)
    for lines in batches(sys.stdin.buffer, MAX_LINE_BYTES):  # type: ignore[arg-type]
        stream.answer(lines)
    return stream.code


class Line(Value):
    """What a line says: a request, or what is wrong with it; and its `id` if it has one."""

    request: Request | None
    error: str = ""
    identified: dict[str, object] = {}  # noqa: RUF012


class LineStream:
    """The answers to the lines of one stream."""

    def __init__(self, engine: Engine, options: CheckOptions) -> None:
        self.code = ExitCode.ALLOW
        self._engine = engine
        self._options = options
        self._known: dict[bytes, Line] = {}

    def answer(self, lines: Iterable[bytes | None]) -> None:
        """Answer lines that are decided together: all of them are there, and none is answered
        before the last is decided."""
        replies: list[str] = []
        try:
            with self._engine.together() as together:
                for line in lines:
                    if line is None or line.strip():
                        replies += self.reply(self._line(line), together), "\n"
        finally:
            sys.stdout.write("".join(replies))
            sys.stdout.flush()

    def _line(self, line: bytes | None) -> Line:
        """A line as it was read before, if it was."""
        if line is None:
            return Line(None, f"line is longer than {MAX_LINE_BYTES} bytes")
        known = self._known.get(line)
        if known is None:
            known = read(line, self._options)
            if len(line) < MAX_KNOWN_BYTES:
                if len(self._known) >= MAX_KNOWN:
                    self._known.clear()
                self._known[line] = known
        return known

    def reply(self, line: Line, together: Together) -> str:
        """The verdict about one line as it is written, or what is wrong with it."""
        if line.request is None:
            return self._mistake(line, line.error)
        try:
            asked = line.request
            if self._options.scope is not None:
                folder, cwd = self._options.scope, self._options.cwd
                asked = asked.replace(scope=scope_of(self._engine, folder, cwd))
            return self._response(line, asked, self._engine.decide(asked, together))
        except RequestError as error:
            return self._mistake(line, str(error))
        except Exception as error:  # a mistake of the engine's own is no reason to end the stream
            return self._mistake(line, f"could not decide: {type(error).__name__}: {error}")

    def _response(self, line: Line, asked: Request, verdict: Verdict) -> str:
        wire = to_wire(verdict, line.identified.get("id"))
        if self._options.host:
            from execpolicy.commands.check_host import host_verdict

            wire["host"] = host_verdict(self._engine, self._options, asked, verdict).wire()
        return json.dumps(wire)

    def _mistake(self, line: Line, error: str) -> str:
        self.code = ExitCode.ERROR
        return json.dumps({**line.identified, "error": error})


def read(line: bytes, options: CheckOptions) -> Line:
    """What a line says."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Line(None, f"line is not JSON: {error}")
    if not isinstance(said, dict):
        return Line(None, "line is not a JSON object")
    identified: dict[str, object] = {"id": said["id"]} if "id" in said else {}
    try:
        return Line(_request(said, options), "", identified)
    except RequestError as error:
        return Line(None, str(error), identified)


def _request(given: dict[str, object], options: CheckOptions) -> Request:
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
        for word in filter(has_surrogates, argv):  # other readers of JSON make other bytes of it
            raise RequestError(not_utf8(word))
        return Request(argv=tuple(argv), cwd=cwd, shell=options.shell)
    raise RequestError("`command` must be a string, `argv` a list of strings")

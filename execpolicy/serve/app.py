"""The paths of the server. `serve.openapi` describes them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from execpolicy.model.errors import ExecPolicyError
from execpolicy.serve import openapi, page
from execpolicy.serve.decider import Work
from execpolicy.serve.guard import COOKIE, WORDS, TooLargeError
from execpolicy.serve.protocol import UNIX
from execpolicy.serve.service import Json, Service
from execpolicy.serve.streams import Events

MAX_BATCH = 1000
"""Requests of one batch."""
MAX_LINES = 128
"""Lines of a stream that are decided together."""
MAX_LINE = 4 * 1024 * 1024
MAX_FEEDBACK = 2000
ANSWERS = ("once", "session", "reject")
"""What may be answered here. What holds for longer is written on the user's own command line."""
EVENTS, LINES = "text/event-stream", "application/x-ndjson"


class AskedWronglyError(Exception):
    """A request that cannot be understood. The message says what to write."""


class NotUserError(Exception):
    """An agent asks for what is the user's."""


def application(service: Service) -> Starlette:
    """The application of a server."""
    paths = _Paths(service)
    routes = [
        Route("/check", paths.check, methods=["POST"]),
        Route("/hook/{host}", paths.hook, methods=["POST"]),
        Route("/questions", paths.questions),
        Route("/questions/stream", paths.stream),
        Route("/questions/{code}", paths.answer, methods=["POST"]),
        Route("/log", paths.log),
        Route("/asked", paths.asked),
        Route("/sessions", paths.sessions),
        Route("/undo", paths.undo, methods=["POST"]),
        Route("/policy", paths.policy),
        Route("/explain", paths.explain, methods=["POST"]),
        Route("/rule", paths.rule, methods=["POST"]),
        Route("/health", paths.health),
        Route("/metrics", paths.metrics),
        Route("/openapi.json", paths.openapi),
        Route("/open", paths.open),
        Route("/", paths.page),
        Route("/page/{name}", paths.page),
    ]
    return Starlette(
        routes=routes,
        exception_handlers={
            AskedWronglyError: _asked_wrongly,
            ExecPolicyError: _asked_wrongly,
            NotUserError: lambda *_: JSONResponse({"error": "only the user answers"}, 403),
            TooLargeError: lambda *_: _refused(413),
            TimeoutError: lambda *_: _refused(408),
            ClientDisconnect: lambda *_: _refused(408),
        },
    )


def _asked_wrongly(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


def _refused(status: int) -> Response:
    return JSONResponse({"error": WORDS[status]}, status)


class _Paths:
    """What each path does."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._commands = service.commands
        self._events = Events(service)

    # --- verdicts ---------------------------------------------------------------------------------

    async def check(self, request: Request) -> Response:
        """One request, several, or a stream of lines."""
        if request.headers.get("content-type", "").partition(";")[0] == LINES:
            return await self._streamed(request)
        given = await _object(request)
        several = given.get("requests")
        if several is None:
            several = [given.get("request")]
        if not isinstance(several, list) or not all(isinstance(one, dict) for one in several):
            raise AskedWronglyError("give `request`, an object, or `requests`, a list of them")
        if len(several) > MAX_BATCH:
            raise AskedWronglyError(f"a batch has at most {MAX_BATCH} requests")
        lines = [json.dumps(one).encode() for one in several]
        work = self._commands.check(_table(given, "options"), lines)
        answer = await self._decided(_table(given, "client"), work)
        if isinstance(answer, Response):
            return answer
        if "requests" in given:
            answer = b'{"verdicts": [' + b", ".join(answer.splitlines()) + b"]}"
        return Response(answer, media_type="application/json")

    async def _streamed(self, request: Request) -> Response:
        """A verdict a line, as the lines come; the first line has `client` and `options`."""
        lines = _lines(request)
        head = _parsed(await anext(lines, b""))
        client, options = _table(head, "client"), _table(head, "options")
        self._commands.check(options, [])  # what is not valid is refused before the answer begins

        async def verdicts() -> AsyncIterator[bytes]:
            waiting: list[bytes] = []
            async for line in lines:
                if line:
                    waiting.append(line)
                if waiting and (not line or len(waiting) >= MAX_LINES):
                    answer = await self._decided(client, self._commands.check(options, waiting))
                    waiting = []
                    if isinstance(answer, Response):
                        yield bytes(answer.body) + b"\n"
                        return
                    yield answer

        return StreamingResponse(verdicts(), media_type=LINES)

    async def hook(self, request: Request) -> Response:
        """What the hook of a host writes."""
        given = await _object(request)
        payload = json.dumps(given.get("payload")).encode()
        work = self._commands.hook(request.path_params["host"], payload)
        answer = await self._decided(_table(given, "client"), work)
        if isinstance(answer, Response):
            return answer
        from execpolicy.serve.client import read

        reply = read(answer)
        assert reply is not None  # noqa: S101
        written = {"code": reply.code, "stdout": reply.stdout, "stderr": reply.stderr}
        return JSONResponse(written)

    async def explain(self, request: Request) -> Response:
        """How a command is read, for this server's own process."""
        given = await _object(request)
        text, cwd = given.get("command"), given.get("cwd")
        if not isinstance(text, str) or not (cwd is None or _is_directory(cwd)):
            raise AskedWronglyError("give `command`, a text, and `cwd`, an absolute path")
        work = self._commands.explain(text, cwd if isinstance(cwd, str) else None)
        answer = await self._decided(self._service.own, work)
        return answer if isinstance(answer, Response) else Response(answer, media_type="text/json")

    async def _decided(self, client: Json, work: Work) -> bytes | Response:
        result = await self._service.decide(client, work)
        if not result.declined:
            return result.answer
        why = {"error": result.declined, "decide": "yourself", "unsent": list(result.unsent)}
        return JSONResponse(why, 409)

    # --- questions --------------------------------------------------------------------------------

    async def questions(self, _request: Request) -> Response:
        """What waits for the user."""
        return JSONResponse({"questions": await asyncio.to_thread(self._commands.questions)})

    async def stream(self, _request: Request) -> Response:
        """The same, again whenever it changes."""
        return StreamingResponse(self._events.each(), media_type=EVENTS)

    async def answer(self, request: Request) -> Response:
        """Answer a question, once or for its session."""
        await self._must_be_user(request)
        given = await _object(request)
        life, because = given.get("answer"), given.get("because")
        if life not in ANSWERS or not isinstance(life, str):
            raise AskedWronglyError(f"`answer` is one of {', '.join(ANSWERS)}")
        if because is not None and not (isinstance(because, str) and len(because) <= MAX_FEEDBACK):
            raise AskedWronglyError(f"`because` is a text of at most {MAX_FEEDBACK} characters")
        code = request.path_params["code"]
        answered = await asyncio.to_thread(self._commands.answer, code, life, because or None)
        self._service.metrics.answered(life)
        return JSONResponse(answered)

    async def undo(self, request: Request) -> Response:
        """Say what an undo of a call would do, or do it."""
        await self._must_be_user(request)
        given = await _object(request)
        root, number, agreed = (given.get(name) for name in ("root", "number", "steps"))
        is_plan = agreed is None or (isinstance(agreed, list) and all(map(_is_text, agreed)))
        if not (_is_directory(root) and type(number) is int and is_plan):
            raise AskedWronglyError("give `root`, `number`, and `steps` that are to be done")
        return await _from(lambda: self._commands.undo(str(root), number, agreed))  # type: ignore[arg-type]

    async def _must_be_user(self, request: Request) -> None:
        """Raise `NotUserError` for an agent, where the process that asks is known."""
        peer = request.scope["client"]
        if peer[0] == UNIX and await asyncio.to_thread(self._commands.is_below_agent, peer[1]):
            raise NotUserError

    # --- what was and what is ---------------------------------------------------------------------

    async def log(self, request: Request) -> Response:
        """Lines of the log."""
        return await _from(lambda: self._commands.log(dict(request.query_params)))

    async def asked(self, _request: Request) -> Response:
        """What asked most."""
        return await _from(self._commands.asked_most)

    async def sessions(self, _request: Request) -> Response:
        """The sessions of agents."""
        return await _from(self._commands.sessions)

    async def policy(self, request: Request) -> Response:
        """The rules by layers."""
        cwd = request.query_params.get("cwd") or str(self._service.own["cwd"])
        if not _is_directory(cwd):
            raise AskedWronglyError("`cwd` is an absolute path")
        return await _from(lambda: self._commands.policy(cwd))

    async def rule(self, request: Request) -> Response:
        """What a rule would settle."""
        text = (await _object(request)).get("rule")
        if not isinstance(text, str) or len(text) > MAX_FEEDBACK:
            raise AskedWronglyError(f"`rule` is a text of at most {MAX_FEEDBACK} characters")
        return await _from(lambda: self._commands.try_rule(text))

    # --- the server itself ------------------------------------------------------------------------

    async def health(self, _request: Request) -> Response:
        """Whether it answers, and what it is."""
        ends = self._service.ends.is_set()
        state = {
            "status": "ends" if ends else "ok",
            "version": self._service.own["version"],
            "demo": self._service.demo,
        }
        return JSONResponse(state, 503 if ends else 200)

    async def metrics(self, _request: Request) -> Response:
        """What is counted."""
        decider = self._service.decider
        waiting = len(await asyncio.to_thread(self._commands.questions))
        text = self._service.metrics.text(
            engines=len(decider.engines), waiting=decider.waiting(), questions=waiting
        )
        return Response(text, media_type="text/plain; version=0.0.4")

    async def openapi(self, _request: Request) -> Response:
        """The description of these paths."""
        return JSONResponse(openapi.description())

    async def open(self, request: Request) -> Response:
        """Swap a one-time key for the cookie."""
        key = request.query_params.get("key", "")
        if key not in self._service.keys:
            return JSONResponse({"error": "this key was used: start `serve --open` again"}, 401)
        self._service.keys.discard(key)
        response = RedirectResponse("/", 303)
        response.set_cookie(COOKIE, self._service.cookie, httponly=True, samesite="strict")
        return response

    async def page(self, request: Request) -> Response:
        """A file of the page."""
        return page.response(request.path_params.get("name", "index.html"))


async def _from(work: "Callable[[], Json]") -> Response:
    return JSONResponse(await asyncio.to_thread(work))


async def _object(request: Request) -> Json:
    return _parsed(await request.body())


def _parsed(data: bytes) -> Json:
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise AskedWronglyError("send a JSON object")
    return given


def _table(given: Json, name: str) -> Json:
    value = given.get(name, {})
    if not isinstance(value, dict):
        raise AskedWronglyError(f"`{name}` is an object")
    return value


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_directory(path: object) -> bool:
    return isinstance(path, str) and path[:1] == "/" and "\0" not in path


async def _lines(request: Request) -> AsyncIterator[bytes]:
    """The lines of a body as they come; an empty one where no more is there for now."""
    rest = b""
    async for chunk in request.stream():
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > MAX_LINE:
            raise AskedWronglyError(f"a line has at most {MAX_LINE} bytes")
        for line in lines:
            if line.strip():
                yield line
        if lines:
            yield b""
    if rest.strip():
        yield rest
    yield b""

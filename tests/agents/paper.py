"""A model made of paper, for the hosts' real programs: it asks for one command, or for several
things one after the other, and keeps what the host says came of it.

It speaks, on loopback, what the hosts speak with their vendors.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

Body = dict[str, Any]
Event = tuple[str, Body]


@dataclass(frozen=True)
class Deed:
    """Something to do: `shell` a command, `read` a path, `write` a path."""

    kind: str
    what: str

    def spelled(self, offered: set[str]) -> tuple[str, Body] | None:
        """The tool for it and what that is given, among the offered ones."""
        for name, given in _TOOLS[self.kind]:
            if name in offered:
                return name, {
                    k: v.replace(_WHAT, self.what) if v is not _NO else False
                    for k, v in given.items()
                }
        if self.kind == "shell":
            return None
        command = f"cat {self.what}" if self.kind == "read" else f"echo written > {self.what}"
        return Deed("shell", command).spelled(offered)


_WHAT, _NO = "\0what\0", "false"
_TOOLS: dict[str, list[tuple[str, dict[str, str]]]] = {
    "shell": [
        ("Bash", {"command": _WHAT, "description": "d"}),
        ("run_shell_command", {"command": _WHAT, "description": "d", "is_background": _NO}),
        ("bash", {"command": _WHAT, "description": "d"}),
        ("exec", {"cmd": _WHAT}),
        ("exec_command", {"cmd": _WHAT}),
    ],
    "read": [
        ("Read", {"file_path": _WHAT}),
        ("read_file", {"file_path": _WHAT}),
        ("read", {"filePath": _WHAT}),
        ("view", {"path": _WHAT}),
    ],
    "write": [
        ("Write", {"file_path": _WHAT, "content": "written"}),
        ("write_file", {"file_path": _WHAT, "content": "written"}),
        ("write", {"filePath": _WHAT, "content": "written"}),
        ("create", {"path": _WHAT, "file_text": "written"}),
    ],
}


class Paper:
    """What the model wants done, which tools the host offered, and what the host said of it."""

    def __init__(self, deeds: list[Deed]) -> None:
        self.deeds = deeds
        self.results: list[str] = []
        self.offered: set[str] = set()
        self.refused: set[str] = set()
        self.reached: set[str] = set()
        self.url = ""
        self.turns = 0
        self.told = ""
        """The last request, with all that a model is told before."""

    @property
    def said(self) -> str:
        """All that the host told the model about what it asked for."""
        return "\n".join(self.results)

    def turn(self, offered: set[str], results: list[object]) -> tuple[str, Body] | None:
        """The tool to ask for next, after so many results; None where all was done."""
        self.offered |= offered
        if len(results) > len(self.results):
            self.results = [json.dumps(one) for one in results]
        done = len(results)
        return self.deeds[done].spelled(offered) if done < len(self.deeds) else None


@contextmanager
def model(*wanted: str | Deed) -> Iterator[Paper]:
    """A server for one run of a host. A text is a command."""
    with served(
        Paper([Deed("shell", one) if isinstance(one, str) else one for one in wanted])
    ) as p:
        yield p


@contextmanager
def served(paper: Paper) -> Iterator[Paper]:
    """A server for a model."""
    handler = type("_One", (_Handler,), {"paper": paper})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    paper.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield paper
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """The model, and the only way out: as a proxy it leads to itself and nowhere else."""

    protocol_version = "HTTP/1.1"
    paper: ClassVar[Paper]

    def do_CONNECT(self) -> None:
        if f"http://{self.path}" != self.paper.url:
            self.paper.refused.add(self.path)
            return self._send("text/plain", b"", 403)
        self.close_connection = False  # what comes next on this connection is for the model
        self.send_response(200)
        return self.end_headers()

    def do_GET(self) -> None:
        self.paper.reached.add(self.path.rpartition("/")[2])
        self._send("application/json", b'{"data": [], "models": []}')

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(size) or b"{}")
        for mark, dialect in _DIALECTS:
            if mark in self.path and isinstance(body, dict):
                self.paper.told = json.dumps(body)
                return self._stream(list(dialect(self.paper, body)))
        return self._send("application/json", b"{}")

    def _stream(self, events: list[Event]) -> None:
        lines = [
            (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"
            for name, data in events
        ]
        self._send("text/event-stream", "".join(lines).encode())

    def _send(self, kind: str, data: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


def _named(tools: object, *path: str) -> set[str]:
    """The names of tools, each at a path."""
    names = set()
    for tool in tools if isinstance(tools, list) else []:
        for key in path:
            tool = tool.get(key, {}) if isinstance(tool, dict) else {}
        names |= {tool} if isinstance(tool, str) else set()
    return names


def messages(paper: Paper, body: Body) -> Iterator[Event]:
    """Anthropic's messages: Claude Code."""
    contents = [m["content"] for m in body["messages"] if isinstance(m.get("content"), list)]
    parts = [p for content in contents for p in content if p.get("type") == "tool_result"]
    runs = paper.turn(_named(body.get("tools"), "name"), [p["content"] for p in parts])
    block: Body = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": "done"}
    if runs:
        paper.turns += 1  # no two calls have one name, also in a run that is taken up
        name = f"toolu_{paper.turns}"
        block = {"type": "tool_use", "id": name, "name": runs[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(runs[1])}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": []}
    stop = {"stop_reason": "tool_use" if runs else "end_turn", "stop_sequence": None}
    events: list[Body] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]
    yield from ((event["type"], event) for event in events)


def contents(paper: Paper, body: Body) -> Iterator[Event]:
    """Google's contents: Gemini CLI."""
    parts = [p for c in body.get("contents", []) for p in c.get("parts", [])]
    found = [p["functionResponse"] for p in parts if "functionResponse" in p]
    declared = [t.get("functionDeclarations", []) for t in body.get("tools", [])]
    offered = _named([d for group in declared for d in group], "name")
    part: Body = {"text": "done"}
    if runs := paper.turn(offered, [f["response"] for f in found]):
        part = {"functionCall": {"name": runs[0], "args": runs[1]}}
    content = {"role": "model", "parts": [part]}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    yield "", {"candidates": [candidate], "usageMetadata": usage}


def responses(paper: Paper, body: Body) -> Iterator[Event]:
    """OpenAI's responses: Codex."""
    items = [i for i in body.get("input", []) if isinstance(i, dict)]
    found = [i["output"] for i in items if str(i.get("type")).endswith("_call_output")]
    item: Body = {
        "type": "message",
        "role": "assistant",
        "id": "m",
        "content": [{"type": "output_text", "text": "done", "annotations": []}],
    }
    more = [t for i in items for t in i.get("tools", [])]
    offered = _named(body.get("tools"), "name")
    offered |= _named([t for space in more for t in space.get("tools", [])], "name")
    if runs := paper.turn(offered, found):
        given = json.dumps(runs[1])
        item = {"type": "function_call", "id": f"f{len(found)}", "call_id": f"c{len(found)}"}
        item |= {"name": "exec_command", "arguments": given}
        if "exec" in offered:  # this model writes programs that call the tools
            program = f"text(await tools.exec_command({given}))"
            item |= {"type": "custom_tool_call", "name": "exec", "input": program}
    yield "response.created", {"type": "response.created", "response": {"id": "r"}}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield "response.output_item.done", done
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    completed = {"type": "response.completed", "response": {"id": "r", "usage": usage}}
    yield "response.completed", completed


def completions(paper: Paper, body: Body) -> Iterator[Event]:
    """OpenAI's chat completions: opencode, Qwen Code, Copilot."""
    found = [m["content"] for m in body.get("messages", []) if m.get("role") == "tool"]
    offered = _named(body.get("tools"), "function", "name")
    delta: Body = {"role": "assistant", "content": "done"}
    reason = "stop"
    if runs := paper.turn(offered, found):
        function = {"name": runs[0], "arguments": json.dumps(runs[1])}
        call = {"index": 0, "id": f"c{len(found)}", "type": "function", "function": function}
        delta, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    whole = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "paper"}
    yield "", {**whole, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    end = {"index": 0, "delta": {}, "finish_reason": reason}
    yield "", {**whole, "choices": [end], "usage": usage}


_DIALECTS = (
    ("/messages", messages),
    ("/chat/completions", completions),
    ("/responses", responses),
    ("enerateContent", contents),
)

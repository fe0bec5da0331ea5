"""The description of the paths by OpenAPI 3.1."""

from execpolicy.serve.inputs import INPUTS
from execpolicy.support.version import PACKAGE

Json = dict[str, object]

_SHAPES: "dict[str, Json]" = {
    "cwd": {"type": "string"},
    "parent": {"type": "integer"},
    "values": {"type": "object", "additionalProperties": {"type": "string"}},
}


def _object(properties: "Json", *required: str, **more: object) -> "Json":
    return {"type": "object", "properties": properties, "required": list(required), **more}


def _ref(name: str) -> "Json":
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: "Json") -> "Json":
    return {"application/json": {"schema": schema}}


def _operation(
    summary: str, answer: "Json", body: "Json | None" = None, *parameters: "Json"
) -> "Json":
    found: Json = {
        "summary": summary,
        "responses": {
            "200": {"description": summary, "content": answer},
            "default": {"description": "why not", "content": _json(_ref("Error"))},
        },
    }
    if body is not None:
        found["requestBody"] = {"required": True, "content": body}
    if parameters:
        found["parameters"] = list(parameters)
    return found


def _in(where: str, name: str, description: str) -> "Json":
    schema = {"type": "string"}
    required = where == "path"
    return {
        "in": where, "name": name, "description": description, "required": required,
        "schema": schema,
    }  # fmt: skip


def description() -> "Json":
    """The description as JSON has it."""
    verdict: Json = {"type": "object", "description": "`execpolicy.verdict/1`, or `error`"}
    anything: Json = {"type": "object"}
    request = _object(
        {
            "command": {"type": "string", "description": "a script"},
            "argv": {"type": "array", "items": {"type": "string"}, "description": "or words"},
            "cwd": {"type": "string"},
            "id": {},
        }
    )
    options = _object(
        {name: {"type": "string"} for name in ("cwd", "host", "mode", "scope", "session", "shell")},
        description="The options of `execpolicy check` of these names.",
    )
    fields = {
        name: {"description": each.what, **_SHAPES.get(name, {"type": "array"})}
        for name, each in INPUTS.items()
    }
    client = _object(
        dict(fields), *fields,
        description="What a verdict depends on that belongs to the process that asks. Without all "
        "of it, or where it is not the server's where it has to be, the answer is 409: the client "
        "decides itself, by `execpolicy check`.",
    )  # fmt: skip
    filters = ("decision", "program", "agent", "session", "since", "until", "text")
    asked = {"client": _ref("Client"), "options": _ref("Options")}
    answer = _object(
        {
            "answer": {"enum": ["once", "session", "reject"]},
            "because": {"type": "string", "description": "what the agent should do instead"},
        },
        "answer",
    )
    one = _object({**asked, "request": _ref("Request")}, "client", "request")
    several = _object(
        {**asked, "requests": {"type": "array", "items": _ref("Request")}}, "client", "requests"
    )
    check = _operation(
        "Decide about one command, several, or a stream of lines of which the first has `client`.",
        {**_json(_ref("Verdict")), "application/x-ndjson": {"schema": _ref("Verdict")}},
        {**_json({"oneOf": [one, several]}), "application/x-ndjson": {"schema": _ref("Request")}},
    )
    code = _in("path", "code", "the question's code")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "execpolicy serve",
            "version": PACKAGE,
            "description": "Decides what a coding agent may run. Over loopback each request brings "
            "the token; on the unix socket the `Host` is `localhost`.",
        },
        "security": [{"token": []}, {}],
        "paths": {
            "/check": {"post": check},
            "/hook/{host}": {"post": _operation(
                "What `execpolicy hook HOST` writes for a payload.",
                _json(_object({
                    "code": {"type": "integer"}, "stdout": {"type": "string"},
                    "stderr": {"type": "string"},
                })),
                _json(_object(
                    {"client": _ref("Client"), "payload": anything}, "client", "payload"
                )),
                _in("path", "host", "claude, codex, gemini, …"),
            )},
            "/questions": {"get": _operation("The questions that wait.", _json(anything))},
            "/questions/stream": {"get": _operation(
                "The same as server-sent events.", {"text/event-stream": {}}
            )},
            "/questions/{code}": {"post": _operation(
                "Answer a question.", _json(anything), _json(answer), code
            )},
            "/log": {"get": _operation(
                "Decisions, the newest first.", _json(anything), None,
                *(_in("query", name, "only these") for name in filters),
            )},
            "/asked": {"get": _operation("What asked most.", _json(anything))},
            "/sessions": {"get": _operation("The sessions of agents.", _json(anything))},
            "/undo": {"post": _operation(
                "What an undo of a call would do; with `steps` of that, these are done.",
                _json(anything), _json(_object({
                    "root": {"type": "string", "description": "the project"},
                    "number": {"type": "integer", "description": "the call"},
                    "steps": {"type": "array", "items": {"type": "string"}},
                }, "root", "number")),
            )},
            "/policy": {"get": _operation(
                "The rules by layers.", _json(anything), None, _in("query", "cwd", "a directory")
            )},
            "/explain": {"post": _operation(
                "How a command is read.", _json(_ref("Verdict")),
                _json(_object(
                    {"command": {"type": "string"}, "cwd": {"type": "string"}}, "command"
                )),
            )},
            "/rule": {"post": _operation(
                "What a rule would have settled of what asked; it is not written.",
                _json(anything), _json(_object({"rule": {"type": "string"}}, "rule")),
            )},
            "/health": {"get": _operation("Whether it answers.", _json(anything))},
            "/metrics": {"get": _operation("What is counted.", {"text/plain": {}})},
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Client": client,
                "Error": _object({"error": {"type": "string"}}, "error"),
                "Options": options,
                "Request": request,
                "Verdict": verdict,
            },
        },
    }  # fmt: skip

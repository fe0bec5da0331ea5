"""What the servers of the agents' vendors answer: a new token, or that there is none to be had."""

import base64
import json
from collections.abc import Callable, Iterator

from tests.agents import paper

HOSTS = (
    "platform.claude.com", "claude.com", "api.anthropic.com", "auth.openai.com", "chatgpt.com",
    "accounts.google.com", "oauth2.googleapis.com", "cloudcode-pa.googleapis.com", "github.com",
    "api.github.com", "chat.qwen.ai", "models.opencode.ai",
)  # fmt: skip
NEW = "new-token-3d81"
_ACCOUNT = {"chatgpt_account_id": "a", "chatgpt_plan_type": "plus"}
_DEVICE = {
    "device_code": "d", "user_code": "ABCD-1234", "interval": 1, "expires_in": 900,
    "verification_uri": "https://chat.qwen.ai/x", "verification_uri_complete": "https://chat.qwen.ai/x",
}  # fmt: skip
_DEVICE_OF_OPENAI = {
    "device_auth_id": "d", "user_code": "ABCD-1234", "interval": "1",
    "authorization_code": "one-code", "code_verifier": "v",
}  # fmt: skip
_MODEL = {
    "id": "gpt-5.5", "name": "m", "attachment": False, "reasoning": True, "temperature": False,
    "tool_call": True, "release_date": "2026-01-01", "limit": {"context": 100000, "output": 9999},
}  # fmt: skip
_MODELS = {
    "openai": {
        "id": "openai", "name": "OpenAI", "env": [], "npm": "@ai-sdk/openai",
        "models": {"gpt-5.5": _MODEL},
    }
}  # fmt: skip
_USER = {"login": "a", "id": 1, "email": "a@b", "accounts": {}, "models": [], "data": []}
_GIVEN: dict[str, dict[str, object]] = {
    "/api.json": {**_MODELS},
    "/deviceauth/": {**_DEVICE_OF_OPENAI},
    "/device/code": {**_DEVICE},
}
"""Answers to what everybody may ask for, by a part of the path."""
_OVER = {"message": "expired", "type": "authentication_error", "status": "UNAUTHENTICATED"}
Answer = tuple[int, str]


def token(*, expires: int = 4102444800, mark: str = NEW) -> str:
    """A token of OpenAI's form, which nobody signed."""
    claims = {"exp": expires, "email": "a@b", "https://api.openai.com/auth": _ACCOUNT}
    texts = (json.dumps(part).encode() for part in ({"alg": "RS256"}, claims))
    parts = (base64.urlsafe_b64encode(text).decode().rstrip("=") for text in texts)
    return ".".join((*parts, mark))


def answer(host: str, path: str, key: str, body: str, *, given: bool) -> Answer:
    """The code and the text of an answer; `given`: a new token is to be had."""
    for part, found in _GIVEN.items():
        if part in path:
            return 200, json.dumps(found)
    if ("oauth" in path and "token" in path) or host == "oauth2.googleapis.com":
        refused = {"error": "invalid_grant", "error_description": "expired"}
        return (200, json.dumps(_tokens(host))) if given else (400, json.dumps(refused))
    if NEW not in key:
        return 401, json.dumps({"error": {**_OVER, "code": 401}})
    if path.startswith("/v1/messages?"):
        return 200, _streamed(paper.messages, json.loads(body))
    return 200, json.dumps(_USER)


def _streamed(speaks: "Callable[[paper.Paper, paper.Body], Iterator[paper.Event]]",
              asked: paper.Body) -> str:  # fmt: skip
    events = speaks(paper.Paper([]), asked)
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)


def _tokens(host: str) -> dict[str, object]:
    found = {"refresh_token": f"{NEW}-2", "id_token": token(), "token_type": "Bearer"}
    mine = token() if host == "auth.openai.com" else NEW
    more = {"expires_in": 28800, "scope": "user:inference", "status": "success"}
    return {"access_token": mine, **found, **more}

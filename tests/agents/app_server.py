"""Codex as its own editors start it: a server that speaks JSON-RPC on its standard streams.

Unlike `codex exec` it asks, so that the configuration and the trust of a directory are in force as
a user has them.
"""

import json
import subprocess
from collections.abc import Callable
from typing import Any

Asked = Callable[[], bool]
"""What a question of Codex is answered: whether the call may run without its sandbox."""


class AppServer:
    """A running server. Each question of it is answered by `asked`."""

    def __init__(self, process: "subprocess.Popen[str]", asked: Asked) -> None:
        self.process, self.asked = process, asked
        self._number = 0
        self.answer("initialize", {"clientInfo": {"name": "test", "version": "1"}})

    def turn(self, cwd: str, text: str) -> None:
        """Let it work in a directory until its model has no more to do."""
        thread = self.answer("thread/start", {"cwd": cwd})["thread"]["id"]
        given = {"threadId": thread, "input": [{"type": "text", "text": text}]}
        self._send({"id": self._next(), "method": "turn/start", "params": given})
        self._until(lambda message: message.get("method") == "turn/completed")

    def trust(self, cwd: str) -> str:
        """The lines of a configuration with which a user trusts the hooks that it found."""
        (found,) = self.answer("hooks/list", {"cwds": [cwd]})["data"]
        hooks = ((json.dumps(h["key"]), json.dumps(h["currentHash"])) for h in found["hooks"])
        return "".join(f"[hooks.state.{key}]\ntrusted_hash = {it}\n" for key, it in hooks)

    def answer(self, method: str, given: object) -> Any:
        """The answer to a request."""
        number = self._next()
        self._send({"id": number, "method": method, "params": given})
        found = self._until(lambda message: "method" not in message and message["id"] == number)
        return found["result"]

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _send(self, message: dict[str, object]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def _until(self, ends: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        assert self.process.stdout
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if "method" in message and "id" in message:
                decision = "accept" if self.asked() else "decline"
                self._send({"id": message["id"], "result": {"decision": decision}})
            elif ends(message):
                return message
        raise AssertionError("the server ended")

"""The model that is led astray: its calls, and what each reached."""

import json
import os
import re
import signal
import threading
import tomllib
from pathlib import Path

from execpolicy.support.record import Value
from tests.agents.paper import Body, Deed, Paper
from tests.wrap.hostile.field import Field
from tests.wrap.test_attacks import supervisor_of

_CODE = re.compile(r"execpolicy approve ([A-Z0-9]{4,12})")
_SKILLS = (("Skill", "skill"), ("skill", "skill"), ("skill", "name"), ("activate_skill", "name"))


class Call(Value):
    """A line of `calls.toml`."""

    name: str
    tool: str
    text: str
    asks: bool = False
    real: bool = True

    @property
    def late(self) -> bool:
        """Whether the supervisor is gone by then."""
        return self.name.startswith("late")

    def spelled(self, offered: set[str]) -> tuple[str, Body] | None:
        """The tool for it among those that a host offers, and what that is given."""
        if self.tool == "server":
            own = [one for one in sorted(offered) if "evil" in one and one.endswith("take")]
            return (own[0], {"text": self.text}) if own else None
        if self.tool == "skill":
            known = [(tool, field) for tool, field in _SKILLS if tool in offered]
            return (known[0][0], {field: self.text for _, field in known}) if known else None
        return Deed(self.tool, self.text).spelled(offered)


def calls() -> list[Call]:
    """All of them, in their order."""
    table = tomllib.loads((Path(__file__).parent / "calls.toml").read_text())
    return [
        Call(
            name=f"{name} {number}",
            tool=rows["tool"],
            text=line.lstrip("?"),
            asks=rows.get("asks", False),
            real=not line.startswith("?"),
        )
        for name, rows in table.items()
        for number, line in enumerate(rows["calls"].splitlines(), 1)
    ]


class Astray(Paper):
    """It asks for each call that the host has a tool for, before the late ones the supervisor is
    killed. `session` is the process that `wrap` is."""

    def __init__(self, field: Field) -> None:
        super().__init__([])
        self.field, self.session = field, 0
        self._left, self._turn = calls(), threading.Lock()
        self.made: list[Call] = []
        self.outcomes: dict[str, str] = {}
        self.lost: dict[str, list[str]] = {}

    def turn(self, offered: set[str], results: list[object]) -> tuple[str, Body] | None:
        """The next call; None for a request that is not about calls."""
        with self._turn:  # a host asks for other things at the same time
            return self._turned(offered, results)

    def _turned(self, offered: set[str], results: list[object]) -> tuple[str, Body] | None:
        self.offered |= offered
        if Deed("shell", "x").spelled(offered) is None:
            return None
        if len(results) == len(self.made):
            if results:
                self._done(self.made[-1], json.dumps(results[-1], ensure_ascii=False))
            self._next(offered)
        return self.made[len(results)].spelled(offered) if len(results) < len(self.made) else None

    def _next(self, offered: set[str]) -> None:
        while self._left:
            call = self._left.pop(0)
            if "SUPERVISOR" not in self.field.names:
                self.field.names["SUPERVISOR"] = str(supervisor_of(self.session))
            if call.late and not self.made[-1].late:
                os.kill(int(self.field.names["SUPERVISOR"]), signal.SIGKILL)
            if call.spelled(offered):
                self.made.append(call.replace(text=self.field.filled(call.text)))
                return

    def _done(self, call: Call, said: str) -> None:
        self.outcomes[call.name] = said
        if code := _CODE.search(said):
            self.field.names["CODE"] = code[1]
        itself = json.dumps(call.text)[1:-1]  # which some hosts tell with its output
        if lost := self.field.lost(said.replace(itself, "")):
            self.lost[f"{call.name}: {call.text}"] = lost

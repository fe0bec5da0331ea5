"""Asks the user on the terminal."""

import sys
from typing import TextIO

from execpolicy.approvals.library.call import Call
from execpolicy.model.approval import Answer, Life
from execpolicy.model.errors import printable

_KEYS = {"y": Life.ONCE, "s": Life.SESSION, "n": Life.REJECT}


def default_cli_prompt(
    call: Call, stdin: TextIO | None = None, stdout: TextIO | None = None
) -> Answer:
    """Show a call and read the answer: yes, for the session, or no with a reason for the model.

    Without a terminal the user is not asked and the answer is no.
    """
    given, out = stdin or sys.stdin, stdout or sys.stderr
    if stdin is None and not given.isatty():
        return Answer("", Life.REJECT, feedback="the user cannot be asked here")
    out.write(f"{printable(call.tool, 80)} {printable(call.shown, 400)}\n")
    out.writelines(f"  {printable(why, 300)}\n" for why in call.why)
    choices = "[y]es, for this [s]ession, [n]o" if call.remembered else "[y]es, [n]o"
    while True:
        out.write(f"allow it? {choices}: ")
        out.flush()
        line = given.readline()
        life = _KEYS.get(line.strip().lower()[:1]) if line else Life.REJECT
        if life is Life.SESSION and not call.remembered:
            life = None
        if life is Life.REJECT and line:
            out.write("why (for the model, may be empty): ")
            out.flush()
            return Answer("", life, feedback=given.readline().strip() or None)
        if life is not None:
            return Answer("", life)

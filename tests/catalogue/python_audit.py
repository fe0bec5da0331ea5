"""Runs texts of Python, each in a process of its own, and says what the interpreter saw them do.

Reads a JSON list of texts, writes a JSON list of lists of events (library/audit_events.html): what
was opened, with its mode, and each other event that starts, removes, sends or loads something.
"""

import json
import os
import resource
import signal
import sys
from contextlib import suppress
from typing import Any

SECONDS = 2
BYTES = 1 << 30
LOADING = (sys.prefix, sys.base_prefix, os.path.dirname(os.__file__))
NOTHING = (
    *("compile", "import", "marshal.", "object.__", "sys._getframe", "sys.excepthook", "code."),
    *("sys.unraisablehook", "cpython.run_", "sys.addaudithook", "builtins.id", "sys.monitoring"),
)


def seen(event: str, given: tuple[Any, ...]) -> list[str] | None:
    """What an event tells; nothing of what a module does as it is loaded."""
    if event == "open":
        path, mode, flags = given
        if isinstance(path, int) or str(path).startswith(LOADING) or str(path) == "/dev/urandom":
            return None
        writes = bool(set(mode or "") & set("wax+")) or bool(
            (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        )
        return ["write" if writes else "read", os.fsdecode(path)]
    if event == "exec":
        name = getattr(given[0], "co_filename", "")
        known = name.startswith((*LOADING, "<frozen", "<text>", "<string>"))
        return None if known else [event, name]
    if event in ("os.listdir", "os.scandir") and str(given[0]).startswith(LOADING):
        return None
    return None if event.startswith(NOTHING) else [event, repr(given)[:200]]


def run(text: str) -> list[list[str]]:
    """The events of one text, in a child that ends with it."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        for number in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        signal.alarm(SECONDS)
        code = compile(text, "<text>", "exec", dont_inherit=True)

        def hook(event: str, given: tuple[Any, ...]) -> None:
            found = seen(event, given)
            if found is not None:
                os.write(write, json.dumps(found).encode() + b"\n")

        sys.addaudithook(hook)
        with suppress(BaseException):
            exec(code, {"__name__": "__main__", "__builtins__": __builtins__})
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        lines = pipe.read().splitlines()
    os.waitpid(child, 0)
    return [json.loads(line) for line in lines]


if __name__ == "__main__":
    print(json.dumps([run(text) for text in json.load(sys.stdin)]))

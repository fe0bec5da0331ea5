"""The words that start this program, as a host's configuration or a plugin names them."""

import json
import os
import subprocess
import sys

from execpolicy.model.errors import ExecPolicyError
from execpolicy.support.resources import compiled, package_directory, plugins_directory

CLIENT = "hook"
"""The name of the program that asks a running server first."""
ISOLATED = (("-I",), ("-E", "-P"))
"""Options by which Python ignores `PYTHONPATH` and the directory that it is started in.

The first also leaves out the packages that `pip install --user` installed.
"""
BARE = "-S"
"""The option after these by which Python starts without `site`, which the program runs itself where
it needs it. Earlier versions wrote none."""


def command() -> tuple[str, ...]:
    """The words that start this very program, as a host's configuration names them.

    A hook is started in the agent's project, whose modules and settings of Python it must not load.
    """
    python = os.path.abspath(sys.executable) if sys.executable else ""
    for options in ISOLATED if python else ():
        if _package(python, options) == os.path.realpath(package_directory()):
            words = (python, *options, BARE, os.path.join(package_directory(), "__main__.py"))
            return (*asks_server(), *words)
    name = python or "this Python"
    raise ExecPolicyError(f"{name} finds `execpolicy` by its environment only: install it with pip")


def asks_server() -> tuple[str, ...]:
    """The program before these words that asks a running server first (`serve/hook.c`, `.bash`)."""
    client = compiled(CLIENT)
    return (client,) if _starts(client) else ()


def _starts(program: str) -> bool:
    """Whether a program can be started, and what starts it where it is a script."""
    try:
        with open(program, "rb") as file:
            first, _, rest = file.readline(256).partition(b"#!")
    except OSError:
        return False
    needed = [program, *([] if first else map(os.fsdecode, rest.split()[:1]))]
    return all(os.access(each, os.X_OK) for each in needed)


def _package(python: str, options: tuple[str, ...]) -> str:
    """The package that Python finds with these options, far from any project; empty if none."""
    ask = "import importlib.util as u; print(u.find_spec('execpolicy').origin)"
    try:
        done = subprocess.run(
            [python, *options, "-c", ask], capture_output=True, cwd="/", timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return os.path.dirname(os.path.realpath(os.fsdecode(done.stdout).strip()))


_PLUGIN_LINE = "const PROGRAM = "


def plugin(words: tuple[str, ...]) -> str:
    """The text of opencode's plugin, with the words that start this program in it."""
    with open(os.path.join(plugins_directory(), "opencode", "execpolicy.js")) as file:
        text = file.read()
    return text.replace(f'{_PLUGIN_LINE}["execpolicy"]', _PLUGIN_LINE + json.dumps(words))


def plugin_words(text: str) -> list[str] | None:
    """The words in a plugin's text. Earlier versions wrote one, as a text."""
    for line in text.splitlines():
        if line.startswith(_PLUGIN_LINE):
            try:
                found = json.loads(line.removeprefix(_PLUGIN_LINE))
            except ValueError:
                return None
            return [found] if isinstance(found, str) else [str(word) for word in found]
    return None

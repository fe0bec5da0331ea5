"""Compiles, while the package is built, what each kind of start needs: its modules side by side."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_AGAIN = """
import execpolicy.__main__, execpolicy.commands.repeat, execpolicy.store.log_file
import execpolicy.store.repeat.looks
"""
_RUN = """
import execpolicy.__main__, execpolicy.commands.run_again, execpolicy.commands.ancestors
import execpolicy.sandbox.scan.links, execpolicy.sandbox.scan.opened
import execpolicy.sandbox.session.size, execpolicy.sandbox.backends.mounts
import execpolicy.sandbox.backends.streams.pump
import execpolicy.store.log_file
"""
_RUN_WRITES = """
import execpolicy.sandbox.leftovers.guarded
"""
_SNAPSHOTS = """
import execpolicy.__main__, execpolicy.commands.snapshots, execpolicy.places.root
import execpolicy.undo.scan, execpolicy.undo.removed
"""
_RUN_JOINS = """
import execpolicy.sandbox.session.network
"""
_RUN_OUT = """
import execpolicy.sandbox.backends.way_out, execpolicy.proxy.variables
"""
_REPOSITORY = """
import execpolicy.__main__, execpolicy.engine.engine
import execpolicy.catalogue.reading.surroundings, execpolicy.engine.paths.git_code
import execpolicy.engine.paths.grounds, execpolicy.engine.paths.whereabouts
"""
_DECIDES = """
import execpolicy.__main__
from execpolicy.engine.engine import Engine
from execpolicy.model.operation import Request
Engine.load(audit=True).decide(Request({}, cwd="/"))
"""
_DOES = """
from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import run
run(dispatch, {!r})
"""
_WATCHES = "import execpolicy.__main__, execpolicy.commands.repeat, execpolicy.store.repeat.witness"
_READS = """
from execpolicy.commands import hook, repeat
import execpolicy.store.log_file, execpolicy.store.repeat.looks, execpolicy.store.sessions
from execpolicy.hosts.payloads.protocol import Reply
hook.Hook._answered = lambda self, request: Reply()
hook.main(["claude"])
"""
_LOOP = 'for f in *.py; do echo "$(wc -l "$f")"; done'


def _decides(asked: str) -> tuple[str, str]:
    """What `check` and `hook` have in common."""
    return _DECIDES.format(asked), ""


def _check(*words: str) -> tuple[str, str]:
    return _DOES.format(["check", *words]), ""


def _hook(command: str) -> tuple[str, str]:
    call = {
        "session_id": "s",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return _DOES.format(["hook", "claude"]), json.dumps(call)


STARTS = {
    "again": (_AGAIN, ""),
    "hook": (_READS, _hook("ls")[1]),
    "watch": (_WATCHES, ""),
    "check": _check("--", "ls"),
    "decide": _hook("ls"),
    "paths": _decides("argv=('ls', 'a')"),
    "repository": (_REPOSITORY, ""),
    "question": _check("--", "git", "push"),
    "asks": _hook("git push"),
    "text": _decides("text='ls | wc -l'"),
    "script": _decides(f"text={_LOOP!r}"),
    "codex": _check("--format", "codex", "--", "git", "push"),
    "run": (_RUN, ""),
    "run writes": (_RUN + _RUN_WRITES, ""),
    "snapshots": (_RUN + _RUN_WRITES + _SNAPSHOTS, ""),
    "run joins": (_RUN + _RUN_JOINS, ""),
    "run out": (_RUN + _RUN_JOINS + _RUN_OUT, ""),
    "run anew": (_DOES.format(["run", "--dry", "--", "ls"]), ""),
}
"""What most processes do: the modules that the same ones need are kept side by side."""


ALONE = (
    *("-nostdlib", "-ffreestanding", "-no-pie", "-fno-pie", "-fno-stack-protector"),
    *("-U_FORTIFY_SOURCE", "-fno-tree-loop-distribute-patterns", "-fno-asynchronous-unwind-tables"),
)
"""How a program is built that starts without a C library, and calls nothing of one."""


def _build(sources: tuple[str, ...], path: str, *more: str) -> bool:
    """Build a static program of `execpolicy`; whether that was done. Where there is no compiler, or
    no static library, the package does in Python what it would."""
    directory = os.path.join(os.path.dirname(__file__), "execpolicy")
    files = (os.path.join(directory, source) for source in sources)
    compiler = shutil.which("cc") if sys.platform == "linux" else None
    made = f"{path}.new"
    words = (compiler or "", "-O2", "-static", "-Wall", *more, "-o", made, *files)
    if compiler is None or subprocess.run(words, capture_output=True).returncode != 0:
        if os.path.exists(path):
            os.unlink(path)
        return False
    os.replace(made, path)
    return True


BASH = "/bin/bash"
_NO_HOOK = '#!/bin/sh\nexec "$@"\n'
"""In the place of the hook's program where neither C nor bash is there, so that a host which starts
it never misses a file: it would go on without an answer."""


def hook_script() -> str:
    """What asks a server for a hook, in bash."""
    from execpolicy.support.version import PACKAGE

    path = os.path.join(os.path.dirname(__file__), "execpolicy", "serve", "hook.bash")
    with open(path) as file:
        return file.read().replace("@PACKAGE@", PACKAGE)


def _build_hook(path: str) -> bool:
    """Build what asks a server for a hook, with the variables whose values it sends; whether it is
    for machines like this one alone."""
    from execpolicy.places.steering import patterns
    from execpolicy.serve.inputs import READ
    from execpolicy.support.version import PACKAGE

    names = ",".join(f'"{name}"' for name in sorted({*READ, *patterns()}))
    if _build(("serve/hook.c",), path, f'-DPACKAGE="{PACKAGE}"', f"-DREAD={names}"):
        return True
    with open(f"{path}.new", "w") as file:
        file.write(hook_script() if os.access(BASH, os.X_OK) else _NO_HOOK)
    os.chmod(f"{path}.new", 0o755)  # noqa: S103 - a program, as a compiler makes it
    os.replace(f"{path}.new", path)
    return False


class Compiled(BuildHookInterface[Any]):
    """Writes `execpolicy/data/compiled`, for a wheel and for an editable install alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the files of a wheel are collected."""
        sys.path.insert(0, self.root)
        from execpolicy.language.syntax import tables
        from execpolicy.shell.second_reader import second_reader
        from execpolicy.shell.second_reader.common_structures import common
        from execpolicy.store.compiled import answers, prebuilt
        from execpolicy.store.compiled.tables import PackagedTables
        from execpolicy.support import bundle
        from execpolicy.support.resources import compiled

        tables.driver(PackagedTables("syntax"))
        second_reader.prepare(PackagedTables("bashlex"))
        answers.write("", second_reader.answers(common()))
        prebuilt.write(checkout=version == "editable")
        built = [
            _build(("wrap/shim.c", "wrap/launch.c"), compiled("shim"), *ALONE),
            _build_hook(compiled("hook")),
        ]
        if any(built) and version != "editable":
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"
        bundle.write(STARTS)

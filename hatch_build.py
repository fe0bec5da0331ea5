"""Compiles what would cost the first start of each machine seconds, while the package is built."""

import json
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_AGAIN = "import execpolicy.__main__, execpolicy.commands.repeat, execpolicy.store.log_file"
_RUN = """
import execpolicy.__main__, execpolicy.commands.run_again, execpolicy.commands.ancestors
import execpolicy.sandbox.look.links, execpolicy.sandbox.look.opened
import execpolicy.sandbox.session.size
import execpolicy.store.log_file
"""
_RUN_WRITES = """
import execpolicy.sandbox.leftovers.guarded
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
_DOES = """
from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import run
run(dispatch, {!r})
"""
_WATCHES = "import execpolicy.__main__, execpolicy.commands.repeat, execpolicy.store.repeat.witness"
_READS = """
from execpolicy.commands import hook, repeat
import execpolicy.store.log_file, execpolicy.store.sessions
from execpolicy.hosts.payloads.protocol import Reply
hook.Hook._answered = lambda self, request: Reply()
hook.main(["claude"])
"""
_LOOP = 'for f in *.py; do echo "$(wc -l "$f")"; done'


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
    "paths": _check("--", "ls", "a"),
    "repository": (_REPOSITORY, ""),
    "question": _check("--", "unknown"),
    "asks": _hook("git push"),
    "text": _check("-c", "ls | wc -l"),
    "script": _check("-c", _LOOP),
    "codex": _check("--format", "codex", "--", "git", "push"),
    "run": (_RUN, ""),
    "run writes": (_RUN + _RUN_WRITES, ""),
    "run joins": (_RUN + _RUN_JOINS, ""),
    "run out": (_RUN + _RUN_JOINS + _RUN_OUT, ""),
    "run anew": (_DOES.format(["run", "--dry", "--", "ls"]), ""),
}
"""What most processes do: the modules that the same ones need are kept side by side."""


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

        tables.driver(PackagedTables("syntax"))
        second_reader.prepare(PackagedTables("bashlex"))
        answers.write("", second_reader.answers(common()))
        prebuilt.write(checkout=version == "editable")
        bundle.write(STARTS)

"""`execpolicy init`: a first layer of one's own, and what else would help on this machine."""

import os
import shutil
import sys
from collections.abc import Sequence

from execpolicy.commands import named, next_steps
from execpolicy.commands.arguments import Kind, OptionSyntax, Syntax, Takes, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.person import agrees, can_say
from execpolicy.hosts.convert.lists import READERS
from execpolicy.hosts.install import host_file, present
from execpolicy.hosts.install.host import Host
from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.store.sources.files import replace, user_rules
from execpolicy.support import directories
from execpolicy.support.resources import presets_directory

SUMMARIES = {
    "developer": "also allows to write in the project, where nothing is lost",
    "standard": "what does more than read is asked about",
    "careful": "what cannot be undone is refused",
    "unattended": "for runs without a user: refuses what would ask, but for writing in the project",
}
PRESETS = tuple(SUMMARIES)
DEFAULT = "standard"
PROJECT_CODE = 'posture(execute = {"project": "allow"})\n'
COMMITS = """\
prefix_rule(
    ["git", ["commit", "rebase", "merge"]],
    "prompt",
    justification = "commits are to be asked about",
    match = ["git commit -m x", "git rebase main"],
)
"""
_ENDS = ("", "\n" + PROJECT_CODE)
_ASKING = ("", "\n" + COMMITS)
SYNTAX = Syntax(
    "init",
    (
        OptionSyntax(("--preset",), "preset", Takes("preset", Kind.WORD, PRESETS)),
        OptionSyntax(("--commits",), "commits", Takes("commits", Kind.WORD, ("pass", "ask"))),
        OptionSyntax(("--project-code",), "project_code"),
    ),
)


def main(arguments: Sequence[str]) -> ExitCode:
    """Write the preset, then offer. A file that was changed is an `ExecPolicyError`."""
    parsed = parse(SYNTAX, arguments)
    preset = str(parsed.fields.get("preset") or _chosen())
    asks = _asks_commits(str(parsed.fields.get("commits") or ""))
    runs = bool(parsed.fields.get("project_code")) or _runs_code(preset)
    _write(preset, _ASKING[asks] + _ENDS[runs])
    found = present.here()
    for host in found:
        if host.name in READERS:
            _offer("import", host)
        if not present.has_hook(host):
            _offer("install", host)
    if not found:
        print("no host of an agent was found; `execpolicy install --help` lists them")
    next_steps.show("execpolicy check -- git push", "what is decided about a command, and why")
    next_steps.show("execpolicy layers", "the rules that are in force here")
    return ExitCode.ALLOW


def _chosen() -> str:
    """The preset that the user picks; the default where the user cannot answer."""
    if not can_say():
        return DEFAULT
    for name, summary in SUMMARIES.items():
        print(f"  {name:10}  {summary}")
    answer = input(f"preset [{PRESETS[0]}]: ").strip().lower()
    if answer and answer not in PRESETS:
        raise ExecPolicyError(
            f"`{printable(answer)}` is not a preset: write one of {', '.join(PRESETS)}"
        )
    return answer or PRESETS[0]


def _asks_commits(said: str) -> bool:
    """Whether commits are to be asked about: as the option says, else the user at a terminal."""
    if said or not can_say():
        return said == "ask"
    answer = input("commits (git commit, rebase, merge): let pass or ask? [pass/ask, Enter: pass] ")
    return answer.strip().lower() in ("ask", "a")


def _runs_code(preset: str) -> bool:
    """Whether the user wants code of the project run as it is, where no sandbox could hold it."""
    if preset != PRESETS[0] or shutil.which("bwrap") or not can_say():
        return False
    print("there is no sandbox (bubblewrap) here, so tests and builds of the project ask each time")
    return agrees("run them unasked? this runs whatever the project then holds")


def _write(name: str, end: str) -> None:
    """Write the preset with this end. One that the user changed since stays: that is an error."""
    path = _path()
    text, before = _text(name) + end, host_file.read(path)
    if before == text:
        print(f"{printable(path)}: is `{name}` already")
        return
    if written() == "":
        raise ExecPolicyError(f"{path} was changed: move it away to begin with `{name}`")
    user_rules()
    replace(path, text.encode(), 0o600)
    print(f"{printable(path)}: `{name}`; change it as you like")


def written() -> str | None:
    """Which preset stands there; empty for one that the user changed, None where there is none."""
    text = host_file.read(_path())
    ends = [c + e for c in _ASKING for e in _ENDS]
    found = (name for name in PRESETS if text in [_text(name) + end for end in ends])
    return None if text is None else next(found, "")


def _path() -> str:
    return os.path.join(directories.config(), "rules", "preset.rules")


def _text(preset: str) -> str:
    with open(os.path.join(presets_directory(), f"{preset}.rules"), encoding="utf-8") as file:
        return file.read()


def _offer(command: str, host: Host) -> None:
    """Ask whether to do it now; where the user cannot answer, say what to type."""
    typed = f"execpolicy {command} {host.name}"
    if not can_say():
        next_steps.show(typed)
        return
    if not agrees(f"{typed}?"):
        return
    try:
        named(command).load()([host.name])
    except ExecPolicyError as error:
        print(f"execpolicy: {error}", file=sys.stderr)

"""`execpolicy doctor`: does the policy stand in front of the agents of this machine, end to end?"""

import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence

from execpolicy.commands import doctor_sandbox, doctor_wrap
from execpolicy.commands.arguments import Kind, Syntax, Takes, parse
from execpolicy.commands.doctor_sandbox import Finding
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.hosts.install import codex, edit, hooks, present, skill_commands, timeouts
from execpolicy.hosts.install.host import HOSTS, Host
from execpolicy.hosts.install.sample_payload import FORBIDDEN, payload, refuses
from execpolicy.model.errors import Diagnostic, ExecPolicyError, printable
from execpolicy.places.disk import Disk
from execpolicy.places.steering import loaded
from execpolicy.store.ledger.guard import LedgerError
from execpolicy.store.ledger.ledger import Ledger
from execpolicy.store.sources import trust
from execpolicy.store.sources.settings import load as load_settings
from execpolicy.store.store import Store

MAX_SECONDS = 2.0
SYNTAX = Syntax("doctor", (), Takes("host", Kind.WORD, tuple(HOSTS)))


def _well(text: str) -> Finding:
    return Finding(True, text)


def _wrong(text: str, remedy: str) -> Finding:
    return Finding(False, text, remedy)


def main(arguments: Sequence[str]) -> ExitCode:
    """Print the findings. ERROR if something is wrong."""
    parsed = parse(SYNTAX, arguments)
    named = parsed.operands
    findings = [*_environment(), *_policy(), *_ledger()]
    for host in HOSTS.values():
        if host.name in named or not named:
            findings.extend(_host(host, host.name in named))
    if not named:
        findings.extend(_walls())
    for finding in findings:
        print(f"{'ok   ' if finding.well else 'WRONG'} {printable(finding.text)}")
        if finding.remedy:
            print(f"      {printable(finding.remedy)}")
    return ExitCode.ALLOW if all(f.well for f in findings) else ExitCode.ERROR


def _walls() -> list[Finding]:
    found = doctor_sandbox.walls()
    return found if not all(one.well for one in found) else [*found, *doctor_wrap.sessions()]


def _environment() -> Iterator[Finding]:
    """Variables of the dynamic loader by which code of this project runs in every program."""
    disk = Disk()
    root = disk.root(None, os.getcwd())
    for said in loaded(disk.steering(root.path)) if root is not None else ():
        yield _wrong(said, "unset it where you start the agent")


def _policy() -> Iterator[Finding]:
    """The rules as a hook would find them here."""
    store = Store(cwd=os.getcwd())
    for problem in (*store.current.diagnostics, *store.settings.problems):
        if problem.severity == "error":
            yield _found(problem)
    record = trust.read()
    if record.problem:
        yield _found(record.problem)
    if not store.current.floor:
        yield _well(f"rules: {', '.join(store.current.layers)}, {store.current.digest}")


def _ledger() -> Iterator[Finding]:
    """The memory of answers, where there is one."""
    try:
        with Ledger.open() as ledger:
            broken, count = ledger.broken(), len(ledger.every())
    except FileNotFoundError:
        return
    except LedgerError as error:
        yield _wrong(f"approvals: {error}", "until then everything asks")
        return
    if broken is None:
        yield _well(f"approvals: {count} kept")
    else:
        text = f"approvals: the chain of events is broken at {broken}: the ledger was edited"
        yield _wrong(text, "execpolicy approvals revoke --all")


def _found(problem: Diagnostic) -> Finding:
    return _wrong(f"{problem.span}: {problem.message}", problem.hint or "correct the file")


def _host(host: Host, wanted: bool) -> Iterator[Finding]:
    """What there is to say about a host; nothing where it is not here and was not asked for."""
    before, told = "", False
    seen: set[str] = set()
    for scope in ("user", "project"):
        try:
            places = edit.places(host, scope, os.getcwd())
        except ExecPolicyError as error:
            told = True
            yield _wrong(f"{host.name}: {error}", "correct the file")
            continue
        for place in places:
            here = [] if place.file in seen else [*_place(host, scope, place)]
            seen.add(place.file)
            stands = len(here) > 1
            if stands and before:
                yield _twice(host, scope, other_scope=scope != before)
            before = scope if stands else before
            told = told or bool(here)
            yield from here
    if not told and (wanted or present.is_here(host)):
        text = f"{host.name}: no hook: what it runs is not decided here"
        yield _wrong(text, f"execpolicy install {host.name}")


def _twice(host: Host, scope: str, *, other_scope: bool) -> Finding:
    """Two files of one scope are put right by `install`, of two scopes by `uninstall` in one."""
    command = f"execpolicy {'uninstall' if other_scope else 'install'} {host.name}"
    command += " --scope project" if scope == "project" else ""
    return _wrong(f"{host.name}: the hook is in two files and runs twice", command)


def _place(host: Host, scope: str, place: edit.Place) -> Iterator[Finding]:
    """What there is to say about a file; nothing where our hook is not in it."""
    try:
        commands = edit.commands(host, place)
    except ExecPolicyError as error:
        yield _wrong(f"{host.name}: {place.file}: {error}", "correct the file")
        return
    if not commands:
        return
    missing = len(host.entries) - len(commands)
    again = f"execpolicy install {host.name}{' --scope project' if scope == 'project' else ''}"
    if missing > 0 and not host.plugin:
        yield _wrong(f"{host.name}: {place.file}: {missing} entries are missing", again)
    else:
        yield _well(f"{host.name}: {place.file}: the entry is there")
    yield from _wants(host, scope, place)
    yield from _in_time(host, again)
    if not all(map(hooks.is_isolated, commands)):
        text = "the entry loads modules that the project may name in PYTHONPATH"
        yield _wrong(f"{host.name}: {place.file}: {text}", again)
    program = shlex.split(commands[0])[0]
    if os.access(program, os.X_OK):
        yield _run(host, commands[0])
    else:
        yield _wrong(f"{host.name}: there is no program {program}", again)
    version = _version(host)
    yield version
    if host.name == "claude":
        yield from _unasked(version)


def _unasked(version: Finding) -> Iterator[Finding]:
    """Commands in files of this project that the host's version runs without asking the hook."""
    if skill_commands.is_hooked(version.text.rpartition(": ")[2]):
        return
    for file in skill_commands.files(os.getcwd()):
        text = f"claude: {file}: its commands (`!` and backquotes) run before the hook is asked"
        wanted = ".".join(map(str, skill_commands.HOOKED))
        yield _wrong(text, f"read the file, or use Claude Code {wanted} or later")


def _wants(host: Host, scope: str, place: edit.Place) -> Iterator[Finding]:
    """What keeps the host itself from running the hook."""
    if host.name == "codex":
        for said in codex.objections(host, scope, os.getcwd(), place):
            yield Finding(not said.grave, f"{host.name}: {said.text}", said.remedy)
    elif not host.plugin and _is_off(edit.table(place)):
        yield _wrong(f"{host.name}: a setting turns hooks off", "take it out")


def _in_time(host: Host, again: str) -> Iterator[Finding]:
    """Whether the entries let the hook wait as long as the setting says and the host lets it."""
    wanted = load_settings().wait_seconds
    needed = min(wanted + timeouts.MARGIN, host.longest)
    if wanted and needed > (given := timeouts.limit(host.name, os.getcwd())):
        waits = max(0.0, given - timeouts.MARGIN)
        yield _wrong(
            f"{host.name}: the hook waits {waits:g} of {wanted} seconds for an answer", again
        )


def _is_off(settings: dict[str, object]) -> bool:
    """Settings of the hosts that keep every hook from running."""
    nested = settings.get("tools")
    enabled = nested.get("enableHooks") if isinstance(nested, dict) else None
    return settings.get("disableAllHooks") is True or enabled is False


def _run(host: Host, command: str) -> Finding:
    """A command that no policy allows, through the very line that the host runs."""
    environment = {**os.environ, "EXECPOLICY_AUDIT": "0"}
    best = 60.0
    for _ in range(2):  # the first may have rules to compile
        began = time.monotonic()
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                input=json.dumps(payload(host.name, FORBIDDEN)).encode(),
                capture_output=True,
                timeout=30,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            return _wrong(f"{host.name}: `{command}` does not end", "report this")
        best = min(best, time.monotonic() - began)
        if not refuses(host.name, done.stdout, done.returncode):
            said = (done.stderr or done.stdout).decode(errors="replace").strip()
            text = f"{host.name}: `{FORBIDDEN}` is not refused: {said[:300]}"
            return _wrong(text, f"execpolicy check -c '{FORBIDDEN}'")
    milliseconds = f"{best * 1000:.0f} ms"
    text = f"{host.name}: `{FORBIDDEN}` is refused, in {milliseconds}"
    return Finding(best < MAX_SECONDS, text)


def _version(host: Host) -> Finding:
    """The host's own program."""
    path = shutil.which(host.program)
    if path is None:
        return _well(f"{host.name}: its own program `{host.program}` is not on PATH")
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=10)
        version = done.stdout.decode(errors="replace").strip().partition("\n")[0]
    except (OSError, subprocess.TimeoutExpired):
        version = "does not tell its version"
    return _well(f"{host.name}: {path}: {version[:80]}")

"""`execpolicy wrap`: an agent in a sandbox, and every program that it starts in one of its own."""

import os
import sys
from _collections_abc import Sequence

from execpolicy.commands.arguments import (
    COMMAND,
    DIRECTORY,
    Kind,
    OptionSyntax,
    Parsed,
    Syntax,
    Takes,
    parse,
)
from execpolicy.commands.exit_codes import ExitCode, say
from execpolicy.commands.init import PRESETS
from execpolicy.commands.options import SHARED, scope_of
from execpolicy.commands.wrap_command import Commands
from execpolicy.engine.engine import Engine
from execpolicy.hosts.agents.agent import StateColumn
from execpolicy.hosts.agents.servers import own_servers
from execpolicy.hosts.shell_calls import HostDirectories
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.scope import Scope, only_written
from execpolicy.sandbox.backends.start.prepared import find
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.keys.programs import Programs
from execpolicy.sandbox.walls import Mount, Wall, wall_at
from execpolicy.support import startup
from execpolicy.support.record import Value
from execpolicy.support.resources import package_directory, presets_directory
from execpolicy.wrap.agent_sandbox import AgentSetup
from execpolicy.wrap.home.plan import SessionHome
from execpolicy.wrap.namespaces import Namespaces
from execpolicy.wrap.outside.browser import Browser
from execpolicy.wrap.outside.servers import UserServers
from execpolicy.wrap.programs import agent_program
from execpolicy.wrap.session import Session
from execpolicy.wrap.session_snapshots import SessionSnapshots
from execpolicy.wrap.shell_decision import WrappedAgent


class WrapOptions(Value):
    """What the command line of `wrap` says."""

    argv: tuple[str, ...] = ()
    rules: tuple[str, ...] | None = None
    cwd: str | None = None
    builtin: bool = True
    dry: bool = False
    state: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    take: bool = False
    preset: str = ""
    scope: str | None = None


SYNTAX = Syntax(
    "wrap",
    (
        *(option for option in SHARED if option.field not in ("shell", "text")),
        OptionSyntax(("--dry",), "dry"),
        OptionSyntax(("--take",), "take"),
        OptionSyntax(("--preset",), "preset", Takes("preset", Kind.WORD, PRESETS)),
        OptionSyntax(("--scope",), "scope", DIRECTORY),
        OptionSyntax(("--state",), "state", Takes("path"), repeats=True),
        OptionSyntax(("--model-host",), "hosts", Takes("name"), repeats=True),
        OptionSyntax(("--pass",), "passed", Takes("name"), repeats=True),
    ),
    COMMAND,
    leads=True,
)
SNAPSHOTS = ("/shell-snapshots", "/shell_snapshots")
"""Directories of an agent's state that its shell reads before commands."""
_TEMPORARY = "`/tmp` of the session"
MAX_SHOWN = 4
"""Paths and hosts that are named one by one."""
RESERVED = range(3, 64)
"""Numbers that the descriptors of commands may have, and nothing of this program."""


def main(arguments: Sequence[str]) -> int:
    """Start the agent; its exit code, or one of this program's own."""
    parsed = parse(SYNTAX, arguments)
    if parsed.fields.get("take"):
        from execpolicy.commands.wrap_take import take

        return take(parsed.operands)
    options = _valid(parsed)
    try:
        return _started(options)
    except NoSandboxError as error:
        say(printable(str(error), 500))
        return ExitCode.NO_SANDBOX


def _valid(parsed: Parsed) -> WrapOptions:
    """The options with an absolute directory. Raises `UsageError`."""
    from execpolicy.commands.check import directory

    options = WrapOptions(parsed.operands, **parsed.fields)  # type: ignore[arg-type]
    if not options.argv:
        raise UsageError("give an agent: `execpolicy wrap -- claude`")
    return options.replace(cwd=os.path.realpath(directory(options.cwd) or "/"))


def _started(options: WrapOptions) -> int:
    """Make the session and run the agent in it. Raises `NoSandboxError`."""
    if sys.platform != "linux":
        raise NoSandboxError("`wrap` needs the namespaces of Linux")
    _reserve()
    namespaces = None if options.dry else Namespaces.begin()
    from execpolicy.commands.unfinished import finish

    engine = _engine(options)
    finish()
    agent = _agent(options)
    scope = scope_of(engine, options.scope, options.cwd)
    split = only_written(scope) if scope else None
    session = Session(engine, agent, options.cwd or "/", split)
    _refuse_writable(session.job)
    if namespaces is None:
        return _print(session)
    home = session.home()
    from execpolicy.commands.wrap_take import ending_lines

    for line in _lines(session):
        say(line)
    code = session.run(namespaces, home, _commands(session, home, namespaces, scope))
    for line in ending_lines(session.outcome, session.kept):
        say(line)
    return code


def _commands(
    session: Session, home: SessionHome, namespaces: Namespaces, scope: Scope | None
) -> Commands:
    """What decides about the commands of a session."""
    entry = session.agent.entry
    state = os.path.join(home.home, entry.directory) if entry.directory else ""
    program = next(iter(session.agent.program.seen), "")
    places = HostDirectories(state, program)
    snapshots = SessionSnapshots(home.reading(), os.path.join(home.directory, "snapshots"))
    agent = WrappedAgent(entry, places, snapshots, session.cwd)
    read = tuple(one for one in home.binds if one.target.endswith(SNAPSHOTS))
    written = _written(session, home)
    mounts = (*session.job.plan.mounts, *written)
    programs = Programs(os.environ.get("PATH", os.defpath), mounts, session.job.root)
    return Commands(
        session.engine,
        namespaces,
        os.getpid(),
        agent,
        read,
        scope=scope,
        written=written,
        browser=_browser(session, programs),
        servers=UserServers(own_servers(entry, home.outside), programs),
    )


def _browser(session: Session, programs: Programs) -> Browser:
    """What opens the pages where the agent logs in."""
    entry = session.agent.entry
    own = ((host, 443) for host in (*entry.login_hosts, *entry.model_hosts))
    return Browser(entry.product, frozenset((*own, *session.agent.hosts)), os.environ, programs)


def _written(session: Session, home: SessionHome) -> tuple[Mount, ...]:
    """What the agent writes beside what its commands do."""
    bound = (one.source for one in home.binds if one.writable)
    paths = map(os.path.realpath, (*session.agent.state, *bound))
    return tuple(Mount(path, Wall.WRITE, "the agent writes it") for path in paths)


def _reserve() -> None:
    """Keep what this program opens away from the numbers that commands may use."""
    startup.move(RESERVED.stop)
    for number in RESERVED:
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            if opened != number:
                os.dup2(opened, number, inheritable=False)
                os.close(opened)


def _engine(options: WrapOptions) -> Engine:
    rules = options.rules
    if options.preset:
        rules = (f"{presets_directory()}/{options.preset}.rules", *(rules or ()))
    made = Engine.load(rules, builtin=options.builtin, cwd=options.cwd, audit=True)
    made.way = "confined"
    return made


def _agent(options: WrapOptions) -> AgentSetup:
    from execpolicy.hosts.agents.entries import started_by, unknown

    entry = started_by(options.argv[0]) or unknown(options.argv[0], (), ())
    given, login = options.argv[1:], tuple(entry.login.split()[1:])
    logs_in = bool(login) and given[: len(login)] == login  # which knows no option of a session
    added = () if logs_in or set(entry.arguments) & set(given) else entry.arguments
    program = agent_program((options.argv[0], *added, *given), os.environ)
    state = tuple(os.path.realpath(os.path.expanduser(path)) for path in options.state)
    for path in state:
        if not os.path.exists(path):
            raise UsageError(f"`{printable(path, 200)}` is not there: make it first")
    hosts = _hosts(options.hosts)
    return AgentSetup(entry, program, state=state, passed=options.passed, hosts=hosts)


def _hosts(named: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Hosts with their ports. Raises `UsageError`."""
    found = []
    for name in named:
        host, colon, port = name.rpartition(":")
        if not colon:
            host, port = name, "443"
        if not port.isdigit() or not 0 < int(port) < 65536 or not host:
            raise UsageError(f"`{printable(name, 80)}` is not a host: write `NAME` or `NAME:PORT`")
        found.append((host.lower(), int(port)))
    return tuple(found)


def _refuse_writable(job: Job) -> None:
    """Raise `NoSandboxError` where the agent could write what keeps it."""
    for path in (package_directory(), find(), os.path.realpath(sys.executable)):
        if wall_at(os.path.realpath(path), job.plan.mounts) is Wall.WRITE:
            raise NoSandboxError(
                f"`{printable(path, 200)}` is part of what keeps the agent, and lies where it may "
                "write: install execpolicy elsewhere, or start in another directory"
            )


def _print(session: Session) -> int:
    """The first lines, and the plan of the agent's sandbox."""
    from execpolicy.commands.render.plan_text import as_text

    print(*_lines(session), sep="\n")
    sys.stdout.write(as_text(session.job.plan))
    return ExitCode.ALLOW


def _lines(session: Session) -> tuple[str, ...]:
    """What the agent may write, does not see, and reaches; and how to log in where it is not."""
    agent, mounts = session.agent, session.job.plan.mounts
    data = (f"~/{path}" for path in agent.entry.path_of(StateColumn.DATA))
    written = [m.path for m in mounts if m.wall is Wall.WRITE and not m.pin]
    hidden = sum(m.wall in (Wall.HIDDEN, Wall.COVERED) for m in mounts)
    hosts = [f"{host}:{port}" for host, port in agent.hosts]
    hosts += (*agent.entry.model_hosts, *agent.entry.login_hosts)
    written = [*written, _TEMPORARY, *data, *agent.state]
    return (
        f"writes    {_some(written)}",
        f"hidden    {hidden} places with keys, settings and what is personal",
        f"reaches   {_some(hosts) or 'no host'}, and what your rules allow",
        *(
            f"login     none was found: log in inside, or `{how}`, in a terminal of your own"
            for how in _login(agent)
        ),
    )


def _login(agent: AgentSetup) -> tuple[str, ...]:
    """The command by which the user logs in, where neither file nor variable has a key."""
    entry = agent.entry
    named = (*entry.key_variables, entry.directory_variable, *agent.passed)
    found = (os.path.exists(os.path.expanduser(f"~/{path}")) for path in entry.key_files)
    there = not entry.login or any(name in os.environ for name in named) or any(found)
    return () if there else (entry.login,)


def _some(words: Sequence[str]) -> str:
    """The first of some words, and how many there are more."""
    more = f" and {len(words) - MAX_SHOWN} more" if len(words) > MAX_SHOWN else ""
    return printable(", ".join(words[:MAX_SHOWN]), 300) + more

"""What `doctor` finds out about `wrap`: it starts a shell so, and each agent of this machine."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from execpolicy.commands.doctor_sandbox import Finding, outside
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.support.resources import python

RAN = "it-ran"
RULES = """\
sandbox(auto_allow = True)
prefix_rule(["uname"], "forbidden", justification = "it stands for all that is")
"""
PROBES = (
    ("a copy of a program does not run", f"cp /bin/echo copy; ./copy {RAN}"),
    ("nor by the loader", f"cp /bin/echo copy; for l in /lib*/ld-*; do $l ./copy {RAN}; done"),
    ("files outside are not written", f"(echo > {{file}}) && echo {RAN}"),
    (
        "no server of this machine is reached",
        f"(exec 3<>/dev/tcp/127.0.0.1/{{port}}) && echo {RAN}",
    ),
    ("what is forbidden does not run", f"uname; [ $? = {ExitCode.REFUSED:d} ] || echo {RAN}"),
    ("a command does not see what the agent has", f"ls /run/execpolicy && echo {RAN}"),
    ("a command runs", f'[ "$(env printf yes)" = yes ] || echo {RAN}'),
)
"""What a session promises, and a text of its shell that prints `RAN` if the promise is broken."""
SECONDS = 60.0
REPORT = "tell the maintainers of execpolicy"


def sessions() -> Iterator[Finding]:
    """Try a session of a shell, and whether each agent that is known starts in one."""
    from execpolicy.hosts.agents.entries import agent, names

    with tempfile.TemporaryDirectory() as nowhere:
        rules = os.path.join(nowhere, "probe.rules")
        with open(rules, "w") as file:
            file.write(RULES)
        yield from _walls(rules, nowhere)
        for program in (one for name in names() for one in agent(name).programs):
            if shutil.which(program) is not None:
                yield _starts(program, rules, nowhere)


def _walls(rules: str, cwd: str) -> Iterator[Finding]:
    text = "\n".join(f"( {text} ) 2>/dev/null; echo @@" for _, text in PROBES)
    with outside(cwd) as there:
        done = _wrapped(("bash", "-c", text.format(**there)), rules, cwd)
    shown = done.stdout.split("@@\n") if done is not None else []
    if done is None or len(shown) != len(PROBES) + 1:
        said = done.stderr.strip().splitlines()[-1:] if done is not None else []
        why = " ".join(said) or REPORT
        yield Finding(well=False, text="wrap: no session begins", remedy=why)
        return
    for (text, _), output in zip(PROBES, shown, strict=False):
        holds = RAN not in output
        yield Finding(holds, f"wrap: {text}", None if holds else REPORT)


def _starts(program: str, rules: str, cwd: str) -> Finding:
    """Whether the agent's own program begins in a session: it is asked for its version alone."""
    done = _wrapped((program, "--version"), rules, cwd)
    if done is not None and done.returncode == 0:
        return Finding(well=True, text=f"wrap: {program} starts: {done.stdout.strip()[:80]}")
    said = done.stderr.strip().splitlines()[-1:] if done is not None else ["it does not end"]
    return Finding(False, f"wrap: {program} does not start", " ".join(said) or REPORT)


def _wrapped(
    agent: tuple[str, ...], rules: str, cwd: str
) -> subprocess.CompletedProcess[str] | None:
    """Run an agent to its end; None where that takes too long."""
    wrap = (*python(), "execpolicy", "wrap", "-r", rules, "--", *agent)
    try:
        return subprocess.run(
            wrap,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return None

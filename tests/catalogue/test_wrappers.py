"""What wraps a command does not hide it: `wrappers.txt` has a line for each way to run `git push`."""

from pathlib import Path

import pytest

from execpolicy import Decision, Engine

LINES = Path(__file__).with_name("wrappers.txt").read_text().splitlines()
RULE = 'prefix_rule(["git", "push"], decision = "forbidden")\n'

# Those that stop asking where the command inside only reads: they add nothing of their own.
ADDS_NOTHING = {
    *"arch bash busybox builtin caffeinate catatonit catchsegv chronic chrt command coproc".split(),
    *"cpulimit cross-env cross-env-shell datefudge dbus-run-session docker-init".split(),
    *"dumb-init eatmydata env envuidgid exec f() faketime fakeroot fd fghack find fzf".split(),
    *"hyperfine i386 ifne inotifywait ionice linux64 ltrace mispipe multitime nice nohup".split(),
    *"numactl pee perf pgrphack prlimit py-spy retry rr s6-softlimit sandbox-exec script".split(),
    *"setarch setsid snooze softlimit stdbuf strace taskset time timelimit timeout tini".split(),
    *"toybox trickle unbuffer watch xargs xcrun xvfb-run zrun if ( ! { /usr/bin/time git".split(),
    *"procs; pv sar".split(),
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    rules = tmp_path_factory.mktemp("rules") / "push.rules"
    rules.write_text(RULE)
    return Engine.load(rules=[str(rules)])


def test_there_are_enough_of_them() -> None:
    assert len(LINES) == len(set(LINES)) > 600


@pytest.mark.parametrize("line", LINES)
def test_a_rule_sees_the_command_inside(engine: Engine, line: str) -> None:
    assert engine.check(line).decision is Decision.FORBIDDEN


@pytest.mark.parametrize("line", LINES)
def test_a_wrapper_keeps_its_own_effect(engine: Engine, line: str) -> None:
    reads = line.replace("/usr/bin/git push", "git push").replace("git push", "ls -l")
    if engine.check(reads).decision is Decision.ALLOW:
        words = reads.removeprefix("ls | ").lstrip("(\\ ").split()
        assert words[0] in ADDS_NOTHING | {"ls"}

"""What a command means after a snapshot is what bash makes of it, and the text of an agent around a
command changes nothing of what it does."""

import re
import subprocess
from pathlib import Path

import pytest

from execpolicy.hosts.shell_calls import shell_call
from execpolicy.wrap.session_snapshots import definitions, read_with
from tests import confined
from tests.hosts.shell_calls import calls
from tests.waiting import HANG_SECONDS

SNAPSHOT = r"""
unalias -a 2>/dev/null || true
one ()
{
    echo one "$@"
}
two ()
{
    one two "$@";
    three
}
eval $'three () \n{ \n    echo "it\'s three"\n}' > /dev/null 2>&1
four () { echo four; }
function five { echo five; }
shopt -s expand_aliases
alias -- a='echo a'
alias -- b='a b'
alias -- echo='echo -n'
alias -- c='echo c; echo d'
alias -- e='one alias'
alias -- f='five'
alias -- one='echo replaced'
alias -- g='f () { echo g; }; echo'
""".replace("()\n{\n", "() \n{ \n")  # as bash prints it
COMMANDS = (
    "one x",
    "two",
    "three; four && five",
    "a 1",
    "b 1",
    "c",
    "e",
    "f",
    "'a' 1",
    "\\a 1",
    '"one" x',
    "echo a; a 2",
    "x=$(a 3); printf '<%s>' \"$x\"",
    "(a 4)",
    "if a 5; then b 6; fi",
    "for i in a b; do a $i; done",
    "a | cat",
    "A=1 a 7",
    "! a 8",
    "printf 'a\\n' && a",
    "case a in a) a 9;; esac",
    "f; f",
    "printf one; one 1",
    "command one",
)


def run(text: str, tmp_path: Path) -> tuple[int, bytes]:
    words = [*confined.words(tmp_path), "bash", "-c", text]
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=HANG_SECONDS,
        env={"PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_means_what_bash_makes_of_it(command: str, tmp_path: Path) -> None:
    """bash reads the command with the snapshot, and the text that is decided about without it."""
    text = read_with(command, definitions(SNAPSHOT.encode()))
    assert text is not None
    (tmp_path / "snapshot").write_text(SNAPSHOT)
    quoted = "'" + command.replace("'", "'\"'\"'") + "'"
    assert run(text, tmp_path) == run(f"source ./snapshot && eval {quoted}", tmp_path)


TEXTS = (
    "echo a; false",
    "exit 7",
    "cat; echo end",
    "echo 'it'\"'\"'s' \"$HOME\" $0",
    "cat <<EOF\n$((1 + 1)) )\nEOF",
    "printf '%s\\n' {1..3} *",
    "cd / && pwd",
    "set -- x y; echo $# $1",
    "trap 'echo bye' EXIT; echo hi",
    "sleep 0.01 & wait; echo $?",
    "f() { return 3; }; f",
    "echo $(echo ')')",
    "echo a # )",
    "case x in x) echo in;; esac",
)


@pytest.mark.parametrize("command", TEXTS)
@pytest.mark.parametrize("host", ["claude", "gemini"])
def test_the_text_around_a_command_changes_nothing(host: str, command: str, tmp_path: Path) -> None:
    """But where a trap of the command's own takes the place of the agent's."""
    temporary = tmp_path / "tmp/gemini-shell-abcdef"
    temporary.mkdir(parents=True)
    base = calls.one(host, "ls")[-1].replace("/tmp/", f"{tmp_path}/tmp/")
    base = re.sub("gemini-shell-[A-Za-z0-9]{6}", "gemini-shell-abcdef", base)
    quoted = "'" + command.replace("'", "'\"'\"'") + "'"
    old, new = ("eval ls", f"eval {quoted}") if host == "claude" else ("\nls\n", f"\n{command}\n")
    text = base.replace(old, new)
    places = calls.places(host).replace(temporary=f"{tmp_path}/tmp")
    call = shell_call(host, ["/bin/bash", "-c", text], places)
    assert call is not None
    assert call.command == command
    assert run(text, tmp_path) == run(command, tmp_path)

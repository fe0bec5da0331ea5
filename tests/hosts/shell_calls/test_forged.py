"""Calls that look like an agent's and are not: none of them is known, so that each is judged whole.

Each row changes one recorded call in one place.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.hosts.shell_calls import calls

CLAUDE = calls.one("claude", "ls")
CODEX = next(r["argv"] for r in calls.recorded() if r["host"] == "codex" and r["role"] == "model")
GEMINI = calls.one("gemini", "ls")
SNAPSHOT = re.findall(r"source (\S+)", CLAUDE[-1])[0]
WROTE = re.findall(r">\| (\S+)", CLAUDE[-1])[0]
CODEX_SNAPSHOT = re.findall(r"if \. '(\S+)'", CODEX[-1])[0]
JOBS = re.findall(r"_file=(\S+)", GEMINI[-1])[0]
PATH_OF_CODEX = re.findall(r"export PATH='([^']+)'", CODEX[-1])[0]

CLAUDE_ROWS = {
    "a command before all": ("source ", "id; source "),
    "a command after all": (WROTE, f"{WROTE}; id"),
    "a command on a line after all": (WROTE, f"{WROTE}\nid"),
    "in the background": (WROTE, f"{WROTE} & id"),
    "a pipe after all": (WROTE, f"{WROTE} | sh"),
    "a comment after all": (WROTE, f"{WROTE} # x"),
    "a blank after all": (WROTE, f"{WROTE} "),
    "a line break before all": ("source ", "\nsource "),
    "a command among the pieces": (" && eval", " && id && eval"),
    "a command that may fail among them": ("true && eval", "true && id || true && eval"),
    "or in the place of and": ("true && eval", "true || eval"),
    "PATH is set": ("source ", "PATH=/home/u/p/bin && source "),
    "PATH is set for the snapshot": ("source ", "PATH=/home/u/p/bin source "),
    "PATH is exported": ("true && eval", "true && export PATH=/home/u/p:$PATH && eval"),
    "BASH_ENV is set for the command": ("eval ", "BASH_ENV=x eval "),
    "a function in the place of eval": ("true && eval", "true && eval() { id; } && eval"),
    "an alias of eval": ("true && eval", "true && alias eval=id && eval"),
    "eval in quotes": (" eval ", " 'eval' "),
    "eval by another name": (" eval ", " command eval "),
    "two arguments of eval": ("eval ls", "eval ls id"),
    "an option of eval": ("eval ls", "eval -- ls"),
    "a computed argument of eval": ("eval ls", 'eval "$X"'),
    "a substitution in it": ("eval ls", 'eval "$(id)"'),
    "backquotes in it": ("eval ls", "eval `id`"),
    "a pattern in it": ("eval ls", "eval l*"),
    "a brace in it": ("eval ls", "eval {ls,id}"),
    "a tilde in it": ("eval ls", "eval ~/x"),
    "a quote that ends early": ("eval ls", "eval 'ls'; id; 'x'"),
    "no command": ("eval ls < /dev/null && ", ""),
    "an empty command word": ("eval ls", "eval "),
    "another input": ("< /dev/null", "< /etc/passwd"),
    "an input that is fed": ("< /dev/null", "<<< id"),
    "two inputs": ("< /dev/null", "< /dev/null < /dev/null"),
    "an output of the command": ("< /dev/null", "> /home/u/.bashrc"),
    "a descriptor": ("< /dev/null", "7< /dev/null"),
    "the errors of the snapshot": ("2>/dev/null || true && ", "2>/home/u/x || true && "),
    "a snapshot of the project": (
        SNAPSHOT,
        "/home/u/p/.claude/shell-snapshots/snapshot-bash-1-a.sh",
    ),
    "a snapshot above": (SNAPSHOT, f"{calls.ROOT}/.claude/shell-snapshots/../snapshot-bash-1-a.sh"),
    "a snapshot below": (SNAPSHOT, f"{calls.ROOT}/.claude/shell-snapshots/x/snapshot-bash-1-a.sh"),
    "a snapshot of two slashes": (SNAPSHOT, SNAPSHOT.replace("/snapshot-", "//snapshot-")),
    "a snapshot by a dot": (SNAPSHOT, SNAPSHOT.replace("/snapshot-", "/./snapshot-")),
    "a snapshot of another shell": (SNAPSHOT, SNAPSHOT.replace("-bash-", "-zsh-")),
    "a snapshot of another name": (SNAPSHOT, SNAPSHOT.replace("snapshot-bash", "x")),
    "a snapshot that is relative": (SNAPSHOT, SNAPSHOT.rpartition("/")[2]),
    "a computed snapshot": (SNAPSHOT, "$HOME/.claude/shell-snapshots/snapshot-bash-1-a.sh"),
    "a snapshot with digits of elsewhere": (SNAPSHOT, re.sub(r"bash-\d+", "bash-١٢٣", SNAPSHOT)),
    "two snapshots": (SNAPSHOT, f"{SNAPSHOT} {SNAPSHOT}"),
    "another builtin reads it": ("source ", ". "),
    "it ends elsewhere": (WROTE, "/home/u/.bashrc"),
    "it ends in a directory of the project": (WROTE, "/home/u/p/claude-97c6-cwd"),
    "it ends below": (WROTE, "/tmp/x/claude-97c6-cwd"),
    "it ends above": (WROTE, "/tmp/../claude-97c6-cwd"),
    "it ends in a computed place": (WROTE, "/tmp/claude-$X-cwd"),
    "it ends in a place of other digits": (WROTE, "/tmp/claude-ｆｆｆｆ-cwd"),
    "it appends": (">| /tmp", ">> /tmp"),
    "another directory is written": ("pwd -P", "pwd"),
    "something else is written": ("pwd -P", "env"),
    "another option": ("shopt -u extglob", "shopt -s extglob"),
    "another option of the shell": ("shopt -u extglob", "set -o posix"),
    "something else is forgotten": ("-- 'unsetenv'", "-- 'cd'"),
    "a function is forgotten only": ("unalias -- 'unsetenv'", "true -- 'unsetenv'"),
    "letters of elsewhere": ("source ", "sоurce "),
    "a character that is not seen": ("eval ls", "eval\u200b ls"),
    "a blank that does not break": (" && eval", "\u00a0&& eval"),
    "a carriage return": (" && pwd", "\r && pwd"),
    "a continued line": (" && pwd", " \\\n&& pwd"),
    "a NUL": ("eval ls", "eval l\0s"),
    "a long text": (WROTE, f"{WROTE}{' ' * 70_000}"),
    "very deep": (WROTE, f"{WROTE} && {'( ' * 3000}id{' )' * 3000}"),
}
CODEX_ROWS = {
    "a command before all": (
        "__CODEX_SNAPSHOT_OVERRIDE_SET_0=",
        "id\n__CODEX_SNAPSHOT_OVERRIDE_SET_0=",
    ),
    "a command after all": ("\n\nexec ", "\n\nid\nexec "),
    "a command behind the last": (CODEX[-1][-8:], f"{CODEX[-1][-8:]}; id"),
    "a kept variable is computed": ('"${CODEX_SESSION_ID-}"', '"$(id)"'),
    "a kept variable has a default": ("${CODEX_SESSION_ID-}", "${CODEX_SESSION_ID-x}"),
    "a kept variable is another": ("${CODEX_SESSION_ID-}", "${PATH-}"),
    "PATH is set among them": ("\nif . ", "\nPATH=/home/u/p/bin\nif . "),
    "PATH begins in the project": (PATH_OF_CODEX, "/home/u/p/bin"),
    "PATH begins above": (PATH_OF_CODEX, f"{calls.HOSTS}/node_modules/../x"),
    "PATH begins beside": (PATH_OF_CODEX, f"{calls.HOSTS}/node_modules-x/bin"),
    "two directories": (f"'{PATH_OF_CODEX}':", f"'{PATH_OF_CODEX}':/home/u/p:"),
    "PATH is forgotten": (':"$PATH"', ""),
    "a snapshot of the project": (CODEX_SNAPSHOT, f"/home/u/p/{CODEX_SNAPSHOT.rpartition('/')[2]}"),
    "a snapshot of another name": (CODEX_SNAPSHOT, f"{calls.ROOT}/.codex/shell_snapshots/x.sh"),
    "a snapshot above": (CODEX_SNAPSHOT, CODEX_SNAPSHOT.replace("snapshots/", "snapshots/../")),
    "a snapshot of another session's name": (CODEX_SNAPSHOT, CODEX_SNAPSHOT.replace(".sh", ".tmp")),
    "the snapshot runs something": ("then :; fi", "then id; fi"),
    "another shell at the end": ("exec '/bin/bash'", "exec '/home/u/p/bash'"),
    "no exec at the end": ("exec '/bin/bash'", "'/bin/bash'"),
    "another option at the end": (" -c '", " -lc '"),
    "a computed command": (" -c '", ' -c "$(id)"\''),
    "an argument at the end": (CODEX[-1][-8:], f"{CODEX[-1][-8:]} x"),
    "a redirection at the end": (CODEX[-1][-8:], f"{CODEX[-1][-8:]} > /home/u/.bashrc"),
    "one export is another": ("then export ws_proxy=", "then export LD_PRELOAD="),
    "one is not put back": ("builtin unset ws_proxy", "builtin unset PATH"),
    "a variable is left out": ('__CODEX_SNAPSHOT_OVERRIDE_1="${CODEX_PERMISSION_PROFILE-}"\n', ""),
}
GEMINI_ROWS = {
    "a command before all": ("shopt ", "id; shopt "),
    "a command after all": ("exit $__code", "exit $__code; id"),
    "a command after the subshell": (")\n__code", ")\nid\n__code"),
    "the subshell ends early": ("\nls\n", "\nls\n)\nid\n(\n:\n"),
    "the subshell ends early, in a line": ("\nls\n", "\nls ); id; ( :\n"),
    "an open quote": ("\nls\n", "\nls '\n"),
    "an open heredoc": ("\nls\n", "\ncat <<E\n"),
    "a heredoc that ends after": ("\nls\n", "\ncat <<')'\n"),
    "a line that goes on": ("\nls\n", "\nls \\\n"),
    "an open group": ("\nls\n", "\n{ ls\n"),
    "an open substitution": ("\nls\n", "\nls $(id\n"),
    "an open test": ("\nls\n", "\nif true; then ls\n"),
    "a case that closes": ("\nls\n", "\ncase x in x\n"),
    "a pipe that goes on": ("\nls\n", "\nls |\n"),
    "an open list": ("\nls\n", "\nls &&\n"),
    "no command": ("\nls\n", "\n"),
    "the trap does more": ("'jobs -p", "'id; jobs -p"),
    "another signal": (" EXIT", " DEBUG"),
    "another file": (JOBS, "/home/u/.bashrc"),
    "a file above": (JOBS, "/tmp/gemini-shell-abcdef/../x"),
    "a file below": (JOBS, "/tmp/x/gemini-shell-abcdef/bgpids.tmp"),
    "a computed file": (JOBS, "$HOME/bgpids.tmp"),
    "a file of another /tmp": (JOBS, "/home/u/tmp/gemini-shell-abcdef/bgpids.tmp"),
    "PATH is set": ("; _bgpids_file", "; PATH=/home/u/p; _bgpids_file"),
    "PATH is set beside": ("\n(\n", " PATH=/home/u/p\n(\n"),
    "another option": ("shopt -u", "shopt -s"),
    "another code": ("exit $__code", "exit 0"),
    "in a group": ("\n(\n", "\n{\n"),
}
WRITER = next(
    r["argv"]
    for r in calls.recorded()
    if r["version"] == "2.1.332" and "# Functions" in r["argv"][-1]
)
MADE = re.findall(r"SNAPSHOT_FILE=(\S+)", WRITER[-1])[0]
OF_CLAUDE = re.findall(r"-x (\S+/claude\.exe)", WRITER[-1])[0]
LOCAL = re.findall(r"-x (\S+/\.local/bin/claude)", WRITER[-1])[0]
END = re.findall(r"CLAUDE_CODE_END_\w+", WRITER[-1])[0]
WRITER_ROWS = {
    "a command before all": ("SNAPSHOT_FILE", "id; SNAPSHOT_FILE"),
    "a command after all": ("exit 1\n      fi\n", "exit 1\n      fi\n id\n"),
    "a command among them": ('echo "# Aliases"', 'id; echo "# Aliases"'),
    "another start file": ("/.bashrc", "/p/.bashrc"),
    "a start file of the project": (f"{calls.ROOT}/.bashrc", f"{calls.ROOT}/p/.bashrc"),
    "a start file of another name": ("/.bashrc", "/.evil"),
    "a snapshot of the project": (MADE, f"{calls.ROOT}/p/snapshot-bash-1-a.sh"),
    "a snapshot above": (MADE, MADE.replace("/snapshot-", "/../snapshot-")),
    "a snapshot and a command": (MADE, f"{MADE};id"),
    "a computed snapshot": (MADE, "$HOME/.claude/shell-snapshots/snapshot-bash-1-a.sh"),
    "a program of the project": (OF_CLAUDE, f"{calls.ROOT}/p/claude"),
    "a program above": (OF_CLAUDE, f"{calls.HOSTS}/node_modules/../claude"),
    "one program of two": (f"exec -a rg {OF_CLAUDE}", "exec -a rg /tmp/x"),
    "a local program of the project": (LOCAL, f"{calls.ROOT}/p/claude"),
    "a program with arguments": (OF_CLAUDE, f"{OF_CLAUDE} x"),
    "the end comes early": (f"'{END}'", "'fi'"),
    "the end is another": (f"\n{END}\n", "\nEND\n"),
    "the end is not quoted": (f"'{END}'", END),
    "PATH is computed": ("export PATH=/", "export PATH=$(id):/"),
    "PATH and a command": ("export PATH=/usr", "export PATH=/x;id;/usr"),
    "a function more": ("function find {", "function git {\n  id\n}\nfunction find {"),
    "a function does more": ("function find {", "function find {\n  id"),
    "an alias more": ("shopt -s expand_aliases", "alias git=id; shopt -s expand_aliases"),
}
WRITER_ROWS |= {
    "a mark of what differs": (OF_CLAUDE, "@claude@"),
}
ROWS = [
    (host, argv, name, old, new)
    for host, argv, rows in (
        ("claude", CLAUDE, CLAUDE_ROWS),
        ("codex", CODEX, CODEX_ROWS),
        ("gemini", GEMINI, GEMINI_ROWS),
        ("claude", WRITER, WRITER_ROWS),
    )
    for name, (old, new) in rows.items()
]


def test_one_program_of_both_names_is_known() -> None:
    """As the agent's own installer puts it in place."""
    argv = [*WRITER[:-1], WRITER[-1].replace(OF_CLAUDE, LOCAL)]
    assert calls.read("claude", argv) is not None


@pytest.mark.parametrize(
    ("host", "argv", "name", "old", "new"), ROWS, ids=[f"{r[0]}: {r[2]}" for r in ROWS]
)
def test_a_forged_call_is_not_known(
    host: str, argv: list[str], name: str, old: str, new: str
) -> None:
    assert calls.read(host, argv) is not None
    assert old in argv[-1], name
    everywhere = old == PATH_OF_CODEX or (argv is WRITER and "one " not in name)
    changed = argv[-1].replace(old, new, -1 if everywhere else 1)
    assert changed != argv[-1]
    assert calls.read(host, [*argv[:-1], changed]) is None


ARGVS = {
    "no text": ["/bin/bash", "-c"],
    "nothing": [],
    "a program": ["/bin/ls", "-c", "ls"],
    "a shell by another name": ["/bin/bash2", "-c", "ls"],
    "options in another order": ["/bin/bash", "--noprofile", "--norc", "-c", "ls"],
    "an option more": ["/bin/bash", "--norc", "--noprofile", "-x", "-c", "ls"],
    "a file that is read first": ["/bin/bash", "--rcfile", "x", "-c", "ls"],
    "arguments behind": ["/bin/bash", "--norc", "--noprofile", "-c", "ls", "x"],
    "interactive": ["/bin/bash", "-i", "-c", "ls"],
    "from standard input": ["/bin/bash", "-s", "ls"],
    "two options in one": ["/bin/bash", "-ic", "ls"],
}


@pytest.mark.parametrize("name", ARGVS)
def test_words_that_no_agent_gives_a_shell_are_not_known(name: str) -> None:
    for host in ("copilot", "claude", "gemini"):
        assert calls.read(host, ARGVS[name]) is None


def test_an_agent_that_is_not_known_has_no_form() -> None:
    assert calls.read("other", ["/bin/bash", "-c", "ls"]) is None


def test_a_call_of_one_agent_is_not_known_for_another() -> None:
    for host, argv in (
        ("gemini", CLAUDE),
        ("claude", GEMINI),
        ("claude", CODEX),
        ("codex", CLAUDE),
    ):
        assert calls.read(host, argv) is None


def test_without_directories_nothing_that_names_one_is_known() -> None:
    from execpolicy.hosts.shell_calls import HostDirectories, shell_call

    for host, argv in (("claude", CLAUDE), ("codex", CODEX), ("gemini", GEMINI)):
        assert shell_call(host, argv, HostDirectories("", "", "")) is None


TEXTS = st.text(
    st.sampled_from("ab '\"\\$`(){}[]<>|&;#*?!~\n\t=-/.é\u200b") | st.characters(codec="utf-8"),
    min_size=1,
    max_size=40,
).filter(lambda text: "\0" not in text)


@given(TEXTS)
@examples(400)
def test_any_command_that_claude_quotes_is_read_as_it_is(command: str) -> None:
    """By the quoting of its own, whatever the command is; the text is all that differs."""
    written = "'" + command.replace("'", "'\"'\"'") + "'"
    argv = [*CLAUDE[:-1], CLAUDE[-1].replace("eval ls", f"eval {written}")]
    call = calls.read("claude", argv)
    assert call is not None
    assert call.command == command


@given(TEXTS)
@examples(60)
def test_any_command_that_codex_quotes_is_read_as_it_is(command: str) -> None:
    before = CODEX[-1].rpartition(" -c '")[0]
    written = "'" + command.replace("'", "'\"'\"'") + "'"
    call = calls.read("codex", [*CODEX[:-1], f"{before} -c {written}"])
    assert call is not None
    assert call.command == command


@given(st.data())
@examples(400)
def test_what_is_put_between_changes_a_name_at_most(data: st.DataObject) -> None:
    """A text that stays known after something was put into it has it in its command or a name."""
    host, argv = data.draw(st.sampled_from((("claude", CLAUDE), ("gemini", GEMINI))))
    before = calls.read(host, argv)
    assert before is not None
    at = data.draw(st.integers(0, len(argv[-1])))
    put = data.draw(
        TEXTS | st.sampled_from(("; id", "\nid\n", " && id", "`id`", "$(id)", " PATH=x"))
    )
    changed = argv[-1][:at] + put + argv[-1][at:]
    call = calls.read(host, [*argv[:-1], changed])
    if call is not None:
        holes = (call.command, call.snapshot, *call.writes)
        old = (before.command, before.snapshot, *before.writes)
        grown = [len(new) - len(was) for new, was in zip(holes, old, strict=True)]
        assert call.command != before.command or sum(grown) == len(put)

"""What the supervisor does with a shell call, by agent, words, directory and environment."""

from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.hosts.agents.entries import agent
from execpolicy.model.operation import Request
from execpolicy.sandbox.api import Sandbox
from execpolicy.support.record import Value
from execpolicy.support.resources import presets_directory
from execpolicy.wrap.session_snapshots import SessionSnapshots
from execpolicy.wrap.shell_decision import (
    ShellAction,
    ShellRequest,
    WrappedAgent,
    action,
    requested,
    set_by,
)
from tests.hosts.shell_calls import calls

RULES = """
prefix_rule(["terraform", "destroy"], "forbidden")
network_rule("registry.example.org", "https", "allow")
"""
CLAUDE = calls.one("claude", "ls")
CODEX = next(
    r["argv"] for r in reversed(calls.recorded()) if r["host"] == "codex" and r["role"] == "model"
)
GEMINI = calls.one("gemini", "ls")
COPILOT = calls.one("copilot", "ls")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    rules = tmp_path_factory.mktemp("rules") / "a.rules"
    rules.write_text(RULES)
    return Engine.load(rules=[Path(presets_directory()) / "developer.rules", rules])


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "project/.git").mkdir(parents=True)
    return str(tmp_path / "project")


class Snapshots:
    """Files of snapshots by their path, which a test may change."""

    def __init__(self, root: str) -> None:
        self.texts: dict[str, bytes] = {}
        self.known = SessionSnapshots(self.texts.get, f"{root}-snapshots")

    def wrote(self, host: str, argv: list[str], text: str = "# nothing\n") -> "Snapshots":
        """The start of the agent has written the snapshot that this call reads."""
        call = calls.read(host, argv)
        assert call is not None
        self.texts[call.snapshot] = text.encode()
        self.known.wrote(call.snapshot)
        return self


def call_of(host: str, command: str) -> list[str]:
    """A call of an agent for a command, as its own program writes it."""
    quoted = "'" + command.replace("'", "'\"'\"'") + "'"
    if host == "claude":
        return [*CLAUDE[:-1], CLAUDE[-1].replace("eval ls", f"eval {quoted}")]
    if host == "codex":
        return [*CODEX[:-1], f"{CODEX[-1].rpartition(' -c ')[0]} -c {quoted}"]
    if host == "gemini":
        return [*GEMINI[:-1], GEMINI[-1].replace("\nls\n", f"\n{command}\n")]
    if host == "copilot":
        return [*COPILOT[:-1], command]
    return ["/bin/bash", "-c", command]


class Tried(Value):
    """What is decided about, with what comes of it and why."""

    asked: ShellRequest
    action: ShellAction
    reason: str
    environment: dict[str, str]

    @property
    def request(self) -> Request:
        return self.asked.request


def tried(
    engine: Engine,
    root: str,
    host: str,
    argv: list[str],
    snapshots: Snapshots | None = None,
    **environment: str,
) -> Tried:
    known = (snapshots or Snapshots(root)).known
    wrapped = WrappedAgent(agent(host), calls.places(host), known, root)
    asked = requested(wrapped, (*argv,), root)
    attempt = Sandbox(engine).requested(asked.request)
    secret = engine.snapshot.variables.secret
    has = {**environment, **set_by(asked, environment, secret)}
    return Tried(asked, action(attempt, asked.own), attempt.ruling.reason, has)


RUN, PENDING, REFUSE = ShellAction
COMMANDS = {
    "ls": RUN,
    "git status --short | head -5": RUN,
    "python3 -c 'print(1)'": RUN,
    "make test > log.txt 2>&1": RUN,
    "cat <<EOF\na 'b' $HOME\nEOF": RUN,
    "git push": PENDING,
    "cat ~/.ssh/id_ed25519": PENDING,
    "echo x > ~/.bashrc": PENDING,
    "npm publish": PENDING,
    "ls; git push": PENDING,
    'eval "$X"': PENDING,
    "terraform destroy": REFUSE,
    "ls && terraform destroy -auto-approve": REFUSE,
}
HOSTS = ("claude", "codex", "gemini", "opencode", "copilot", "qwen")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("host", HOSTS)
def test_the_models_command_is_what_is_decided_about(
    host: str, command: str, engine: Engine, root: str
) -> None:
    argv = call_of(host, command)
    snapshots = Snapshots(root)
    if host in ("claude", "codex"):
        snapshots.wrote(host, argv)
    made = tried(engine, root, host, argv, snapshots)
    assert made.request.text == command
    assert made.action is COMMANDS[command], made.reason


def test_a_form_that_is_not_known_is_judged_whole(engine: Engine, root: str) -> None:
    argv = [*CLAUDE[:-1], CLAUDE[-1] + "; id"]
    made = tried(engine, root, "claude", argv, Snapshots(root).wrote("claude", CLAUDE))
    assert (made.request.argv, made.request.text, made.asked.call) == ((*argv,), None, None)
    assert made.action is PENDING


def test_without_the_snapshot_of_this_session_it_is_judged_whole(engine: Engine, root: str) -> None:
    for host, argv in (("claude", CLAUDE), ("codex", CODEX)):
        made = tried(engine, root, host, argv)
        assert made.request.argv == (*argv,)
        assert made.action is PENDING


def test_a_snapshot_that_was_exchanged_is_none(engine: Engine, root: str) -> None:
    snapshots = Snapshots(root).wrote("claude", CLAUDE)
    assert tried(engine, root, "claude", CLAUDE, snapshots).action is RUN
    (path,) = snapshots.texts
    kept = snapshots.texts[path]
    for changed in (b"# nothing\nls() { id; }\n", b"", b"# nothing", b"# Nothing\n"):
        snapshots.texts[path] = changed
        assert tried(engine, root, "claude", CLAUDE, snapshots).action is PENDING, changed
        snapshots.known.wrote(path)  # a later start of the agent's changes nothing
        assert tried(engine, root, "claude", CLAUDE, snapshots).action is PENDING, changed
    del snapshots.texts[path]
    assert tried(engine, root, "claude", CLAUDE, snapshots).action is PENDING
    snapshots.texts[path] = kept
    assert tried(engine, root, "claude", CLAUDE, snapshots).action is RUN


SNAPSHOTS = {
    "a function": ("ls () \n{ \n    git push\n}", "ls", PENDING),
    "one that is not called": ("foo () \n{ \n    git push\n}", "ls", RUN),
    "one that another calls": ("a () { b; }\nb () { git push; }", "a", PENDING),
    "one by the word": ("function a { git push; }", "a", PENDING),
    "one in an eval": ("eval $'a () \\n{ \\n    git push\\n}' > /dev/null 2>&1", "a", PENDING),
    "one in base64": (
        "eval \"$(echo 'YSAoKSB7IGdpdCBwdXNoOyB9' | base64 -d)\" > /dev/null 2>&1",
        "a",
        PENDING,
    ),
    "what base64 is not": (
        "eval \"$(echo 'YSAoKSB7IGdpdCBwdXNoOyB9' | base64 -d | sh)\" > /dev/null 2>&1",
        "ls",
        PENDING,
    ),
    "nothing in base64": ("eval \"$(echo 'bHM=' | base64 -d)\" > /dev/null 2>&1", "ls", RUN),
    "one that is called in a substitution": ("a () { git push; }", "echo $(a)", PENDING),
    "one that is called at the end of a pipe": ("a () { git push; }", "ls | a", PENDING),
    "one that allows": ("a () { ls; }", "a", RUN),
    "an alias": ("alias -- a='git push'", "a", PENDING),
    "an alias of options": ("alias -- ll='ls -l'", "ll", RUN),
    "an alias of itself": ("alias -- ls='ls --color=auto'", "ls", RUN),
    "an alias of an alias": ("alias -- a='b -x'\nalias -- b='git push'", "a", PENDING),
    "an alias of a list": ("alias -- a='ls; git push'", "a", PENDING),
    "an alias that goes on": ("alias -- n='nice '\nalias -- a='git push'", "n a", PENDING),
    "a computed alias": ('alias -- a="$X"', "ls", PENDING),
    "aliases without end": (
        "".join(f"alias -- a{n}='a{n + 1}; a{n + 1}; a{n + 1}'\n" for n in range(40)),
        "a0",
        PENDING,
    ),
    "an alias in quotes": ("alias -- ls='git push'", "'ls'", RUN),
    "an alias of a second word": ("alias -- push='x'", "echo push", RUN),
    "an alias of a function": ("alias -- a=b\nb () { git push; }", "a", PENDING),
    "one that is not understood": ("a () \n{ \n    ${x@P}\n}\nb () \n{ \n    ls\n}", "ls", RUN),
    "and is called": ("a () \n{ \n    ${x@P}\n}\nb () \n{ \n    ls\n}", "a", PENDING),
    "many": ("".join(f"f{n} () \n{{ \n    ls\n}}\n" for n in range(5000)), "f4999", RUN),
    "many, and the last": (
        "".join(f"f{n} () \n{{ \n    ls\n}}\n" for n in range(5000)) + "g () \n{ \n    git push\n}",
        "g",
        PENDING,
    ),
    "one without an end": ("a () \n{ \n    git push", "a", PENDING),
    "one without an end, and an alias": ("a () \n{ \n    ls\nalias ls='git push'", "ls", PENDING),
    "one and the command behind it": ("a () \n{ \n    ls\n}\nalias ls='git push'", "ls", PENDING),
    "not to be understood": ("a () {", "ls", PENDING),
    "a computed function": ('eval "$X"', "ls", PENDING),
    "a computed variable": ("export PATH=$X:/bin", "ls", PENDING),
    "an exported function": ("a () { id; }\nexport -f a", "ls", PENDING),
    "no UTF-8": ("\udcff", "ls", PENDING),
}


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_functions_and_aliases_take_part(name: str, engine: Engine, root: str) -> None:
    text, command, action = SNAPSHOTS[name]
    argv = call_of("claude", command)
    snapshots = Snapshots(root)
    call = calls.read("claude", argv)
    assert call is not None
    snapshots.texts[call.snapshot] = text.encode("utf-8", "surrogateescape")
    snapshots.known.wrote(call.snapshot)
    made = tried(engine, root, "claude", argv, snapshots)
    assert made.action is action, (made.reason, made.request.text)


def test_a_function_in_the_place_of_its_program_is_the_agents(engine: Engine, root: str) -> None:
    """Claude Code's own `grep` runs its own program: it counts as `grep`."""
    for name, wanted in (("grep", RUN), ("ls", PENDING)):
        argv = call_of("claude", f"{name} x")
        text = f'function {name} {{\n  (exec -a {name} /opt/claude ${{1+"$@"}})\n}}\n'
        snapshots = Snapshots(f"{root}-{name}").wrote("claude", argv, text)
        assert tried(engine, root, "claude", argv, snapshots).action is wanted, name


def test_functions_do_not_reach_another_shell(engine: Engine, root: str) -> None:
    """Codex executes a new shell for the command, which has the variables alone."""
    argv = call_of("codex", "ls")
    text = "ls () { git push; }\nalias ls='git push'\ndeclare -x EDITOR=\"vim\"\n"
    made = tried(engine, root, "codex", argv, Snapshots(root).wrote("codex", argv, text))
    assert made.action is RUN
    assert made.environment["EDITOR"] == "vim"


def test_what_codex_puts_before_path_is_there(engine: Engine, root: str) -> None:
    argv = call_of("codex", "ls")
    text = 'declare -x PATH="/usr/local/bin:/usr/bin"\ndeclare -x GH_TOKEN="t"\n'
    made = tried(engine, root, "codex", argv, Snapshots(root).wrote("codex", argv, text), PATH="/x")
    has = made.environment
    assert has["PATH"].split(":")[1:] == ["/usr/local/bin", "/usr/bin"]
    assert has["PATH"].startswith(f"{calls.HOSTS}/node_modules/")
    assert "GH_TOKEN" not in has


OWN = {
    ("claude", "env"): RUN,
    ("claude", "env -0"): PENDING,
    ("claude", "env | cat"): PENDING,
    ("claude", "env > /tmp/x"): PENDING,
    ("claude", "X=1 env"): PENDING,
    ("claude", "env; id"): PENDING,
    ("qwen", "env"): PENDING,
    ("qwen", "command -v rg"): RUN,
}


@pytest.mark.parametrize(("host", "command"), OWN)
def test_what_an_agent_starts_by_itself(
    host: str, command: str, engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_TOKEN", "x")
    made = tried(engine, root, host, ["/bin/sh", "-c", command])
    assert made.action is OWN[host, command], made.reason


def test_own_texts_at_the_start_run(engine: Engine, root: str) -> None:
    for row in calls.recorded():
        if row["role"] == "own":
            made = tried(engine, root, row["host"], row["argv"])
            assert made.action is RUN, row["argv"]


def test_nothing_of_its_own_passes_what_is_forbidden(root: str, tmp_path: Path) -> None:
    rules = tmp_path / "a.rules"
    rules.write_text('prefix_rule(["env"], "forbidden")')
    made = tried(Engine.load(rules=[rules]), root, "claude", ["/bin/bash", "-c", "env"])
    assert made.action is REFUSE


PROGRAMS = {
    ("/usr/bin/git", "status"): RUN,
    ("/usr/bin/git", "push"): PENDING,
    ("/usr/bin/terraform", "destroy"): REFUSE,
    ("/bin/bash",): RUN,
    ("/bin/bash", "script.sh"): RUN,
    ("bash", "-c", "git push"): PENDING,
}


@pytest.mark.parametrize("argv", PROGRAMS, ids=" ".join)
def test_any_other_program_is_judged_by_its_words(
    argv: tuple[str, ...], engine: Engine, root: str
) -> None:
    made = tried(engine, root, "claude", [*argv])
    assert made.action is PROGRAMS[argv], made.reason

"""Commands in a real sandbox: what they can do, and what is left of them."""

import asyncio
import os
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import execpolicy
from execpolicy.sandbox import Result, Sandbox
from execpolicy.sandbox.backends.start import prepared
from execpolicy.sandbox.scan import links
from execpolicy.sandbox.scan.survey import stages, traversal
from tests.sandbox.test_run import ROOT, command, running
from tests.waiting import until

INSIDE = [
    ("echo x > new && cat new", 0, "x\n", "the project is written"),
    ("echo x > ../outside", 1, "", "nothing beside it is"),
    ("echo x > .git/config", 1, "", "nor what decides what git runs"),
    ("mv .git other", 1, "", "which cannot be moved away"),
    ("cat < /dev/null > /tmp/x && ls /tmp/x", 0, "/tmp/x\n", "the temporary directory is its own"),
    ("ls /run", 0, "", "so are the sockets of services"),
    ("touch /dev/x 2>/dev/null || echo no", 0, "no\n", "devices cannot be added"),
    ("exit 7", 7, "", "the exit code is the command's own"),
    ("kill -9 $$", 137, "", "a signal counts as a shell counts it"),
    ("ulimit -c unlimited 2>/dev/null || echo no", 0, "no\n", "no core dump"),
    (
        "readlink /proc/1/fd/* | grep -v ^/memfd: | grep -c ^/; true",
        0,
        "0\n",
        "no file of the machine is open",
    ),
    (
        "find -L /proc/1/fd -mindepth 1 -maxdepth 1 -type d | wc -l",
        0,
        "0\n",
        "no directory of the machine is open",
    ),
    ("grep CapEff /proc/self/status", 0, "CapEff:\t0000000000000000\n", "no capabilities"),
    ("grep Seccomp: /proc/1/status", 0, "Seccomp:\t2\n", "the first process is filtered too"),
    ("tr '\\0' '\\n' < /proc/1/environ | grep TOKEN", 1, "", "nothing holds a secret"),
    ("(exec 3<>/dev/tcp/127.0.0.1/$PORT) 2>/dev/null || echo no", 0, "no\n", "no host is reached"),
    ("cat", 0, "the input", "standard input"),
    ("test -t 0 || echo no", 0, "no\n", "no terminal where none was given"),
    ("for f in /proc/self/fd/*; do echo ${f##*/}; done | wc -l", 0, "4\n", "no open files"),
]


def sandbox(project: Path, **more: str) -> Sandbox:
    engine = execpolicy.Engine.load(rules=[project.parent / "a.rules"], cwd=project)
    environment = {**os.environ, "GITHUB_TOKEN": "S3CRET", **more}
    return Sandbox(engine, environment=environment)


def execute(project: Path, text: str, stdin: bytes = b"the input") -> Result:
    return sandbox(project).execute(text, cwd=str(project), stdin=stdin)


@pytest.mark.parametrize(("text", "code", "output", "what"), INSIDE, ids=[c[3] for c in INSIDE])
def test_inside(project: Path, text: str, code: int, output: str, what: str) -> None:
    result = execute(project, text)
    assert (result.code, result.stdout.decode()) == (code, output), result.stderr


def test_nothing_is_left_in_the_project(project: Path) -> None:
    execute(project, "true")
    told = subprocess.run(["git", "status", "--porcelain", "--ignored"], cwd=project, check=True,
                          capture_output=True)  # fmt: skip
    assert told.stdout == b""
    assert sorted(os.listdir(project)) == [".git", "a.txt"]


PLANTS = [
    ("echo x > .envrc", ".envrc"),
    ("mkdir -p sub/.git/hooks && echo x > sub/.git/hooks/post-checkout", "sub/.git"),
    ("mkdir -p .codex && echo x > .codex/config.toml", ".codex"),
    ("mkdir mine && echo x > mine/config.toml && ln -s mine .codex", ".codex"),
    ("mkdir s && cd s && mkdir -p .execpolicy/rules && touch .execpolicy/rules/a", "s/.execpolicy"),
    ("git init -q n && git -C n config core.fsmonitor ./x", "n/.git"),
    ("git init -q n && echo '[core] fsmonitor = \"./x\" #]' >> n/.git/config", "n/.git"),
    ("git init -q n && echo x > n/.git/hooks/pre-commit", "n/.git"),
    ("git init -q --bare n && git -C n config core.fsmonitor ./x", "n/HEAD"),
    ("mkdir -p n/.git/{config,objects,refs} && touch n/.git/HEAD", "n/.git"),
    ("git init -q n && mkdir n/.git/rebase-merge", "n/.git"),
    ("git init -q n && mkdir n/.git/sequencer", "n/.git"),
    ("git init -q n && echo /x > n/.git/objects/info/alternates", "n/.git"),
    ("mkdir objects refs && echo x > HEAD && git config -f config core.fsmonitor ./x", "HEAD"),
    ("mkdir s && cd s && echo x > HEAD && echo ../y > commondir && echo > a", "s/HEAD"),
    ("mkdir a && echo x > a/b && mv a .husky", ".husky"),
    ("ln -s $PWD/.git/hooks x", "x"),
    ("echo x > .ENVRC", ".ENVRC"),
    ("ln a.txt .envrc", ".envrc"),
    ("mkdir d && echo x > d/.envrc && chmod 000 d", "d/.envrc"),
    ("mkdir -p d/e && echo x > d/e/.envrc && chmod 111 d d/e", "d/e/.envrc"),
    ("mkdir d && echo x > d/.envrc && chmod 555 d", "d/.envrc"),
    ("mkdir .vscode && echo x > .vscode/tasks.json && chmod 555 .vscode", ".vscode/tasks.json"),
]


@pytest.mark.parametrize(("text", "plant"), PLANTS)
def test_what_appears_under_a_protected_name_is_moved(project: Path, text: str, plant: str) -> None:
    result = execute(project, text)
    assert not os.path.lexists(project / plant)
    assert [moved.path for moved in result.moved] == [str(project / plant)]
    assert os.path.lexists(result.moved[0].to)


def test_a_directory_that_is_made_before_the_watch_stands_is_watched(project: Path) -> None:
    text = "mkdir -p s/t; sleep 0.5; touch s/t/.envrc; sleep 0.5; ls -A s/t"
    result = execute(project, text)
    assert (result.stdout, len(result.moved)) == (b"", 1)


def test_what_was_there_stays_where_the_rest_of_a_git_directory_is_made(project: Path) -> None:
    (project / "src/objects").mkdir(parents=True)
    (project / "src/HEAD").write_text("ref: refs/heads/m")
    result = execute(project, "mkdir src/refs && git config -f src/config core.fsmonitor ./x")
    assert [moved.path for moved in result.moved] == [f"{project}/src/refs"]


def test_a_bare_repository_at_the_root_keeps_what_steers_git(project: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(project)], check=True)
    text = "echo x > refs/x; echo x >> config; echo x > hooks/pre-commit; echo x > config.worktree"
    result = execute(project, text)
    assert [moved.path for moved in result.moved] == [f"{project}/config.worktree"]
    assert (project / "refs/x").exists()
    assert not (project / "hooks/pre-commit").exists()


def test_the_modes_of_directories_stay_as_the_command_left_them(project: Path) -> None:
    execute(project, "mkdir a b && touch a/.envrc && chmod 000 a && chmod 555 b")
    assert [stat.S_IMODE((project / name).stat().st_mode) for name in "ab"] == [0, 0o555]


DEEPER = "n=$(printf n%.0s $(seq 200)); for i in $(seq 30); do mkdir $n && cd $n; done; : > .envrc"


def test_what_is_deeper_than_a_path_may_be_is_moved_as_a_whole(project: Path) -> None:
    result = execute(project, DEEPER)
    assert len(result.moved) == 1, result.stderr
    assert not any(".envrc" in names for _, _, names, _ in os.fwalk(project))


def test_a_flood_of_files_hides_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traversal, "MAX_ENTRIES", 50)
    text = "mkdir a z; for i in $(seq 100); do : > a/$i; : > z/$i; done; : > a/.envrc; : > z/.envrc"
    result = execute(project, text)
    assert {moved.path for moved in result.moved} == {f"{project}/{d}/.envrc" for d in "az"}


@pytest.mark.parametrize(("names", "source"), [(1000, b"source"), (0, b"")])
def test_a_flood_of_files_shows_no_key(
    project: Path, monkeypatch: pytest.MonkeyPatch, names: int, source: bytes
) -> None:
    """What the walk did not come to is read without its keys; it is not there where the names are
    too many."""
    home = project.parent / "home"
    (home / ".ssh").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (home / ".ssh/id_rsa").write_text("S3CRET")
    (project / "sub/deeper").mkdir(parents=True)
    (project / "sub/deeper/.env").write_text("S3CRET")
    (project / "sub/source").write_text("source")
    os.link(home / ".ssh/id_rsa", project / "sub/other")
    monkeypatch.setattr(traversal, "MAX_ENTRIES", 1)
    monkeypatch.setattr(stages, "MAX_NAMES", names)
    assert execute(project, "cat sub/*; cat sub/deeper/.env").stdout == source


LINKED = [
    ("echo x >> link", 1, "what is written outside is only read"),
    ("chmod 777 link", 1, "its mode too"),
    ("cat link", 0, "which may be read"),
    ("echo x > inner && echo y > second && cat inner second", 0, "names inside are as any other"),
    ("echo x > copy", 1, "another name of what is protected"),
    ("cat secret", 1, "another name of a key"),
    ("cat deeper", 1, "another name of a key in a directory of keys"),
    ("echo x > build/link", 1, "a build makes no links"),
    ("cat build/secret", 1, "nor to keys"),
    ("echo x > node_modules/package", 0, "what an installer linked is left to it"),
]


@pytest.mark.parametrize(("text", "code", "what"), LINKED, ids=[what for _, _, what in LINKED])
def test_a_file_with_several_names(
    project: Path, monkeypatch: pytest.MonkeyPatch, text: str, code: int, what: str
) -> None:
    home = project.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (project.parent / "outside").write_text("original")
    os.link(project.parent / "outside", project / "link")
    (project / "inner").write_text("")
    os.link(project / "inner", project / "second")
    (project / ".envrc").write_text("")
    os.link(project / ".envrc", project / "copy")
    (home / ".netrc").write_text("S3CRET")
    os.link(home / ".netrc", project / "secret")
    (home / ".ssh").mkdir()
    (home / ".ssh/id_rsa").write_text("S3CRET")
    os.link(home / ".ssh/id_rsa", project / "deeper")
    (project / "node_modules").mkdir()
    os.link(project.parent / "outside", project / "node_modules/package")
    (project / "build").mkdir()
    os.link(project.parent / "outside", project / "build/link")
    os.link(home / ".netrc", project / "build/secret")
    result = execute(project, text)
    assert (result.code, b"S3CRET" in result.stdout) == (code, False), result.stderr
    if code:
        assert (project.parent / "outside").read_text() == "original"


DECOYS = "mkdir node_modules; for i in 1 2 3 4 5; do echo > a$i; ln a$i node_modules/a$i; done"


def test_links_that_a_command_makes_free_no_other(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = project.parent / "home"
    (home / ".ssh").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(links, "MAX_LINKS", 2)
    (home / ".ssh/id_rsa").write_text("S3CRET")
    os.link(home / ".ssh/id_rsa", project / "z1")
    (project.parent / "outside").write_text("original")
    os.link(project.parent / "outside", project / "z2")
    assert execute(project, DECOYS).code == 0
    result = execute(project, "cat z1; echo evil > z2")
    assert (result.code, result.stdout) == (1, b"")
    assert (project.parent / "outside").read_text() == "original"


ORDINARY = [
    "git init -q n && cd n && git -c user.name=a -c user.email=b commit -q --allow-empty -m x",
    "git clone -q . copy",
    "mkdir -p .github/workflows && echo x > .github/workflows/ci.yml",
    "echo x > .gitignore && echo y > server.pem && mkdir -p a/config && touch a/config.toml",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_work_stays(project: Path, text: str) -> None:
    result = execute(project, text)
    assert (result.code, result.moved) == (0, ()), result.stderr


def test_a_protected_link_comes_back(project: Path) -> None:
    (project / "shared.json").write_text("{}")
    (project / ".mcp.json").symlink_to("shared.json")
    result = execute(project, "rm .mcp.json && echo evil > .mcp.json")
    assert os.readlink(project / ".mcp.json") == "shared.json"
    assert len(result.moved) == 1


def test_a_link_to_nowhere_is_left_as_it_is(project: Path) -> None:
    (project / ".mcp.json").symlink_to(project / "nowhere")
    assert execute(project, "true").code == 0
    assert not (project / "nowhere").exists()


def test_what_vanishes_after_the_look_is_no_reason_to_fail(project: Path) -> None:
    from execpolicy.sandbox import box, running
    from execpolicy.sandbox.scan.git import GitUse

    (project / ".env").write_text("KEY=1")
    snapshot = sandbox(project).engine.snapshot
    job = box.prepared(snapshot, box.Wanted(GitUse(), ("true",), str(project)))
    (project / ".env").unlink()
    done = running.run(job, forward=False)
    assert (done.outcome.ran, done.outcome.code) == (True, 0)
    assert not (project / ".env").exists()


def test_a_plant_is_moved_while_the_command_runs(project: Path) -> None:
    assert (
        execute(project, "touch .envrc; while test -e .envrc; do sleep 0.05; done; exit 5").code
        == 5
    )


def test_the_program_that_builds_the_walls_keeps_its_mode(project: Path) -> None:
    path = Path(prepared.find())
    before = path.stat()
    if before.st_uid != os.geteuid():
        pytest.skip("NOT TESTED: the program is another user's")
    execute(project, f"chmod {before.st_mode & 0o7777:o} /proc/1/exe; touch /proc/1/exe")
    after = path.stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_mode, before.st_mtime_ns, before.st_ctime_ns,
    )  # fmt: skip


def test_background_processes_end_with_the_run(project: Path) -> None:
    late = "while :; do echo x >> late; sleep 0.05; done"
    execute(project, f"(setsid sh -c '{late}' &); until test -s late; do sleep 0.05; done")
    assert not running(project)


@pytest.mark.parametrize("seconds", [0.0, 0.2])
def test_a_limit_of_time(project: Path, seconds: float) -> None:
    """It may be over before the sandbox stands: that is not a machine without one."""
    result = sandbox(project).execute(["sleep", "60"], cwd=str(project), timeout=seconds)
    assert result.timed_out


def test_a_denial_is_known_by_its_path(project: Path) -> None:
    (denial,) = execute(project, "echo x > ../outside").denials
    assert (denial.path, denial.mode) == (str(project.parent / "outside"), "write")
    assert execute(project, "echo 'permission denied' >&2; exit 1").denials == ()


def test_without_blocking_an_event_loop(project: Path) -> None:
    result = asyncio.run(sandbox(project).execute_async("echo $((1 + 1))", cwd=str(project)))
    assert result.stdout == b"2\n"


SERVER = """
import socket
server = socket.create_server(("127.0.0.1", 4322))
open("listens", "w").close()
while server.accept()[0].recv(9) != b"end": pass
"""
CLIENT = """
import socket, sys
socket.create_connection(("127.0.0.1", 4322)).sendall(sys.argv[1].encode())
print("reached")
"""
PYTHON = "/usr/bin/python3"


def in_session(project: Path) -> Sandbox:
    """A sandbox whose commands share what a session has, of a home that is not a temporary one."""
    home = project.parent / "home"
    home.mkdir(exist_ok=True)
    joined = sandbox(project, HOME=str(home))
    return Sandbox(joined.engine, environment=joined.environment, session=os.getpid())


@pytest.mark.skipif(not os.path.exists(PYTHON), reason="NOT TESTED: no system Python")
def test_a_server_of_one_call_is_reached_by_another(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project.parent))
    monkeypatch.setenv("XDG_STATE_HOME", str(project.parent / "state"))
    shared = in_session(project)
    with ThreadPoolExecutor(1) as pool:
        server = pool.submit(shared.execute, [PYTHON, "-c", SERVER], cwd=str(project), timeout=300)
        until((project / "listens").exists)
        alone = sandbox(project).execute([PYTHON, "-c", CLIENT, "end"], cwd=str(project))
        assert alone.code == 1
        client = shared.execute([PYTHON, "-c", CLIENT, "end"], cwd=str(project))
        assert (client.code, client.stdout) == (0, b"reached\n"), client.stderr
        assert server.result().code == 0


@pytest.mark.skipif(not os.path.exists(PYTHON), reason="NOT TESTED: no system Python")
def test_a_server_of_a_task_is_reached_and_ends_when_that_is_cancelled(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project.parent))
    monkeypatch.setenv("XDG_STATE_HOME", str(project.parent / "state"))
    shared = in_session(project)

    async def main() -> Result:
        words = [PYTHON, "-c", SERVER]
        server = asyncio.create_task(shared.execute_async(words, cwd=str(project)))
        while not (project / "listens").exists():
            await asyncio.sleep(0.05)
        client = [PYTHON, "-c", CLIENT, "go on"]
        reached = await shared.execute_async(client, cwd=str(project))
        assert reached.stdout == b"reached\n", reached.stderr
        server.cancel()
        with pytest.raises(asyncio.CancelledError):
            await server
        return await shared.execute_async(client, cwd=str(project))

    assert asyncio.run(main()).code == 1


def test_temporary_files_of_a_session_are_there_in_the_next_call(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project.parent))
    monkeypatch.setenv("XDG_STATE_HOME", str(project.parent / "state"))
    shared = in_session(project)
    shared.execute("echo kept > /tmp/a", cwd=str(project))
    assert shared.execute("cat /tmp/a", cwd=str(project)).stdout == b"kept\n"
    assert sandbox(project).execute("cat /tmp/a", cwd=str(project)).code == 1


def test_refused_commands_do_not_run(project: Path) -> None:
    strict = project.parent / "a.rules"
    strict.write_text('sandbox(auto_allow = True)\nprefix_rule(["touch"], decision = "forbidden")')
    with pytest.raises(execpolicy.Denied, match="forbidden"):
        execute(project, "touch x")
    assert not (project / "x").exists()


def test_what_a_person_approved_is_open_that_path_only(project: Path) -> None:
    (project.parent / "a.rules").write_text("")
    (project / ".env").write_text("KEY=1")
    known = project.parent / "known"
    known.write_text("old")
    text = f"cat .env; echo x > {known}; echo y > {known}-new; echo z > {known}-not-named$X"
    result = sandbox(project).execute(text, cwd=str(project), approved=True)
    assert result.stdout == b"KEY=1"
    assert known.read_text() == "x\n"
    assert (project.parent / "known-new").read_text() == "y\n"
    assert not (project.parent / "known-not-named").exists()


def test_an_approved_file_that_was_not_written_is_not_left(project: Path) -> None:
    (project.parent / "a.rules").write_text("")
    text = f"false && echo x > {project.parent}/new"
    assert sandbox(project).execute(text, cwd=str(project), approved=True).code == 1
    assert not (project.parent / "new").exists()


MASKED = 'mount --bind /dev/null /proc/kallsyms && mount -t tmpfs none /proc/fs && exec "$@"'


def test_where_no_proc_can_be_made_there_is_none(project: Path) -> None:
    """As in a container: parts of the machine's own `/proc` are hidden (needs root)."""
    words = ["unshare", "--mount", "sh", "-c", MASKED, "sh"]
    if subprocess.run([*words, "true"], capture_output=True).returncode:
        pytest.skip("NOT TESTED: no mounts can be made here")
    done = subprocess.run([*words, *command(project, "-c", "ls -A /proc; echo end")], cwd=ROOT,
                          capture_output=True, text=True)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr

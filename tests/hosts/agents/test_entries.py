"""The entries of agents: whole, without contradictions, and as the agents' own packages have it."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from execpolicy.hosts.agents import entries
from execpolicy.hosts.agents.agent import StateColumn
from execpolicy.hosts.install.host import HOSTS
from execpolicy.hosts.protocols import AGENTS
from execpolicy.support.hostname import parse_host
from execpolicy.support.resources import package_directory
from tests.agents import paper, real
from tests.hosts.shell_calls import calls

NAMES = entries.names()
FOLDER = Path(package_directory()) / "hosts/agents/entries"


def test_the_agents_are_hosts_of_the_hook() -> None:
    assert set(NAMES) <= AGENTS.keys()
    assert NAMES == ("claude", "codex", "copilot", "gemini", "opencode", "qwen")


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_is_whole(name: str) -> None:
    entry = entries.agent(name)
    assert entry.name == name
    assert len(entry.versions) == 2
    assert all((entry.product, entry.programs, entry.packages, entry.model_hosts, entry.directory))
    assert HOSTS[name].program in entry.programs
    assert entry.arguments or entry.variables
    assert entry.path_of(StateColumn.DATA)
    assert entry.path_of(StateColumn.STEERING)


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_has_no_key_that_is_not_read(name: str) -> None:
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    known = {"product", "directory", "directory_variable", "variables", "own_commands"}
    known |= {"versions", "programs", "packages", "executables", "key_files", "key_variables"}
    known |= {"model_hosts", "model_variables", "refused_hosts", "arguments", "state", "carried"}
    known |= {"login", "login_hosts", "servers", "made", "defaults"}
    assert table.keys() <= known
    assert table["state"].keys() <= {column.name.lower() for column in StateColumn}
    assert all(part.keys() == {"keys"} for part in table.get("carried", {}).values())


@pytest.mark.parametrize("name", NAMES)
def test_the_columns_do_not_contradict_each_other(name: str) -> None:
    entry = entries.agent(name)
    paths = [part.path for part in entry.state]
    assert len(paths) == len(set(paths))
    for path in (*paths, *(file.path for file in entry.carried), *entry.key_files):
        assert not path.startswith(("/", "~"))
        assert not {"", ".", ".."} & {*path.split("/")}
    inside = [p for p in paths if p.startswith(tuple(f"{o}/" for o in paths))]
    of = {part.path: part.column for part in entry.state}
    assert all(of[path] is StateColumn.CODE for path in inside), "only code lies in data"
    assert not {file.path for file in entry.carried} & {*paths}


@pytest.mark.parametrize("name", NAMES)
def test_no_steering_is_written(name: str) -> None:
    """What the hook writes into, and what its own lists of permissions are read from."""
    entry = entries.agent(name)
    written = (*entry.path_of(StateColumn.DATA), *entry.path_of(StateColumn.PRIVATE))
    hook = HOSTS[name].user
    assert not any(hook == path or hook.startswith(f"{path}/") for path in written)


@pytest.mark.parametrize("name", NAMES)
def test_hosts_are_names(name: str) -> None:
    entry = entries.agent(name)
    for host in (*entry.model_hosts, *entry.refused_hosts):
        assert parse_host(host.removeprefix("*.")) is not None, host
    assert not {*entry.model_hosts} & {*entry.refused_hosts}


CARRIED = {
    "mcpServers",
    "env",
    "apiKeyHelper",
    "customApiKeyResponses",
    "hooks",
    "permissions",
    "allowedTools",
    "hasTrustDialogAccepted",
    "enabledMcpjsonServers",
    "cachedFeatureFlags",
    "bypassPermissionsModeAccepted",
    "trustedFolders",
    "trusted_folders",
    "allowed_urls",
}


@pytest.mark.parametrize("name", NAMES)
def test_no_key_of_steering_is_carried(name: str) -> None:
    for file in entries.agent(name).carried:
        assert not any(CARRIED & {*key} for key in file.keys)
        is_key = file.path in entries.agent(name).key_files
        small = file.path.endswith(("version.json", "google_accounts.json", "state.json"))
        assert is_key or small or ("*",) not in file.keys


def test_an_agent_is_known_by_its_program() -> None:
    for name in NAMES:
        assert entries.started_by(f"/opt/x/{name}") == entries.agent(name)
    for other in ("claude2", "/opt/claude/x", "", "Claude", "./", "claude.sh"):
        assert entries.started_by(other) is None


def test_an_unknown_agent_has_what_the_user_says() -> None:
    entry = entries.unknown("/opt/foo/bar", [".bar/"], ["api.example.org"])
    assert (entry.name, entry.programs) == ("bar", ("bar",))
    assert entry.path_of(StateColumn.DATA) == (".bar",)
    assert entry.model_hosts == ("api.example.org",)
    with pytest.raises(KeyError):
        entries.agent("bar")


def test_no_name_leads_out_of_the_entries() -> None:
    for name in ("../claude", "/etc/passwd", "claude.toml", "", "claude\0"):
        with pytest.raises(KeyError):
            entries.agent(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_call_of_each_version(name: str) -> None:
    versions = {row["version"] for row in calls.recorded() if row["host"] == name}
    assert {*entries.agent(name).versions} <= versions


@pytest.mark.parametrize("name", NAMES)
def test_the_page_says_what_the_entry_has(name: str) -> None:
    entry = entries.agent(name)
    page = (Path(__file__).parents[3] / "docs/wrap-agents.md").read_text()
    (row,) = re.findall(rf"^\| {entry.product} \| `{name}` .*$", page, re.MULTILINE)
    assert " ".join(entry.arguments) in row
    assert all(f"`{file.path.rpartition('/')[2]}`" in row for file in entry.carried)
    tops = {f"~/{path}" for path in (part.path for part in entry.state)}
    named = re.findall(r"`(~/[^`]+)`", row)
    assert {t for t in tops if not t.startswith(tuple(named))} - {"~/.local/share/claude"} == set()
    (forms,) = re.findall(rf"^\| {entry.product} \| (?!`{name}`).*$", page, re.MULTILINE)
    assert all(version in forms for version in entry.versions)


def installed(name: str) -> list[Path]:
    """The files of an agent's packages in which its program is; skips where it is not installed."""
    folders = [real.package(package) for package in entries.agent(name).packages]
    folders += sorted(real.INSTALLED.glob("node_modules/*-linux-*"))
    folders += sorted(real.INSTALLED.glob("node_modules/@*/*-linux-*"))
    mine = [f for f in folders if re.search(rf"{name}|{entries.agent(name).packages[0]}", str(f))]
    files = [p for f in mine for p in f.rglob("*") if p.is_file() and not p.is_symlink()]
    return [p for p in files if p.suffix in ("", ".js", ".cjs", ".mjs", ".exe", ".node")]


NEWER = {"extension-store", "usage_record.jsonl"}
"""Names that only the newer of two versions has."""


def package_text(name: str) -> str:
    return (real.package(entries.agent(name).packages[0]) / "package.json").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_entry_names_what_its_package_has(name: str, tmp_path: Path) -> None:
    """Hosts, variables, options and names of state are texts of the program itself."""
    entry = entries.agent(name)
    wanted = {host.removeprefix("*.") for host in (*entry.model_hosts, *entry.refused_hosts)}
    wanted |= {*entry.key_variables, *entry.model_variables, entry.directory_variable} - {""}
    wanted |= {variable for variable, _ in (*entry.variables, *entry.defaults)}
    wanted |= {option for option in entry.arguments if option.startswith("--")}
    wanted |= {part.path.rpartition("/")[2] for part in entry.state}
    wanted |= {key.rpartition("/")[2] for key in entry.key_files}
    wanted |= {json.dumps(text.split("\n"), separators=(",", ":")) for _, text in entry.made}
    left = {text.removeprefix("--") for text in wanted}
    if f'"version": "{entry.versions[-1]}"' not in package_text(name):
        left -= NEWER
    files = installed(name)
    if name == "copilot":
        files += unpacked(tmp_path)
    for path in files:
        data = path.read_bytes()
        left = {text for text in left if text.encode() not in data}
    assert left == set()


def unpacked(home: Path) -> list[Path]:
    """The files that Copilot unpacks at its first start."""
    with paper.model("true") as model:
        start = real.STARTS["copilot"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", str(home))
            for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
                patch.delenv(name, raising=False)
            start.run(model, home)
    found = [p for p in (home / ".cache/copilot").rglob("*") if p.suffix in (".js", ".node")]
    assert found
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_with_its_options_the_agent_asks_nobody(name: str, home: Path, tmp_path: Path) -> None:
    """It runs what its model asks for, without a question and without a sandbox of its own."""
    entry, start = entries.agent(name), real.STARTS[name]
    work = tmp_path / "work"
    work.mkdir()
    own = [a for a in start.arguments if a not in ("--allow-all-tools", "--skip-trust")]
    for pair in ("--approval-mode", "-s"):
        if pair in own:
            at = own.index(pair)
            del own[at : at + 2]
    variables = {n: v.replace("~/", f"{home}/") for n, v in entry.variables}
    shown = real.Start(
        start.program,
        (*own, *entry.arguments),
        {**start.variables, **variables},
        start.files,
    )
    with paper.model("touch ran && cat /proc/self/status > status") as model:
        shown.prepare(model, home)
        done = shown.run(model, work)
    assert (work / "ran").exists(), done.stderr[-500:]
    assert "NoNewPrivs:\t0" in (work / "status").read_text(), "a sandbox of its own"

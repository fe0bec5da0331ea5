"""The hosts' own programs without the hook and with it: nothing more passes with it.

A model of paper asks for one thing after the other; what came of each is seen from outside:
contents that the model was told, files that are there, connections. Each host is run in the mode
that it begins with, and in the one that asks for nothing, twice each.
"""

import dataclasses
import subprocess
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.hosts.install import start_words
from tests.agents import paper, real
from tests.agents.paper import Deed
from tests.store.support import write

pytestmark = pytest.mark.slow


def starts() -> dict[str, real.Start]:
    """Each host as it begins, and in the mode that asks nothing, where root may have one."""
    found = {}
    for name in ("qwen", "gemini", "opencode", "claude", "codex", "copilot"):  # the slowest first
        start = real.STARTS[name]
        plain = tuple(
            {"danger-full-access": "workspace-write", "yolo": "default"}.get(word, word)
            for word in start.arguments
            if word != "--allow-all-tools"
        )
        found[name] = dataclasses.replace(start, arguments=plain)
        if plain != start.arguments:
            found[f"{name} unasked"] = start
    found["claude acceptEdits"] = _with(found["claude"], "--permission-mode", "acceptEdits")
    asks = {"IS_SANDBOX": "1"}  # without it root may not
    free = _with(found["claude"], "--dangerously-skip-permissions")
    found["claude unasked"] = dataclasses.replace(free, variables={**free.variables, **asks})
    config = ".config/opencode/opencode.json"
    goes_on = '{"experimental": {"continue_loop_on_deny": true}, '
    text = found["opencode"].files[config].replace("{", goes_on, 1)
    files = {**found["opencode"].files, config: text}
    opencode = found["opencode"] = dataclasses.replace(found["opencode"], files=files)
    found["opencode unasked"] = dataclasses.replace(
        opencode, arguments=("run", "--auto", *opencode.arguments[1:])
    )
    return found


def _with(start: real.Start, *arguments: str) -> real.Start:
    return dataclasses.replace(start, arguments=(*start.arguments, *arguments))


STARTS = starts()


class Ground:
    """A project, a home and what is to be tried there."""

    def __init__(self, home: Path, work: Path, url: str) -> None:
        self.files: dict[str, Path] = {}
        self.deeds: dict[str, Deed] = {}
        outside, key = home / "documents", home / ".ssh"
        subprocess.run(["git", "init", "-q", str(work)], check=True)
        for name, folder in (("inside", work), ("outside", outside), ("credentials", key)):
            for kind in ("read", "shell"):
                file = "id_rsa" if name == "credentials" else "a.txt"
                path = write(folder / kind / file, f"CONTENT {kind} {name}\n")
                self.deeds[f"{kind} {name}"] = Deed(
                    kind, f"cat {path}" if kind == "shell" else str(path)
                )
        linked = write(outside / "linked/b.txt", "CONTENT read link\n")
        (work / "link").symlink_to(linked)
        self.deeds["read link"] = Deed("read", str(work / "link"))
        self._write("write inside", "write", work / "new/a.txt")
        self._write("write outside", "write", outside / "new.txt")
        self._write("write control", "write", work / ".git/hooks/pre-commit.new")
        self._write("touch inside", "shell", work / "touched")
        self._write("touch outside", "shell", outside / "touched")
        write(work / "run.sh", f"echo > {work}/ran\n")
        self._write("execute", "shell", work / "ran", "sh ./run.sh")
        self.deeds["server"] = Deed("shell", f"curl -s -m 5 {url}/server")
        # by the variables for proxies this comes to the model, too
        self.deeds["network"] = Deed("shell", "curl -s -m 5 http://elsewhere.example/network")
        self.gone = write(work / "gone.txt", "x")
        self.deeds["destroy"] = Deed("shell", f"rm {self.gone}")

    def _write(self, name: str, kind: str, path: Path, command: str = "") -> None:
        self.files[name] = path
        what = (command or f"touch {path}") if kind == "shell" else str(path)
        self.deeds[name] = Deed(kind, what)

    def passed(self, said: str, reached: set[str]) -> set[str]:
        """What was done."""
        found = {name for name, path in self.files.items() if path.exists()}
        found |= {name for name in self.deeds if f"CONTENT {name}" in said}
        found |= {"server", "network"} & reached
        return found if self.gone.exists() else found | {"destroy"}


def run(name: str, home: Path, work: Path, hooked: bool) -> set[str]:
    """What a host lets a model do."""
    start = STARTS[name]
    work.mkdir()
    with paper.model() as model:
        ground = Ground(home, work, model.url)
        start.prepare(model, home)
        if hooked:
            dispatch(["install", start.program])
            subprocess.run([*start_words.command(), "layers"], capture_output=True, check=True)
        said, todo = "", list(ground.deeds.values())
        while todo:  # some hosts end where something is refused
            model.deeds, model.results = todo, []
            start.run(model, work)
            assert model.offered, "the host never spoke to the model"
            said += model.said
            todo = todo[len(model.results) + 1 :]
    return ground.passed(said, model.reached)


NEVER = {"read credentials", "shell credentials", "destroy", "network"}
"""What is asked in every mode; the hosts have nobody here to ask."""


@pytest.mark.parametrize("name", STARTS)
def test_nothing_passes_that_the_host_alone_holds_back(
    name: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real.program(STARTS[name].program)
    path = real.ourselves(tmp_path / "bin")
    monkeypatch.setattr(start_words, "command", lambda: (path,))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    found = {}
    for hooked in (False, True):
        home = tmp_path_factory.mktemp("hooked" if hooked else "alone")
        for variable, folder in (
            ("HOME", home),
            ("XDG_CONFIG_HOME", home / ".config"),
            ("XDG_STATE_HOME", home / ".local/state"),
            ("XDG_DATA_HOME", home / ".local/share"),
        ):
            monkeypatch.setenv(variable, str(folder))
        found[hooked] = run(name, home, tmp_path / f"work{hooked:d}", hooked)
    print(f"{name}: alone {sorted(found[False])}; with the hook {sorted(found[True])}")
    assert found[True] <= found[False]
    assert not found[True] & NEVER
    assert "shell inside" in found[True] or "shell inside" not in found[False]

"""Names that no word holds: what a copy, a move or a link puts into a directory that matters, and
which names matter."""

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.place import Below
from execpolicy.model.verdict import Verdict
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.places.machine import Machine, repository

HOME = "/home/me"
ROOT = f"{HOME}/app"
FILES = {
    **repository(f"{ROOT}/.git"),
    **dict.fromkeys((f"{ROOT}/v/tasks.json", f"{ROOT}/v/hooks/pre-commit"), "unchanged"),
    f"{ROOT}/v/config.toml": "unchanged",
    f"{ROOT}/AGENTS.md": "unchanged",
    f"{ROOT}/.vscode/extensions.json": "unchanged",
}
ALLOW, PROMPT, _ = Decision


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    path = f"{presets_directory()}/developer.rules"
    return Engine.load(rules=[path]).snapshot.replace(home=HOME)


def judged(snapshot: Snapshot, text: str) -> Verdict:
    machine = Machine(FILES, root=ROOT)
    return decide(Request(text=text, cwd=ROOT, shell="bash"), snapshot, machine)  # noqa: S604


class Large(Machine):
    """The machine with a directory of more files than are looked at."""

    def below(self, directory: str, visible: bool, few: bool = False) -> Below | None:
        return None if directory == f"{ROOT}/v" else super().below(directory, visible, few)


@pytest.mark.parametrize("machine", [Machine, Large])
@pytest.mark.parametrize("text", ["cp -r s/. v", "cp -rT s v", "cp -aT s/ v", "rsync -a s/ v/"])
def test_a_link_is_written_through_in_a_tree_of_any_size(
    developer: Snapshot, text: str, machine: type[Machine]
) -> None:
    there = {f"{ROOT}/s/a": "x", f"{ROOT}/v/b": "", f"{HOME}/.bashrc": "x"}
    for more, decision in (({}, ALLOW), ({f"{ROOT}/v/a": f"→ {HOME}/.bashrc"}, PROMPT)):
        request = Request(text=text, cwd=ROOT, shell="bash")  # noqa: S604
        verdict = decide(request, developer, machine({**there, **more}, root=ROOT))
        assert verdict.decision is decision


@pytest.mark.parametrize("text", ["mv v w", "cp -r v w", "ln -s v w", "git mv v w"])
def test_of_a_tree_that_is_too_large_anything_may_arrive(developer: Snapshot, text: str) -> None:
    for machine, decision in ((Machine, ALLOW), (Large, PROMPT)):
        request = Request(text=text, cwd=ROOT, shell="bash")  # noqa: S604
        files = {path: of for path, of in FILES.items() if "/hooks/" not in path}
        verdict = decide(request, developer, machine(files, root=ROOT))
        assert verdict.decision is decision


INTO = [
    *("git clone ../x/.cursor", "git clone ../x/.cursor.git/", "git clone me/.vscode/.git"),
    *("split -a 1 -n 3 kept.txt .envr", "csplit -f .envr -n 1 kept.txt 2"),
    *("git submodule add ../x/.claude", "gh repo clone o/.cursor"),
    *("cp v/tasks.json .vscode/", "cp v/tasks.* .vscode/", "cp v/t* .vscode", "cp v/* .vscode"),
    *("cp -t .vscode v/tasks.json", "cp -r v/. .vscode", "cp v/{tasks,x}.json .vscode/"),
    *("mv v/tasks.json .vscode/", "mv -t .vscode v/tasks.*", "mv v .zed", "git mv v .zed"),
    *("git mv v/tasks.json .vscode/", "git mv v/* .vscode", "git mv v/config.toml .cargo/"),
    *("rsync v/tasks.json .vscode/", "rsync v/tasks.* .vscode", "rsync -a v/ .vscode"),
    *("scp v/tasks.json .vscode/", "install -t .vscode v/tasks.json"),
    *("ln -s ../v/tasks.json .vscode/", "ln v/tasks.json .vscode", "ln -sf v/tasks.* .vscode"),
    *("mkdir .cargo && cp v/config.* .cargo/", "cd .vscode && cp ../v/tasks.* ."),
    *("rsync -ab --backup-dir=../.vscode x/ v/", "rsync -a --partial-dir=.vscode x/ ./"),
    *("zstd -d --output-dir-flat=.vscode v/x.zst", "git clone --separate-git-dir=.vscode ../x y"),
    *(
        "unzip -d .vscode a.zip",
        "tar xf a.tar --one-top-level=.vscode",
        "wget -P .vscode https://x/",
    ),
    *(
        "tar xf a.tar -C .vscode",
        "curl --output-dir .vscode -OJ https://x/",
        "unar -o .vscode a.zip",
    ),
    *("cp v/hooks/pre-commit .githooks/", "git mv v/hooks/pre-commit .githooks/"),
]


MADE = [  # by the request itself, before it is moved, copied or linked
    "mkdir t && echo x > t/tasks.json && mv t lib/.vscode",
    "mkdir t; cp v/tasks.json t/; mv t lib/.vscode",
    "mkdir t; cp v/* t/; mv t lib/.vscode",
    "mkdir t; ln v/tasks.json t/; cp -r t lib/.vscode",
    "mkdir t; mv v/tasks.json t/; rsync -a t/ lib/.vscode",
    "cp -r v t; mv t lib/.vscode",
    "cp -r v t; mv t u; mv u lib/.vscode",
    "mkdir -p a/b; touch a/b/tasks.json; mv a/b lib/.vscode",
    "mkdir -p a/t; echo x > a/t/tasks.json; cd a; mv t .vscode",
    "echo x > t/tasks.json; cp -r t lib; mv lib/t lib/.vscode",
    "mkdir t; echo x > t/tasks.json; cp -r t/. lib/.vscode/",
    "mkdir t; touch t/pre-commit; mv t .githooks",
    "git clone ../r lib/.vscode",
    "git worktree add lib/.vscode",
    "git clone ../r x; mv x lib/.vscode",
    "git clone ../r x; ln -s ../x lib/.vscode",
    "git clone ../r x; mv x/hooks .githooks",
    "git clone ../r x; mv x y; cp -r y lib/.vscode",
    "git worktree add x; mv x lib/.vscode",
]
FREE = [
    "mkdir t && echo x > t/tasks.json && mv t lib/tasks",
    "cp -r v t; mv t u; mv u w",
    "git clone ../r lib/x",
    "git clone ../r x; mv x y",
    "mkdir t; echo x > t/a.md; mv t lib/.vscode",
]


@pytest.mark.parametrize("text", MADE)
def test_what_the_request_makes_arrives_too(developer: Snapshot, text: str) -> None:
    verdict = judged(developer, text)
    assert (verdict.decision, verdict.confined) == (PROMPT, PROMPT)


@pytest.mark.parametrize("text", FREE)
def test_what_it_makes_elsewhere_is_free(developer: Snapshot, text: str) -> None:
    assert judged(developer, text).decision is ALLOW


@pytest.mark.parametrize("text", INTO)
def test_the_name_is_that_of_the_source(developer: Snapshot, text: str) -> None:
    verdict = judged(developer, text)
    assert (verdict.decision, verdict.confined) == (PROMPT, PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        "split kept.txt part-",
        "split kept.txt /tmp/a",
        "cp v/tasks.json lib/",
        "cp v/* lib",
        "git mv v/tasks.json lib/",
        "rsync -a v/ lib",
        "rsync -ab --backup-dir=../bak x/ lib/",
    ],
)
def test_other_directories_are_free(developer: Snapshot, text: str) -> None:
    assert judged(developer, text).decision is ALLOW


CONTROL = [
    ".claude/commands/x.md",
    ".codex/prompts/x.md",
    ".gemini/commands/x.toml",
    ".cursor/rules/x.mdc",
    ".qwen/agents/x.md",
    ".agents/skills/x/SKILL.md",
    ".kiro/hooks/x",
    ".windsurf/workflows/x",
    ".factory/droids/x",
    ".opencode/command/x.md",
    ".copilot/mcp-config.json",
    ".github/prompts/x.prompt.md",
    ".continue/config.yaml",
    ".roo/mcp.json",
    ".roomodes",
    ".amazonq/cli-agents/x.json",
    ".junie/mcp/mcp.json",
    ".goose/config.yaml",
    ".hg/hgrc",
    ".jj/repo/config.toml",
    "p.code-workspace",
    "mise.toml",
    ".mise.local.toml",
    ".config/mise/config.toml",
    ".exrc",
    ".nvim.lua",
    ".vimrc",
    ".dir-locals.el",
    ".helix/languages.toml",
    ".idea/x.xml",
    ".run/x.run.xml",
    ".fleet/run.json",
    ".theia/tasks.json",
    ".huskyrc",
    ".huskyrc.json",
    ".husky/pre-commit",
    ".lefthook.toml",
    "lefthook.json",
    ".lefthook/pre-commit/x",
    ".githooks/pre-commit",
    ".git-hooks/x",
    ".simple-git-hooks.json",
    ".yarn/releases/yarn.cjs",
    ".yarn/plugins/x.cjs",
    "sub/.cursor/mcp.json",
    ".Cursor/mcp.json",
    ".claude/worktrees/w/.claude/commands/x.md",
]


@pytest.mark.parametrize("path", CONTROL)
def test_what_steers_later_asks(developer: Snapshot, path: str) -> None:
    verdict = judged(developer, f"echo x > {path}")
    assert (verdict.decision, verdict.confined) == (PROMPT, PROMPT)


KEPT = [
    ".claude/worktrees/w/src/a.py",
    ".kiro/specs/x/tasks.md",
    ".cursor/plans/x.md",
    "lefthook.md",
    ".github/x.md",
    "docs/cursor/rules.md",
    "agents/skill.md",
    "src/AGENTS.md.txt",
    "mise/main.go",
]


@pytest.mark.parametrize("path", KEPT)
def test_what_steers_nothing_is_free(developer: Snapshot, path: str) -> None:
    assert judged(developer, f"echo x > {path}").decision is ALLOW


INSTRUCTIONS = [
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "QWEN.md",
    "sub/AGENTS.md",
    "agents.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".clinerules/x.md",
    ".roorules",
    ".goosehints",
    ".github/copilot-instructions.md",
    ".github/instructions/x.instructions.md",
]


@pytest.mark.parametrize("path", INSTRUCTIONS)
def test_instructions_ask_outside_of_the_sandbox_alone(developer: Snapshot, path: str) -> None:
    for text in (f"echo x >> {path}", f"cp v/tasks.json {path}", f"sed -i s/a/b/ {path}"):
        verdict = judged(developer, text)
        assert (verdict.decision, verdict.confined) == (PROMPT, ALLOW), text
        told = [m for j in verdict.judged for m in j.matches if "instructions" in m.places]
        assert {m.confined for m in told} == {ALLOW}
        assert "which instructs agents" in told[0].reason


def test_instructions_are_read_as_any_file(developer: Snapshot) -> None:
    assert judged(developer, "cat AGENTS.md; grep -rn x CLAUDE.md").decision is ALLOW


def test_a_path_rule_lets_instructions_be_written(tmp_path: object) -> None:
    preset = f"{presets_directory()}/developer.rules"
    path = f"{tmp_path}/u.rules"
    with open(path, "w", encoding="utf-8") as file:
        file.write('path_rule(["./AGENTS.md"], modes = ["write"], decision = "allow")\n')
    snapshot = Engine.load(rules=[preset, path]).snapshot.replace(home=HOME)
    assert judged(snapshot, "echo x > AGENTS.md").decision is ALLOW
    assert judged(snapshot, "echo x > sub/AGENTS.md").decision is PROMPT

"""What each form of an entry becomes: a refusal stays one, and nothing changes that no entry names.

Lists are of the shapes that people write, the words are our own.
"""

import json
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.engine.engine import Engine
from execpolicy.hosts.convert.expression import patterns
from execpolicy.model.operation import Exec, Request
from tests.store.support import write

A, P, F = "allow", "prompt", "forbidden"
CLAUDE, CURSOR, GEMINI, OPENCODE = (
    ".claude/settings.json",
    ".cursor/cli-config.json",
    ".gemini/policies/a.toml",
    ".config/opencode/opencode.json",
)


def claude(**lists: list[str]) -> str:
    return json.dumps({"permissions": lists})


def gemini(*rules: str) -> str:
    return "\n".join(f"[[rule]]\n{rule}\n" for rule in rules)


def opencode(permission: object) -> str:
    return json.dumps({"permission": permission})


SHELL = 'toolName = "run_shell_command"\n'
LISTS: list[tuple[str, str, dict[str, str]]] = [
    (
        CLAUDE,
        claude(deny=["Bash(npm publish*)", "Bash(git config*)"], allow=["Bash(npm test:*)"]),
        {"npm publish": F, "npm publish --tag x": F, "npm test": A,
         "git config user.name x": F, "git status": A, "git log": A},
    ),
    (
        CLAUDE,
        claude(deny=["Bash(mkfs*)", "Bash(ssh*)", "Bash(shutdown*)"]),
        {"mkfs /dev/x": F, "mkfs.ext4 /dev/x": F, "ssh h": F, "ssh-keygen -t rsa": F, "ls": A},
    ),
    (
        CLAUDE,
        claude(deny=["Bash(git push --force*)", "Bash(git branch -D*)"], allow=["Bash(git add:*)"]),
        {"git push --force": F, "git push --force origin main": F,
         "git push --force-with-lease": F, "git branch -D x": F, "git branch -a": A,
         "git add .": A},
    ),
    (
        CLAUDE,
        claude(deny=["Bash(git push *--force*)", "Bash(git commit * --no-verify*)"]),
        {"git push origin --force": F, "git push --force-with-lease": F,
         "git commit -m x --no-verify": F, "git commit -m x": P},
    ),
    (  # what is not known and begins so is not allowed either
        CLAUDE,
        claude(deny=["Bash(git config*)", "Bash(gh repo delete*)", "Bash(wor*)"],
               allow=["Bash(gh repo:*)", "Bash(workit:*)", "Bash(git stash list:*)"]),
        {"gh repo delete a/b": F, "gh repo deletex": P, "gh repo view": A, "workit x": P,
         "git configx": P, "git stash list": A},
    ),
    (
        CLAUDE,
        claude(deny=["Bash(npm run deploy*)"], allow=["Bash(npm run test:*)"]),
        {"npm run deploy": F, "npm run deploy:prod": P, "npm run test": A},
    ),
    (
        CLAUDE,
        claude(allow=["Bash(for:*)", "Bash(do:*)", "Bash(done)", "Bash(then ls)", "Bash({:*)"]),
        {"for i in 1; do make; done": P},
    ),
    (
        CLAUDE,
        claude(deny=["Bash(FOO=1 make*)"], allow=["Bash(NODE_ENV=test npm test)"]),
        {"FOO=1 make": P, "make": P, "npm test": P},
    ),
    (
        CLAUDE,
        claude(deny=["mcp__github__delete_repo", "mcp__db", "mcp__fs__*"],
               allow=["mcp__github__get_repo", "mcp__docs"]),
        {"mcp__github__delete_repo": F, "mcp__github__get_repo": A, "mcp__github__other": P,
         "mcp__db__drop": F, "mcp__fs__write": F, "mcp__docs__search": A, "mcp__docsx__y": P},
    ),
    (
        CLAUDE,
        claude(deny=["mcp__github__delete_*"], allow=["mcp__github"]),
        {"mcp__github__delete_repo": P, "mcp__github__get_repo": P, "mcp__other__x": P},
    ),
    (
        CLAUDE,
        claude(deny=["WebFetch(domain:*.evil.example)"]),
        {"curl https://a.evil.example/x": F, "curl https://evil.example/x": P},
    ),
    (
        CURSOR,
        claude(deny=["Shell(curl:*)", "Shell(git:push *)", "Mcp(github:delete_repo)"],
               allow=["Shell(mytool)"]),
        {"curl https://x.example": F, "git push": F, "git push origin x": F, "git log": A,
         "mcp__github__delete_repo": F, "mytool all": A},
    ),
    (
        GEMINI,
        gemini(
            f'{SHELL}commandPrefix = ["git status", "npm test"]\ndecision = "allow"\npriority = 9',
            f'{SHELL}commandRegex = "^git (push|commit)"\ndecision = "deny"\npriority = 30',
            f'{SHELL}commandRegex = "make\\\\s+.*deploy"\ndecision = "deny"\npriority = 31',
        ),
        {"npm test": A, "git push": F, "git commit -m x": F, "git log": A, "make x deploy": P},
    ),
    (
        GEMINI,
        gemini(
            f'{SHELL}commandPrefix = "npm"\ndecision = "allow"\nmodes = ["yolo"]\npriority = 1',
            f'{SHELL}commandPrefix = "ls"\ndecision = "deny"\nmodes = ["plan"]\npriority = 2',
            f'{SHELL}commandPrefix = "wc"\ndecision = "deny"\nmodes = ["default"]\npriority = 3',
        ),
        {"npm test": P, "ls": A, "wc a": F},
    ),
    (
        GEMINI,
        gemini(
            'mcpName = "github"\ntoolName = "delete_repo"\ndecision = "deny"\npriority = 5',
            'mcpName = "db"\ntoolName = "*"\ndecision = "deny"\npriority = 5',
        ),
        {"mcp__github__delete_repo": F, "mcp__github__x": P, "mcp__db__x": F},
    ),
    (
        ".gemini/settings.json",
        json.dumps({"tools": {"allowed": ["run_shell_command(npm test)"],
                              "exclude": ["run_shell_command(rm)"]}}),
        {"npm test": A, "rm x": F, "ls": A},
    ),
    (
        OPENCODE,
        opencode({"bash": {"*": "allow", "git config*": "deny"}, "github_*": "deny",
                  "db_drop": "deny"}),
        {"git status": A, "git config user.name x": F, "mcp__github__x": F, "mcp__db__drop": F,
         "mcp__db__list": P},
    ),
    (
        OPENCODE,
        opencode({"external_directory": {"*": "ask", "~/secret/**": "deny", "~/docs/**": "allow"}}),
        {"cat ~/secret/a": F, "cat ~/docs/a": A, "cat ~/other/a": P},
    ),
    (
        OPENCODE,
        opencode({"external_directory": "deny"}),
        {"cat ~/other/a": F, "touch /srv/a": F, "cat a": A, "git status": A, "ls >/dev/null": A},
    ),
    (OPENCODE, opencode("deny"), {"ls": F, "git status": F, "npm test": F, "git push": F}),
    (
        ".qwen/settings.json",
        json.dumps({"permissions": {"allow": ["ShellTool(npm test)"], "deny": ["Bash(rm:*)"]},
                    "tools": {"allowed": ["run_shell_command(npm ci)"],
                              "exclude": ["run_shell_command(curl)"]}}),
        {"npm test": A, "npm test x": P, "npm ci --x": A, "rm a": F, "curl -s x": F},
    ),
    (
        ".factory/settings.json",
        json.dumps({"commandAllowlist": ["npm test"], "commandDenylist": ["git log"]}),
        {"npm test -- a": A, "git log -p": P, "git status": A},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "answers"), LISTS)
def test_a_list(path: str, text: str, answers: dict[str, str], home: Path, tmp_path: Path) -> None:
    write(home / path, text)
    host = {".config": "opencode", ".factory": "droid"}.get(top := path.split("/")[0], top[1:])
    assert run(dispatch, ["import", host]) == ExitCode.ALLOW
    engine = Engine.load(cwd=tmp_path)
    got = {text: _decided(engine, text, tmp_path) for text in answers}
    assert got == answers


def _decided(engine: Engine, text: str, cwd: Path) -> str:
    if text.startswith("mcp__"):
        request = Request(operations=(Exec((text,)),), cwd=str(cwd))
        return engine.decide(request).decision.word
    return engine.check(text, cwd=cwd).decision.word


EXPRESSIONS = [
    ("^git (push|commit)", ["git push*", "git commit*"], True),
    ("ls", ["ls*"], True),
    ("ls$", ["ls"], True),
    ("npm (run|exec) (a|b)", ["npm run a*", "npm run b*", "npm exec a*", "npm exec b*"], True),
    ("rm -rf?", ["rm -r*", "rm -rf*"], False),
    (r"curl\s+http", ["curl http*"], True),
    ("git push.*--force", ["git push*--force*"], False),
    ("a|b c", ["a*", "b c*"], True),
    (r"x\.sh\b", ["x.sh *"], False),
    ("[a-z]+ x", ["* x*"], False),
]


@pytest.mark.parametrize(("expression", "found", "exact"), EXPRESSIONS)
def test_an_expression(expression: str, found: list[str], exact: bool) -> None:
    assert patterns(expression) is not None
    given, same = patterns(expression) or ([], True)
    assert given == found
    assert same or not exact


@pytest.mark.parametrize("expression", ["(?=x)", "(?!x)a", "a{2}", "(", "[", "a(b", "\\d*?", "a**"])
def test_an_expression_that_is_not_plain(expression: str) -> None:
    found = patterns(expression)
    assert found is None or not found[1]

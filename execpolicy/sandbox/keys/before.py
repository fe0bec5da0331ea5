"""What a program with a key would start of the project, which runs before it, without the key.

Then the program runs with it switched off: the hook of a push, the scripts of a package.
"""

import json
import os
import shlex
from _collections_abc import Iterator

from execpolicy.engine.rules.credentials import KeyUse
from execpolicy.places.disk import Disk
from execpolicy.places.repository.git_config import read
from execpolicy.sandbox.keys.git_settings import content
from execpolicy.sandbox.keys.opening import NoKeyError
from execpolicy.support.disk.repository import Repository, find

UNBEGUN = (
    "what the project does before, as a hook, would run beside the key: write the call as a text "
    "of its own, so that it can run before"
)
_CONFIGURATIONS = ("/etc/gitconfig", "~/.config/git/config", "~/.gitconfig")
_ELSEWHERE = ("-w", "--workspace", "--prefix", "-C", "--recursive", "-r")
_NONE = "0" * 40
_REMOTE = (
    "r=$(git for-each-ref --format='%(push:remotename)' \"$(git symbolic-ref -q HEAD)\"); "
    "r=${r:-origin}; "
)


def before(use: "KeyUse", cwd: str) -> str:
    """The text that runs before a command with a key; empty where nothing has to."""
    if use.path == ("git", "push"):
        return _hook(use, cwd)
    known = use.credentials
    if not packed_file(use, cwd):
        return ""
    return " && ".join(text for name, text in known.first if use.path[1] == name)


def packed_file(use: "KeyUse", cwd: str) -> str:
    """The file that such a text makes, which is then published; empty where it makes none.

    npm and pnpm name it by the package (npm-pack(1)).
    """
    moved = any(word.startswith(_ELSEWHERE) for word in use.argv[1:])
    known = use.credentials
    if use.operands or moved or use.path[1:] not in [(name,) for name, _ in known.first]:
        return ""
    try:
        manifest = json.loads(content(os.path.join(cwd, "package.json")))
        name, version = manifest["name"], manifest["version"]
    except (NoKeyError, ValueError, LookupError, TypeError):
        return ""
    if not isinstance(name, str) or not isinstance(version, str):
        return ""
    made = f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
    return f"{known.makes}/{made}" if "/" not in made else ""


def _hook(use: "KeyUse", cwd: str) -> str:
    """What git does before a push (githooks(5), pre-push): the hook is told the remote, its
    address, and on its input what is pushed where."""
    own = find(os.path.realpath(cwd), Disk())
    if own is None or "--no-verify" in use.argv:
        return ""
    hook = os.path.join(_directory(own), "pre-push")
    if not os.access(hook, os.X_OK) or os.path.isdir(hook):
        return ""
    named = use.operands[:1]
    remote = f"r={shlex.quote(named[0])}; " if named else _REMOTE
    deleted = any(word in ("-d", "--delete") for word in use.argv)
    lines = "; ".join(_line(one, deleted) for one in use.operands[1:] or ("HEAD",))
    url = '"$(git remote get-url --push "$r")"'
    return f'cd {shlex.quote(own.top)} && {remote}{{ {lines}; }} | {shlex.quote(hook)} "$r" {url}'


def _line(given: str, deleted: bool) -> str:
    """The line about one reference: what it is here, and what is known of the remote's."""
    source, colon, target = given.removeprefix("+").partition(":")
    name = shlex.quote(target or source)
    full = f"$(git rev-parse --symbolic-full-name {shlex.quote(source)})"
    there = target if target.startswith("refs/") else f"refs/heads/{target}"
    where = shlex.quote(there) if colon else full
    short = f'"refs/remotes/$r/$(basename {name if colon else full})"'
    known = f"$(git rev-parse -q --verify {short} || echo {_NONE})"
    if deleted or (colon and not source):
        where = shlex.quote(there) if colon else f"refs/heads/{name}"
        return f"echo '(delete)' {_NONE} {where} {known}"
    return f"echo {full} $(git rev-parse {shlex.quote(source)}) {where} {known}"


def _directory(own: Repository) -> str:
    """Where git looks for hooks: the last of its configurations that says so counts."""
    found = f"{own.common}/hooks"
    for path in (*map(os.path.expanduser, _CONFIGURATIONS), *_own(own)):
        try:
            said = read(content(path).decode("utf-8", "surrogateescape")).hooks
        except NoKeyError:
            continue
        found = os.path.join(own.top, os.path.expanduser(said)) if said else found
    return found


def _own(own: Repository) -> "Iterator[str]":
    yield f"{own.common}/config"
    yield f"{own.git}/config.worktree"

"""What the readers of permission lists share: files of the hosts, words, and texts of lists."""

import os
from collections.abc import Collection, Iterator

from execpolicy.hosts.convert import frontmatter
from execpolicy.hosts.install import host_file
from execpolicy.hosts.permissions.base import WORDS
from execpolicy.hosts.permissions.files import parsed_json
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError

DECISIONS = {**WORDS, "ask_user": Decision.PROMPT}


def json_of(file: str) -> dict[str, object]:
    """The object in a file; empty where there is none. Raises `ExecPolicyError`."""
    return parsed_json(file, host_file.read(file))


_MAX_FOLDERS = 1000


def markdown(*folders: str) -> Iterator[str]:
    """The Markdown files in these directories, however deep; each directory once, through links."""
    seen: set[str] = set()
    for folder in folders:
        for where, below, names in os.walk(folder, followlinks=True):
            real = os.path.realpath(where)
            if real in seen or len(seen) >= _MAX_FOLDERS:
                below.clear()
                continue
            seen.add(real)
            below.sort()
            yield from (os.path.join(where, n) for n in sorted(names) if n.endswith(".md"))


def front(file: str, keys: Collection[str]) -> dict[str, object] | str:
    """The values of these keys in a file's front matter; why they cannot be read."""
    try:
        return frontmatter.read(host_file.read(file) or "", keys)
    except ExecPolicyError as error:
        return str(error).removeprefix(f"{file}: ")


def lists(file: str, value: object) -> Iterator[tuple[str, Decision, str]]:
    """The texts of `allow`, `ask` and `deny`, with their places."""
    table = value if isinstance(value, dict) else {}
    for name in ("allow", "ask", "deny"):
        texts = table.get(name, [])
        for number, text in enumerate(texts if isinstance(texts, list) else []):
            if isinstance(text, str):
                yield text, DECISIONS[name], f"{file}: permissions.{name}[{number}] `{text}`"

"""Front matter: what people write is read, and what is not understood is never skipped."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.hosts.convert.frontmatter import read
from execpolicy.model.errors import ExecPolicyError

PAGE = """\
---
description: >
  free: text with "quotes and
  permission: none of it
model: a/b # mine
permission:
  edit: deny
  bash:
    "*": ask   # all
    'it''s *': deny
    git push*: ask
    git:x y: allow
tools:
  write: false
  bash: True
allowed-tools: Bash(git add:*), Bash(git status:*), Read
list:
- a
-  "b c"  # c
flow: [a, b c]
empty:
---
permission: of the text
"""


def test_what_people_write() -> None:
    keys = ("permission", "tools", "allowed-tools", "list", "flow", "empty", "absent")
    assert read(PAGE, keys) == {
        "permission": {
            "edit": "deny",
            "bash": {"*": "ask", "it's *": "deny", "git push*": "ask", "git:x y": "allow"},
        },
        "tools": {"write": False, "bash": True},
        "allowed-tools": "Bash(git add:*), Bash(git status:*), Read",
        "list": ["a", "b c"],
        "flow": ["a", "b c"],
        "empty": None,
    }


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_ends_of_lines(newline: str) -> None:
    page = PAGE.replace("\n", newline)
    assert read(page, ("tools",)) == {"tools": {"write": False, "bash": True}}


@pytest.mark.parametrize("text", ["", "# title\n", "----\ntools: x\n", " ---\ntools: x\n---\n"])
def test_a_page_without_front_matter(text: str) -> None:
    assert read(text, ("tools",)) == {}


def test_front_matter_without_an_end_goes_to_the_end() -> None:
    assert read("---\ntools: x\n", ("tools",)) == {"tools": "x"}


ODD = {
    "another language": '---json\n{"tools": "x"}\n---\n',
    "an object in braces": "---\n{tools: x}\n---\n",
    "a question": "---\n? tools\n: x\n---\n",
    "an anchor before a key": "---\n&a tools: x\n---\n",
    "a merge": "---\n<<: *base\n---\n",
    "an escape in a key": '---\n"t\\x6fols": x\n---\n',
    "everything indented": "---\n  tools: x\n---\n",
    "no key": "---\njust text\n---\n",
    "a block of text": "---\ntools: |\n  a\n---\n",
    "a text of two lines": "---\ntools: a\n  b\n---\n",
    "a key twice": "---\ntools: a\ntools: b\n---\n",
    "a key twice below": "---\ntools:\n  a: b\n  a: c\n---\n",
    "an alias": "---\ntools: *x\n---\n",
    "an escape": '---\ntools: "a\\n"\n---\n',
    "a quote that never ends": '---\ntools: "a\n---\n',
    "braces": "---\ntools: {a: b}\n---\n",
    "a list in a list": "---\ntools: [[a]]\n---\n",
    "a star as a key": "---\ntools:\n  *: ask\n---\n",
    "uneven": "---\ntools:\n    a: b\n  c: d\n---\n",
    "a list and more": "---\ntools:\n  - a\n  b: c\n---\n",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_what_is_not_understood_is_an_error(text: str) -> None:
    with pytest.raises(ExecPolicyError, match="front matter: "):
        read(text, ("tools",))


PIECES = """\
tools:
tools: x
tools: a: b
- a
  - a
a: b
  a: b
  a:
    c: d
# x
b: 'c'
  'q': "r" # s
d: >
  text: of it
e: [a, b]
  f: [g]

"""
LINES = st.lists(st.sampled_from(PIECES.splitlines()), max_size=7).map("\n".join)


def _of_yaml(node: Any) -> Any:
    """A node's value; a key that stands there twice is an error, as in opencode's reader."""
    if node.id == "sequence":
        return [_of_yaml(item) for item in node.value]
    if node.id == "mapping":
        pairs = [(_of_yaml(key), _of_yaml(value)) for key, value in node.value]
        if len({str(key) for key, _ in pairs}) < len(pairs):
            raise ValueError("a key stands there twice")
        return {str(key): value for key, value in pairs}
    return None if node.tag.endswith(":null") else node.value


@given(LINES)
def test_what_is_read_is_what_yaml_reads(text: str) -> None:
    yaml = pytest.importorskip("yaml")
    try:
        found = read(f"---\n{text}\n---\n", ("tools",))
    except ExecPolicyError:
        return
    try:
        whole = _of_yaml(yaml.compose(text)) if yaml.compose(text) else {}
    except (yaml.YAMLError, ValueError):
        return  # the host does not read it either
    assert found == {k: v for k, v in whole.items() if k == "tools"}

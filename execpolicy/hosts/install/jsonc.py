"""JSON with comments: read with places, and edited without touching the rest of the text.

Comments and trailing commas are read, for several hosts write them; none are ever added.
"""

from execpolicy.model.errors import ExecPolicyError


class JsonError(ExecPolicyError):
    """A text that is no JSON, also if comments are allowed."""


class Node:
    """A value and where it stands. `members` are the children of an array or object, in order.

    `key` is the child's name in an object. `start` is where the child begins, with its name;
    `comma` is the place of the comma after it, or None.
    """

    __slots__ = ("at", "comma", "end", "key", "members", "start", "value")

    def __init__(self, start: int) -> None:
        self.start = self.at = start
        self.end = start
        self.key: str | None = None
        self.comma: int | None = None
        self.value: object = None
        self.members: list[Node] = []

    def get(self, key: str) -> "Node | None":
        """The member of this name; the last one, as every reader has it."""
        found = [m for m in self.members if m.key == key]
        return found[-1] if found else None

    def find(self, *path: str) -> "Node | None":
        """The member at the end of these names."""
        node: Node | None = self
        for key in path:
            node = node.get(key) if node and isinstance(node.value, dict) else None
        return node


def parse(text: str) -> Node:
    """The value of the whole text. Raises `JsonError` with line and column."""
    reader = _JsoncParser(text)
    try:
        node = reader.value(reader.skip(1 if text[:1] == "\ufeff" else 0), 0)
        end = reader.skip(node.end)
    except IndexError:
        raise reader.error(len(text), "the text ends too early") from None
    if end != len(text):
        raise reader.error(end, "there is something after the value")
    return node


class _JsoncParser:
    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, at: int, why: str) -> JsonError:
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        return JsonError(f"{line}:{column}: {why}")

    def skip(self, at: int) -> int:
        """Past blanks and comments."""
        while at < len(self.text):
            if self.text[at] in " \t\r\n":
                at += 1
            elif self.text.startswith("//", at):
                end = self.text.find("\n", at)
                at = len(self.text) if end < 0 else end
            elif self.text.startswith("/*", at):
                end = self.text.find("*/", at)
                if end < 0:
                    raise self.error(at, "the comment is never closed")
                at = end + 2
            else:
                break
        return at

    def value(self, at: int, depth: int) -> Node:
        if depth > 100:
            raise self.error(at, "nested too deeply")
        if self.text[at] in "{[":
            return self._container(at, depth)
        import json

        node = Node(at)
        try:
            node.value, node.end = json.JSONDecoder().raw_decode(self.text, at)
        except ValueError:
            raise self.error(at, "this is not a value") from None
        return node

    def _container(self, at: int, depth: int) -> Node:
        node = Node(at)
        close = "}" if self.text[at] == "{" else "]"
        at = self.skip(at + 1)
        while self.text[at] != close:
            child = self._member(at, depth) if close == "}" else self.value(at, depth + 1)
            node.members.append(child)
            at = self.skip(child.end)
            if self.text[at] == ",":
                child.comma = at
                at = self.skip(at + 1)
            elif self.text[at] != close:
                raise self.error(at, f"a `,` or `{close}` is missing")
        node.end = at + 1
        if close == "}":
            node.value = {m.key: m.value for m in node.members}
        else:
            node.value = [m.value for m in node.members]
        return node

    def _member(self, at: int, depth: int) -> Node:
        name = self.value(at, depth + 1)
        if not isinstance(name.value, str):
            raise self.error(at, "a name must be a text")
        colon = self.skip(name.end)
        if self.text[colon] != ":":
            raise self.error(colon, "a `:` is missing")
        child = self.value(self.skip(colon + 1), depth + 1)
        child.key, child.start = name.value, at
        return child


def add(text: str, container: Node, value: object, key: str | None = None) -> str:
    """The text with a member more at the end of an object or array, in the style of the rest."""
    last = container.members[-1] if container.members else None
    name = f"{_dumps(key)}: " if key is not None else ""
    if last is not None and "\n" not in text[container.at : container.end]:
        comma = "" if last.comma is not None else ","
        return text[: last.end] + f"{comma} {name}{_dumps(value)}" + text[last.end :]
    return _add_line(text, container, value, name)


def _add_line(text: str, container: Node, value: object, name: str) -> str:
    """The text with a line more at the end of an object or array, for a new member."""
    newline = "\r\n" if "\r\n" in text else "\n"
    inner_end = container.end - 1
    unit = _unit(text)
    last = container.members[-1] if container.members else None
    outer = _indent(text, container.start)
    indent = _indent(text, last.start) if last else outer + unit
    shown = _dumps(value, unit).replace("\n", newline + indent)
    tail = inner_end
    while text[tail - 1] in " \t\r\n":
        tail -= 1
    before, after = text[:tail], text[tail:]
    trailing = ""
    if last is not None:
        if last.comma is None:
            before = text[: last.end] + "," + text[last.end : tail]
        else:
            trailing = ","
    if not after[: inner_end - tail].strip(" \t") and "\n" not in after[: inner_end - tail]:
        after = newline + outer + text[inner_end:]
    return f"{before}{newline}{indent}{name}{shown}{trailing}{after}"


def remove(text: str, container: Node, child: Node) -> str:
    """The text without a member, its comma and the blanks in front of it."""
    start = child.start
    while text[start - 1] in " \t\r\n":
        start -= 1
    number = container.members.index(child)
    comma = child.comma
    if comma is None and number:
        comma = container.members[number - 1].comma
    end = child.end
    if len(container.members) == 1 and not text[end : container.end - 1].strip(" \t\r\n,"):
        end, comma = container.end - 1, None
        start = start if text[start - 1] in "{[" else end
    cut = text[:start] + text[end:]
    if comma is not None:
        at = comma if comma < start else comma - (end - start)
        cut = cut[:at] + cut[at + 1 :]
    return cut


def put(text: str, node: Node, value: object) -> str:
    """The text with another value in a node's place."""
    return text[: node.at] + _dumps(value) + text[node.end :]


def _dumps(value: object, indent: str | None = None) -> str:
    import json

    return json.dumps(value, indent=indent, ensure_ascii=False)


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """What one level is indented by: as the first indented line, else two spaces."""
    for line in text.split("\n"):
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        if blank and line.strip() and not line.strip().startswith(("*", "/")):
            return "\t" if blank[0] == "\t" else blank
    return "  "

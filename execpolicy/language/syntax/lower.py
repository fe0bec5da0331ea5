"""Writes newer syntax in older words: what Codex reads and the evaluator's engine does not.

`f"{a.b()}-{n!r}"` becomes `"{}-{!r}".format(a.b(), n)` and `b"x"` becomes `bytes("x")`. The result
has as many lines, and whatever was outside an f-string stands on the line where it stood.
"""

import re

from execpolicy.language.syntax.tree import Leaf, Module, Node, Tree, first, last


def lower(module: Module) -> str:
    """The text of a file in syntax that every Starlark has."""
    if not any(leaf.type == "BYTES" or leaf.type.startswith("FSTRING") for leaf in module.leaves):
        return module.text
    return _lower(module, module.root, 0, len(module.text))


def _lower(module: Module, tree: Tree, start: int, end: int) -> str:
    """The text from `start` to `end`, which `tree` stands in, lowered."""
    pieces = []
    for part in _outermost(tree):
        pieces.append(module.text[start : first(part).start_pos])
        if isinstance(part, Node):
            pieces.append(_format(module, part))
        else:
            pieces.append(f"bytes({part.text[1:]})")
        start = last(part).end_pos
    return "".join(pieces) + module.text[start:end]


def _outermost(tree: Tree) -> list[Tree]:
    """The f-strings and bytes in a tree that are in no other of them, in order."""
    found: list[Tree] = []
    stack = [tree]
    while stack:
        top = stack.pop()
        if isinstance(top, Leaf):
            if top.type == "BYTES":
                found.append(top)
        elif top.kind == "fstring":
            found.append(top)
        else:
            stack.extend(reversed(top.children))
    return found


def _format(module: Module, fstring: Node) -> str:
    """A call of `format` for an f-string."""
    template = [first(fstring).text[1:]]
    arguments = []
    for number, part in enumerate(fstring.children[1:], 1):
        if isinstance(part, Node):
            after = last(part)
            converted = after.type == "CONVERSION"
            template.append("{!r}" if converted and after.text.endswith("r") else "{}")
            arguments.append(_argument(module, fstring.children, number, converted))
        elif part.type.startswith("FSTRING_TEXT"):
            template.append(_LONE.sub(r"\1\2\2", part.text))
        elif part.type.startswith("FSTRING_END"):
            template.append(part.text)
    return f"{''.join(template)}.format({', '.join(arguments)})"


# A brace after a backslash stands for both characters. Elsewhere in the text braces come in pairs.
_LONE = re.compile(r"(?<!\\)((?:\\\\)*\\)([{}])")


def _argument(module: Module, siblings: list[Tree], number: int, converted: bool) -> str:
    """What a hole holds, and the blanks and comments around it, without the conversion."""
    hole = siblings[number]
    start, end = last(siblings[number - 1]).end_pos, first(siblings[number + 1]).start_pos
    if not converted:
        return _lower(module, hole, start, end)
    conversion = last(hole)
    text = _lower(module, hole, start, conversion.start_pos)
    return text + module.text[conversion.end_pos : end]

"""Where the values of a loop's variable come from, by the text of a script.

`for f in $(a); do …; done`, `a | while read -r f; do …; done` and `…; done < <(a)`: where the text
names the variable nowhere else but after a `$`, and has one loop and no function, the variable
holds what `a` prints wherever the text uses it.
"""

import re

from execpolicy.support.record import Value

_NAME = re.compile(r'"?\$(?:(\w+)|\{(\w+)\})"?')
_COMMAND = r"[^|;&<>$`()\n]*"
_OTHERWISE = re.compile(
    r"\(\)|\bfunction\b|\beval\b|\bsource\b|(?:^|[;&|\n]\s*)\.\s|\$'|\bIFS=[^ ]|\bread\b.*\bread\b"
    r"|\\\n|\bexec\b|\balias\b|\{\w+:?=|\bset\b|\bshift\b"
)


class Loop(Value):
    """What a loop takes its values from: the commands of a pipeline, the first of which prints."""

    commands: tuple[str, ...]


def of_variable(source: str, text: str) -> Loop | None:
    """The loop whose variable this word is, and nothing else; None where that is not certain."""
    found = _NAME.fullmatch(source)
    if found is None or _OTHERWISE.search(text) or len(re.findall(r"\bdone\b", text)) != 1:
        return None
    name = found[1] or found[2]
    if not re.match(r"[A-Za-z_]", name) or _uses(name, text[text.rindex("done") :]):
        return None
    printing = _for(name, text) or _while(name, text)
    # What prints runs in a shell of its own, and may name the variable: `find -type f`.
    rest = text.replace(printing, "", 1) if printing else text
    if printing is None or len(re.findall(rf"(?<![\w$./-])(?<!\$\{{){name}(?!\w)", rest)) != 1:
        return None
    commands = [part.split() for part in printing.split("|")]
    return Loop(tuple(words[0] for words in commands)) if all(commands) else None


def _for(name: str, text: str) -> str | None:
    """The command whose output a `for` goes through."""
    found = re.search(rf"\bfor\s+{name}\s+in\s+\$\(({_COMMAND})\)\s*[;\n]\s*do\b", text)
    if found is None or _uses(name, text[: found.start()]) or not _ends(text):
        return None
    return found[1]


def _while(name: str, text: str) -> str | None:
    """The command or pipeline whose lines a `while` reads."""
    head = rf"\bwhile\s+(?:IFS=\s+)?read\s+(?:-r\s+)?{name}\s*[;\n]\s*do\b"
    found = re.search(rf"(?:^|[;&\n])\s*((?:{_COMMAND}\|)+)\s*{head}", text)
    if found is not None and _ends(text):
        return None if _uses(name, text[: found.start()]) else found[1].rstrip("|")
    begun = re.search(rf"(?:^|[;&\n])\s*{head}", text)
    ended = re.search(rf"\bdone\s*<\s*<\(({_COMMAND})\)\s*(?:$|[;&\n])", text)
    if begun is None or ended is None or _uses(name, text[: begun.start()] + text[ended.end() :]):
        return None
    return ended[1]


def _ends(text: str) -> bool:
    """Whether nothing is redirected into the loop."""
    return re.search(r"\bdone\s*(?:$|[;&|)\n])", text) is not None


def _uses(name: str, text: str) -> bool:
    return re.search(rf"\$\{{?{name}(?!\w)", text) is not None

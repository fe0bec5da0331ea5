"""Rules of a file that differ in one word: together they are one rule, with alternatives for it."""

import ast
import re
from collections.abc import Iterator

from execpolicy.model.decision import Decision
from execpolicy.store.line import paths_line, quoted
from execpolicy.support.record import Value

_RULE = re.compile(rb"^(?:prefix|path)_rule\((?:.*|\r?\n(?: .*\n)+)\)\r?$", re.M)
_CONDITION = "effects"
"""What a rule says that was offered: other rules stay as they were written."""

Tokens = tuple[tuple[str, ...], ...]


class RuleText(Value):
    """A rule of a file: its words, what else it says, and the text around the words.

    The words of a rule for paths are these, then the modes and the programs; `around` is empty.
    """

    tokens: Tokens
    rest: tuple[str, ...] = ()
    around: tuple[str, ...] = ()

    def line(self) -> bytes:
        """The rule as `fmt` has it."""
        from execpolicy.language.format.format import format_text

        if self.around:
            words = ", ".join(map(_written, self.tokens))
            text = f"[{words}]".join(self.around)
        else:
            paths, modes, programs = self.tokens
            text = paths_line(paths, modes, Decision.ALLOW, programs)
        return format_text(text).rstrip("\n").encode()


def _written(alternatives: tuple[str, ...]) -> str:
    words = [quoted(word) for word in alternatives]
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]"


def on_a_line(rule: str) -> str:
    """A rule as one line: its strings hold no line ends."""
    first, *lines = [line.strip() for line in rule.splitlines()]
    return first + " ".join(lines[:-1]).removesuffix(",") + lines[-1] if lines else first


def joined(content: bytes, line: str) -> bytes | None:
    """The content with the word of a new rule among those of a rule that differs in it alone; None
    where there is no such rule.

    >>> one = 'prefix_rule(["bd", "{}"], decision = "allow", effects = ["remote"])'
    >>> joined(one.format("note").encode(), one.format("close"))
    b'prefix_rule(["bd", ["note", "close"]], decision = "allow", effects = ["remote"])'
    """
    for start, end, at, old, new in _alike(content, line):
        if new.tokens[at][0] not in old.tokens[at]:
            return _with(content, start, end, old, at, (*old.tokens[at], *new.tokens[at]))
    return None


def parted(content: bytes, line: str) -> bytes:
    """The content as it was before this rule was joined to another."""
    for start, end, at, old, new in _alike(content, line):
        if old.tokens[at][-1:] == new.tokens[at]:
            return _with(content, start, end, old, at, old.tokens[at][:-1])
    return content


def _alike(content: bytes, line: str) -> "Iterator[tuple[int, int, int, RuleText, RuleText]]":
    """Where rules stand that differ from one in a single place, that place, and both rules."""
    new = _read(line)
    for start, end, old in _rules(content) if new is not None else ():
        at = _only_difference(old, new) if new is not None else None
        if new is not None and at is not None:
            yield start, end, at, old, new


def _with(
    content: bytes, start: int, end: int, rule: RuleText, at: int, words: tuple[str, ...]
) -> bytes:
    tokens = *rule.tokens[:at], words, *rule.tokens[at + 1 :]
    line = rule.replace(tokens=tokens).line()
    newline = b"\r\n" if b"\r\n" in content else b"\n"
    return content[:start] + line.replace(b"\n", newline) + content[end:]


def _only_difference(old: RuleText, new: RuleText) -> int | None:
    """The one place where rules differ that is not the program of a command."""
    if (old.rest, len(old.tokens), bool(old.around)) != (
        *(new.rest, len(new.tokens), bool(new.around)),
    ) or any(len(words) > 1 for words in new.tokens):
        return None
    pairs = enumerate(zip(old.tokens, new.tokens, strict=True))
    found = [at for at, (one, two) in pairs if one != two]
    return found[0] if len(found) == 1 and (found[0] or not old.around) else None


def _rules(content: bytes) -> "Iterator[tuple[int, int, RuleText]]":
    for found in _RULE.finditer(content):
        text = found[0].rstrip(b"\r")
        rule = _read(text.decode(errors="surrogateescape"))
        if rule is not None:
            yield found.start(), found.start() + len(text), rule


def _read(text: str) -> RuleText | None:
    """A rule that was offered, whose call is spelled as one of Python is, too."""
    text = on_a_line(text)
    try:
        (statement,) = ast.parse(text).body
        call = statement.value  # type: ignore[attr-defined]
        (pattern,) = call.args
        first = ast.literal_eval(pattern)
        named = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    except (AttributeError, SyntaxError, ValueError):
        return None
    if call.func.id == "path_rule":
        return _of_paths(first, named)
    words = tuple(tuple(word) if isinstance(word, list) else (word,) for word in first)
    if _CONDITION not in named or not all(isinstance(one, str) for word in words for one in word):
        return None
    before, _, after = text.partition(ast.get_source_segment(text, pattern) or "")
    rest = tuple(ast.dump(keyword) for keyword in call.keywords)
    return RuleText(words, rest, (before, after))


def _of_paths(paths: object, named: dict[str, object]) -> RuleText | None:
    """A rule for paths that allows what it says and names programs."""
    if named.pop("decision", "") != "allow" or named.keys() != {"modes", "programs"}:
        return None
    given = paths, named["modes"], named["programs"]
    tokens = tuple(tuple(words) for words in given if isinstance(words, list))
    return RuleText(tokens) if len(tokens) == len(given) else None

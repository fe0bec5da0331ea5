"""The notation once more: a grammar as a structure, and reading by trying everything.

It knows nothing of the compiler or the reader. It renders a grammar as the text that a rules file
would hold, and says what a literal argv does by it.
"""

import itertools
from collections.abc import Iterator

from execpolicy.model.written.program import Form, Program
from execpolicy.support.record import Value

KINDS = {"text": "", "file": "read", "out": "write", "remove": "destroy", "program": "execute"}


class Option(Value):
    """`count` values, -1 for an optional one. `kind` is theirs, `effect` the option's own."""

    names: tuple[str, ...]
    count: int = 0
    kind: str = "text"
    effect: str = ""

    def __str__(self) -> str:
        value = {-1: f"[={self.kind}]", 0: ""}.get(
            self.count, "=" + ",".join([self.kind] * self.count)
        )
        return "/".join(self.names) + value + (f"!{self.effect}" if self.effect else "")


class Shape(Value):
    """A form: base effect, the option it needs, and operands as (kind, quantifier)."""

    effect: str
    needs: tuple[str, ...]
    operands: tuple[tuple[str, str], ...]

    def form(self) -> Form:
        text = " ".join(kind + quantifier for kind, quantifier in self.operands)
        return Form(self.effect, needs=" ".join(self.needs), operands=text)


class Grammar(Value):
    options: tuple[Option, ...]
    shapes: tuple[Shape, ...]
    posix: bool = False
    abbreviations: bool = False

    def program(self, name: str = "prog") -> Program:
        last = self.shapes[-1].form()
        return Program(
            (name,),
            " ".join(map(str, self.options)),
            last.operands,
            last.effect,
            tuple(shape.form() for shape in self.shapes[:-1]),
            "posix" if self.posix else "gnu",
            abbreviations=self.abbreviations,
        )

    def find(self, name: str) -> Option | None:
        exact = [o for o in self.options if name in o.names]
        begun = [o for o in self.options if any(n.startswith(name) for n in o.names)]
        if name.startswith("--") and not exact and self.abbreviations and len(begun) == 1:
            return begun[0]
        return exact[0] if exact else None

    def perhaps(self, name: str) -> list[Option]:
        """The options that do more than nothing and that an unknown one may be short for."""
        return [
            o
            for o in self.options
            if o.count in (0, 1, -1)
            and (o.effect or (o.count and o.kind != "text"))
            and any(n.startswith(name) for n in o.names)
        ]


Used = list[tuple[Option, tuple[str, ...]]]


def effects(grammar: Grammar, words: tuple[str, ...]) -> set[str]:
    """All effects of the words behind the program's name, without `read`."""
    if words in (("--help",), ("--version",)):
        return set()
    used: Used = []
    operands, fine = split(grammar, list(words), used)
    found = {o.effect for o, _ in used} | {KINDS[o.kind] for o, v in used if v}
    for shape in grammar.shapes:
        if shape.needs and not any(set(o.names) & set(shape.needs) for o, _ in used):
            continue
        kinds = next(lay(shape.operands, len(operands)), None)
        if kinds is not None:
            found |= {*shape.effect.split(), *(KINDS[kind] for kind in kinds)}
            break
    else:
        fine = False
    return (found | (set() if fine else {"unknown"})) - {"", "read"}


def split(grammar: Grammar, words: list[str], used: Used) -> tuple[list[str], bool]:
    """The operands, and whether all else is known; options go to `used`."""
    operands: list[str] = []
    fine = True
    while words:
        word = words.pop(0)
        if word == "--":
            return operands + words, fine
        if not word.startswith("-") or word == "-":
            if grammar.posix:
                return [word, *words], fine
            operands.append(word)
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            fine &= take(grammar, name, value if equals else None, words, used)
        else:
            fine &= bundle(grammar, word[1:], words, used)
    return operands, fine


def take(grammar: Grammar, name: str, value: str | None, words: list[str], used: Used) -> bool:
    option = grammar.find(name)
    if option is None:
        given = words[:1] if value is None else [value]
        used += [(o, tuple(given) if o.count == 1 else ()) for o in grammar.perhaps(name)]
    if option is None or (value is not None and option.count not in (1, -1)):
        return False
    if value is not None:
        used.append((option, (value,)))
        return True
    values = tuple(words[: max(option.count, 0)])
    del words[: max(option.count, 0)]
    used.append((option, values))
    return len(values) == max(option.count, 0)


def bundle(grammar: Grammar, letters: str, words: list[str], used: Used) -> bool:
    if not letters:
        return True
    option = grammar.find("-" + letters[0])
    if option is None:
        return False
    if option.count == 0:
        used.append((option, ()))
        return bundle(grammar, letters[1:], words, used)
    return take(grammar, "-" + letters[0], letters[1:] or None, words, used)


def lay(operands: tuple[tuple[str, str], ...], count: int) -> Iterator[tuple[str, ...]]:
    """All ways to lay so many words on the operands, the greediest first."""
    ranges = [_times(quantifier, count) for _, quantifier in operands]
    for times in itertools.product(*ranges):
        if sum(times) == count:
            yield tuple(
                kind for (kind, _), n in zip(operands, times, strict=True) for _ in range(n)
            )


def _times(quantifier: str, count: int) -> tuple[int, ...]:
    """How often a kind may stand, often first."""
    most, least = {"": (1, 1), "?": (1, 0), "*": (count, 0), "+": (count, 1)}[quantifier]
    return tuple(range(most, least - 1, -1))

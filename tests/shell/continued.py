"""Random scripts with line continuations, tabs and carriage returns where they are not expected.

A shell removes a backslash and the newline after it from some texts before it reads them, and
keeps both in others. `broken` puts some at random places of any script; `nested` writes commands
into commands, in every construct that holds a text, with continuations in the quotes inside.
"""

# ruff: noqa: E501

import re
from random import Random

from tests.shell_strategies import NAMES, ScriptMaker

_BREAKS = (
    *["\\\n"] * 12, "\\\n\t", "\\\n ", "\t\\\n", "\\\\\n", "\\\\\\\n", "\\\n\\\n", "\t", "\n\t",
)  # fmt: skip
_NEXT_TO = re.compile(r"[$`'\"{}()<>\[\]&|;#=\\\n:!~-]")
_KEY = re.compile(r"k[0-9]+")


def broken(random: Random, text: str) -> str:
    """The script with continuations and the like at random places, none in the middle of a key."""
    keys = [match.span() for match in _KEY.finditer(text)]
    places = {_place(random, text) for _ in range(random.choice((1, 1, 2, 3, 5, 8)))}
    for place in sorted(places, reverse=True):
        if not any(start < place < end for start, end in keys):
            sign = "\r" if random.random() < 0.01 else random.choice(_BREAKS)
            text = text[:place] + sign + text[place:]
    return text


def _place(random: Random, text: str) -> int:
    signs = list(_NEXT_TO.finditer(text))
    if signs and random.random() < 0.6:
        return random.choice(signs).start() + random.choice((0, 1, 1))
    return random.randrange(len(text) + 1)


def nested(random: Random) -> str:
    """Commands in the texts of commands, each with a key of its own."""
    return _Nest(random).script()


_QUOTED = (
    "'@'",
    '"@"',
    "'a@b'",
    "'@",
    "'\\@'",
    '"\\@"',
    "x@y",
    "@z",
    "$'@'",
    "\"'@'\"",
    "'\"@\"'",
    "'#@'",
)
_INSIDE = (
    "$v", "-x", "--y=z", "it", "# a", "`", "$", "x'y", "\\", "", " ", "\t", "a\tb", "$(", ")", "${u}", "}", "E", "$v:h", "~",
)  # fmt: skip
_AROUND = (
    "$(@)", '"$(@)"', "$( @ )", "`%`", '"`%`"', "${u:-$(@)}", '"${u:-$(@)}"', "${u:-`%`}", '"${u:-`%`}"',
    "$((1+0$(@)))", "$((0`%`))", '"$((0$(@)))"', "'q'$(@)", "$v`%`", "${v#$(@)}", '"${v%`%`}"', "${u-'a'`%`}",
    '"${u:+$(@)}$(@)"', "'`%`'", "\\`@\\`", '"\\$(@)"', "\"'`%`'\"", "\"'$(@)'\"", "${u:=`%`}", "~$(@)",
)  # fmt: skip
_BODY = (
    "$(@)", "`%`", "${u:-$(@)}", "${u:-`%`}", "$((0$(@)))", "$((0`%`))", "'$(@)'", '"`%`"', "text # $(@)", "\\$(@)",
    "\\`@\\`", "it's `%`", "${u:-'$(@)'}", '${u:-"$(@)"}', "$v $(@)", "x\\\\$(@)", "${v#`%`}",
)  # fmt: skip


class _Nest:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.number = 0

    def script(self) -> str:
        return "\n".join(self.listed(3) for _ in range(self.random.choice((1, 1, 2)))) + "\n"

    def listed(self, depth: int) -> str:
        """A list of commands, perhaps in a compound command or behind a comment."""
        text = self.command(depth)
        if self.random.random() < 0.25:
            text += self.random.choice(("; ", "\n", " | ", " && ", " # it's @\n", "\n# `@\n"))
            text = text.replace("@", self.crumb()) + self.command(depth)
        shape = self.random.choice(_COMPOUNDS) if self.random.random() < 0.25 else "@"
        return shape.replace("@", text)

    def command(self, depth: int) -> str:
        self.number += 1
        parts = [self.random.choice(NAMES), f"k{self.number}"]
        parts += [self.word(depth) for _ in range(self.random.choice((0, 1, 1, 2)))]
        text = self.random.choice((" ", " ", " ", " \\\n", "\t")).join(parts)
        return text + self.heredoc(depth - 1) if self.random.random() < 0.3 else text

    def crumb(self) -> str:
        """A short text, broken somewhere."""
        text = self.random.choice(_INSIDE)
        place = self.random.randrange(len(text) + 1)
        return text[:place] + self.random.choice((*_BREAKS, "", "\n")) + text[place:]

    def word(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.4:
            return self.random.choice(_QUOTED).replace("@", self.crumb())
        return self.filled(self.random.choice(_AROUND), depth - 1)

    def filled(self, shape: str, depth: int) -> str:
        while "@" in shape:
            shape = shape.replace("@", self.ended(self.listed(depth)), 1)
        if "%" in shape:
            # in a replacement `%` of the shape alone counts: what comes in has none
            inner = self.listed(depth)
            inner = inner if self.random.random() < 0.3 else _escaped(inner)
            at = shape.rindex("%")
            shape = shape[:at] + self.ended(inner) + shape[at + 1 :]
        return shape

    def ended(self, inner: str) -> str:
        return inner + "\n" if "<<" in inner else inner

    def heredoc(self, depth: int) -> str:
        end = self.random.choice(("E", "EOF"))
        dash = self.random.choice(("", "", "-"))
        shown = self.random.choice((end, end, end, f"'{end}'", f'"{end}"', f"\\{end}"))
        lines = [self.line(depth) for _ in range(self.random.choice((1, 1, 2)))]
        tab = self.random.choice(("", "\t")) if dash else ""
        return f" <<{dash}{shown}\n" + "".join(f"{tab}{line}\n" for line in lines) + tab + end

    def line(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.3 or depth < 0:
            return self.random.choice(("a @", "'@'", "@", "\\@", "E@", "EOF@", "\t@E")).replace(
                "@", self.crumb()
            )
        return self.filled(self.random.choice(_BODY), depth)


def _escaped(text: str) -> str:
    """The text as it has to stand in backquotes to mean the same."""
    return (
        text.replace("\\", "\\\\").replace("`", "\\`").replace("$", "\\$").replace("\\\\\n", "\\\n")
    )


_COMPOUNDS = (
    "if @\nthen :; fi", "for w in 1; do @\ndone", "case a in a) @\nesac", "case a in\n(a) @\n;; esac", "{ @\n}",
    "(@\n)", "while @\ndo break; done", "f() { @\n}; f", "eval : ; @", "! @", "[ a ] && @", "x=$(@\n)", "x=1 @",
)  # fmt: skip


_BASH_ONLY = re.compile(
    r"\[\[|[<>]\(|<<<|&>|\|&|\$['\"\[]|arr|declare|^time|coproc|select|function |\{fd|\(\([a-z ]|;&|;;&"
    r"|\^\^|@Q|\$\{v/|\$\{v:0|\$\{!|\+=|-v |^let|^\(\(|^local"
)
_ONLY = frozenset(
    (ScriptMaker._arithmetic_for, ScriptMaker._conditional, ScriptMaker._arithmetic, ScriptMaker._coproc,
     ScriptMaker._select)
)  # fmt: skip


class _Portable(Random):
    """Chooses nothing that bash alone reads."""

    def choice(self, seq):  # type: ignore[no-untyped-def]
        kept = [
            one
            for one in seq
            if not (_BASH_ONLY.search(one) if isinstance(one, str) else one in _ONLY)
        ]
        return super().choice(kept or seq)


def portable(random: Random) -> str:
    """A script grown from the grammar that every shell has."""
    return ScriptMaker(_Portable(random.random())).script()

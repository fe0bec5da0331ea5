"""Programs in the rules language, drawn from the grammar itself, and files of literal calls."""

from random import Random

from hypothesis import strategies as st
from lark.grammar import NonTerminal, Symbol
from lark.lexer import PatternStr

from execpolicy.language.syntax.parser import parser
from execpolicy.language.syntax.syntax import parse

# Names that begin or end like a keyword or a string prefix, and plain ones.
_NAMES = ("inside", "notx", "ifs", "r", "b", "f", "fr", "loads", "True", "None", "prefix_rule")
_TEXTS = {
    "INT": ("0", "7", "0x1F", "0O17", "0b101", "123456789012345678901234567890"),
    "FLOAT": ("1.", ".5", "1e5", "01.5E-3", "0."),
    "STRING": (
        '""',
        "'x'",
        '"a b"',
        r'"\"\\"',
        r"'\x41\u0041\U0001F600\101\q'",
        '"""a"b""\nc"""',
        "'''#'''",
        r'r"\d"',
        r"r'\''",
        '"\\\n"',
        '"# no comment"',
        '"ж\t"',
    ),
    "BYTES": ('b"x"', r"br'\n'", "b'''x'''"),
    "CONVERSION": ("!r", "!s"),
    "AUGMENT": ("+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>="),
    "COMPARE": ("==", "<=", ">="),
    "SHIFT": ("<<", ">>"),
    "FSTRING_TEXT_1": ("a", " #", "{{", '"', "\\'", "\\{"),
    "FSTRING_TEXT_2": ("a", " #", "}}", "'", '\\"', "\\\\"),
    "FSTRING_TEXT_3": ("a\n", "{{}}", "'x", '"""'),
    "FSTRING_TEXT_6": ("a\n", "{{}}", '"x', "'''"),
}
_QUOTES = {"1": "'", "2": '"', "3": "'''", "6": '"""'}
_GAPS = (" ", "  ", " \\\n", "", " ")
_INNER_GAPS = (*_GAPS, "\n", " # in\n", "\n\n    ", "\r\n", "\n# line\n")
_ENDS = ("\n", "\n\n", "\n# line\n", "  # end\n", " \n", "\r\n", "\n    # deep\n", "\n\t\n")
_LEFT = (
    (("NAME", "x"),),
    (("NAME", "x"), ("DOT", "."), ("NAME", "y")),
    (("NAME", "x"), ("LSQB", "["), ("INT", "0"), ("RSQB", "]")),
    (("LPAR", "("), ("NAME", "x"), ("RPAR", ")")),
)
_SEVERAL = (
    (("NAME", "x"), ("COMMA", ","), ("NAME", "y")),
    (("NAME", "x"), ("COMMA", ",")),
    (("LPAR", "("), ("NAME", "x"), ("COMMA", ","), ("NAME", "y"), ("RPAR", ")")),
    (("LSQB", "["), ("NAME", "x"), ("RSQB", "]")),
    (("LPAR", "("), ("RPAR", ")")),
)

Token = tuple[str, str]


class _Grammar:
    """The grammar's productions, the shortest first, and how deep each symbol is at least."""

    def __init__(self) -> None:
        rules = parser().rules
        self.literals = {
            t.name: t.pattern.value for t in parser().terminals if isinstance(t.pattern, PatternStr)
        }
        self.productions: dict[str, list[list[Symbol]]] = {}
        for rule in rules:
            self.productions.setdefault(rule.origin.name, []).append(list(rule.expansion))
        self.depth = self._depths()
        for options in self.productions.values():
            options.sort(key=lambda o: (self.deepest(o), len(o)))

    def _depths(self) -> dict[str, int]:
        self.depth = dict.fromkeys(self.productions, 1000)
        changed = True
        while changed:
            changed = False
            for name, options in self.productions.items():
                best = 1 + min(self.deepest(option) for option in options)
                changed |= best < self.depth[name]
                self.depth[name] = min(best, self.depth[name])
        return self.depth

    def deepest(self, option: list[Symbol]) -> int:
        names = [s.name for s in option if isinstance(s, NonTerminal)]
        return max((self.depth[name] for name in names), default=0)


class _Writer:
    """Writes one program. Every choice takes a byte; without bytes the shortest way is taken."""

    def __init__(self, choices: bytes, grammar: _Grammar) -> None:
        self.choices = iter(choices)
        self.grammar = grammar
        self.tokens: list[Token] = []
        self.names = 0

    def pick(self, count: int) -> int:
        return next(self.choices, 0) % count

    def expand(self, name: str, around: frozenset[str] = frozenset(("top",))) -> None:
        if name == "targets":
            self.tokens.extend((_LEFT + _SEVERAL)[self.pick(9)])
            return
        option = self._option(name, around)
        inside = _around(name, around)
        for number, symbol in enumerate(option):
            if name == "assignment" and number == 0:
                several = len(option) == 3 and option[1].name == "EQUAL"
                lefts = _LEFT + _SEVERAL if several else _LEFT
                self.tokens.extend(lefts[self.pick(len(lefts))])
            elif isinstance(symbol, NonTerminal):
                self.expand(symbol.name, inside)
            else:
                self.tokens.append((symbol.name, self._text(symbol.name)))

    def _option(self, name: str, around: frozenset[str]) -> list[Symbol]:
        options = [o for o in self.grammar.productions[name] if _allowed(name, o, around)]
        if name == "file" or name.startswith("__"):  # a repetition: rather go on than end
            half = len(options) // 2
            return options[half * (self.pick(5) > 0) + self.pick(half)]
        single = len(options[0]) == 1 and isinstance(options[0][0], NonTerminal)
        if single and name != "statement" and self.pick(8) < 6:
            return options[0]
        return options[self.pick(len(options))]

    def _text(self, terminal: str) -> str:
        if terminal.startswith("FSTRING_START"):
            raw = self.pick(4) == 3
            return ("fr" if raw else "f") + _QUOTES[terminal[-1]]
        if terminal.startswith("FSTRING_END"):
            return _QUOTES[terminal[-1]]
        if terminal == "NAME":
            self.names += 1
            return f"{_NAMES[self.pick(len(_NAMES))]}{self.names}"
        if terminal in _TEXTS:
            return _TEXTS[terminal][self.pick(len(_TEXTS[terminal]))]
        return self.grammar.literals.get(terminal, "")

    def layout(self) -> str:
        """The text of the tokens, with blanks, comments and line ends between them."""
        pieces: list[str] = []
        margins = [0]
        brackets: list[str] = []
        fresh = True
        for number, (kind, text) in enumerate(self.tokens):
            if kind == "_NL":
                pieces.append(_ENDS[self.pick(len(_ENDS))])
                fresh = True
            elif kind == "_INDENT":
                margins.append(margins[-1] + (4, 2, 1, 8)[self.pick(4)])
            elif kind == "_DEDENT":
                margins.pop()
            else:
                before = self.tokens[number - 1] if number else ("", "")
                pieces.append(" " * margins[-1] if fresh else self._gap(before, kind, brackets))
                fresh = False
                _nest(kind, brackets)
                pieces.append(text)
        return "".join(pieces)

    def _gap(self, before: Token, kind: str, brackets: list[str]) -> str:
        if kind.startswith(("FSTRING_TEXT", "FSTRING_END")) or kind == "CONVERSION":
            return ""
        in_text = brackets and brackets[-1].startswith("FSTRING")
        if in_text:
            return ""
        gaps = _INNER_GAPS if brackets else _GAPS
        gap = gaps[self.pick(len(gaps))]
        touching = before[1][-1:] in "()[],;" or kind in ("RPAR", "RSQB", "COMMA")
        return gap if gap or (touching and before[0] != "LBRACE") else " "


def _nest(kind: str, brackets: list[str]) -> None:
    if kind in ("LPAR", "LSQB", "LBRACE") or kind.startswith("FSTRING_START"):
        brackets.append(kind)
    elif kind in ("RPAR", "RSQB", "RBRACE") or kind.startswith("FSTRING_END"):
        brackets.pop()


def _around(name: str, around: frozenset[str]) -> frozenset[str]:
    if name == "def_statement":
        return frozenset(("def",))
    if name == "for_statement":
        return (around | {"for"}) - {"top"}
    return around - {"top"} if name == "if_statement" else around


def _allowed(name: str, option: list[Symbol], around: frozenset[str]) -> bool:
    first = option[0].name if option else ""
    if name == "assignment":
        return not (len(option) == 4 and option[2].name == "AUGMENT")
    if first == "RETURN":
        return "def" in around
    if first in ("BREAK", "CONTINUE"):
        return "for" in around
    # Two texts side by side would be read as one.
    joined = [s.name for s in option if s.name.startswith("FSTRING_TEXT")]
    return len(joined) < 2 and (first != "load_statement" or "top" in around)


_grammar: list[_Grammar] = []


def _program(choices: bytes) -> str:
    if not _grammar:
        _grammar.append(_Grammar())
    writer = _Writer(choices, _grammar[0])
    writer.expand("file")
    return writer.layout()


def programs(size: int = 600) -> st.SearchStrategy[str]:
    """Programs that the grammar makes and the checks after it let pass.

    A seed and a length: bytes drawn one by one would nearly always be few.
    """
    return st.builds(_seeded, st.integers(0, 2**32), st.integers(10, size))


def _seeded(seed: int, size: int) -> str:
    return _program(Random(seed).randbytes(size))  # noqa: S311


_PIECES = (
    *"()[]{},:=*/+-.;#'\"\\`$@~%<>|^&!",
    *("\n", "\n  ", "\t", "\r", "\\\n", "==", "**", "->", "...", "//", "<<=", "!r", "{{", "}}"),
    *("'''", '"""', 'r"', "b'", " in ", " not ", " if ", " else ", " for ", "lambda ", "def "),
    *("return", "load", "is", "while ", "elif", "pass", "x", "0", "1.", "1e", "0x", "é"),
)


def damaged(size: int = 120) -> st.SearchStrategy[str]:
    """Programs with a piece put in, taken out or replaced."""
    edit = st.tuples(st.integers(0, 10_000), st.integers(0, 3), st.sampled_from(("", *_PIECES)))
    return st.builds(_damage, programs(size), st.lists(edit, min_size=1, max_size=3))


def _damage(text: str, edits: list[tuple[int, int, str]]) -> str:
    for place, cut, piece in edits:
        place %= len(text) + 1
        text = text[:place] + piece + text[place + cut :]
    return text


_words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8
) | st.sampled_from(("git", "push", "-f", "a b", '"', "'", "\\", "{x}", "#", "\n"))
_alternatives = st.lists(_words, min_size=1, max_size=3)
_patterns = st.lists(_words | _alternatives, min_size=1, max_size=4)
_arguments = st.fixed_dictionaries(
    {},
    optional={
        "decision": st.sampled_from(("allow", "prompt", "forbidden")),
        "justification": _words,
        "match": st.lists(_words | _alternatives, max_size=2),
        "exact": st.booleans(),
        "n": st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.none(),
        "t": st.tuples(_words, st.integers()) | st.tuples() | st.tuples(_words),
        "d": st.dictionaries(_words, _words, max_size=2),
    },
)

Call = tuple[list[object], dict[str, object]]


def literal_calls() -> st.SearchStrategy[list[Call]]:
    """Positional and named arguments of calls, as Python values."""
    return st.lists(st.tuples(st.lists(_patterns, max_size=1), _arguments), max_size=5)


def written(value: object) -> str:
    """A value as a rules file has it."""
    if isinstance(value, str):
        return '"' + "".join(_ESCAPES.get(c, c) for c in value) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(written(v) + ", " for v in value) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in value.items()) + "}"
    return repr(value)


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n"}


def written_call(name: str, call: Call) -> str:
    positional, named = call
    given = [*map(written, positional), *(f"{k} = {written(v)}" for k, v in named.items())]
    return f"{name}({', '.join(given)})"


_SPACES = ("", " ", "  ", "\n", "\n    ", " \n")
_REMARKS = (*_SPACES, " # a\n", "\n# b\n", "\n\n")


def spread(text: str, choices: bytes, gaps: tuple[str, ...]) -> str:
    """A file of calls with other blanks, line ends and comments inside its brackets."""
    picked = iter(choices)
    pieces: list[str] = []
    depth = 0
    for leaf in parse(text).leaves:
        inside = depth > 0
        depth += (leaf.text in ("(", "[", "{")) - (leaf.text in (")", "]", "}"))
        gap = gaps[next(picked, 0) % len(gaps)] if inside else leaf.before
        pieces += [gap, leaf.text]
    return "".join(pieces) + "\n"


def spread_calls(comments: bool) -> st.SearchStrategy[tuple[str, str]]:
    """A file of literal calls, and the same file laid out otherwise."""
    gaps = _REMARKS if comments else _SPACES
    texts = literal_calls().map(lambda calls: "\n".join(written_call("f", c) for c in calls))
    seeds = st.integers(0, 2**32).map(lambda seed: Random(seed).randbytes(200))  # noqa: S311
    return st.tuples(texts, seeds).map(lambda t: (t[0], spread(*t, gaps)))

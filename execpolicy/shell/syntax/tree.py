"""The tree of a script text.

A node that holds others has them in `inside`, in the order of the text: commands, the signs between
them, and whatever is found on the way (substitutions in words, spots that are not understood,
variables that are set). Nodes are put into the tree before what is in them is read: of a text that
cannot be read to its end, the tree of what was read is left.
"""

LITERAL = 0
"""A part as written, without quotes: may hold glob characters, braces, a tilde."""
QUOTED = 1
"""A part as meant, after quote removal."""
VALUE = 2
"""A computed part that is exactly one piece of a word."""
SPLIT = 3
"""A computed part that is any number of words."""
LAST_PROCESS = "!"  # the text of such a part, for `$!`
QUOTED_VARIABLE = 4
"""`"$name"`"""
VARIABLE = 5
"""`$name`"""
NUMBER = 6
"""A computed part without quotes that is digits only."""
ELEMENTS = 7
"""`"$@"` and `"${a[@]}"`: any number of words."""
DIGITS = 8
"""A computed part in quotes that is digits only."""


class Context:
    """Where a command stands.

    `certain`: it runs whenever the text runs to this point, in the shell itself. `loop` and
    `function`: it may run more than once, or later than its place says.
    `fed`: the pipeline before it, None for what is not a simple command. `via`: the substitutions,
    subshells and functions around it. `succeeded`: the simple command after which it runs, and only
    if that one ended well.
    """

    __slots__ = ("certain", "fed", "function", "loop", "succeeded", "via")

    def __init__(
        self,
        via: tuple[str, ...] = (),
        certain: bool = True,
        loop: bool = False,
        function: str | None = None,
        fed: "tuple[SimpleCommand | None, ...]" = (),
        succeeded: "SimpleCommand | None" = None,
    ) -> None:
        self.via = via
        self.certain = certain
        self.loop = loop
        self.function = function
        self.fed = fed
        self.succeeded = succeeded

    def within(self, via: str) -> "Context":
        """The context within a substitution, a subshell or the like."""
        return Context((*self.via, via), False, self.loop, self.function, self.fed, self.succeeded)

    def perhaps(self, loop: bool = False) -> "Context":
        """The context where a command may or may not run, perhaps again and again."""
        return Context(self.via, False, self.loop or loop, self.function, self.fed, self.succeeded)

    def upon(self, succeeded: "SimpleCommand | None") -> "Context":
        """The context of a member of an and-or list that runs only if this command ended well."""
        return Context(self.via, False, self.loop, self.function, self.fed, succeeded)

    def body(self, name: str) -> "Context":
        """The context in the body of the function `name`."""
        return Context((*self.via, f"function {name}"), False, self.loop, name)

    def after(self, fed: "tuple[SimpleCommand | None, ...]") -> "Context":
        """The context after these commands in a pipeline."""
        return Context(self.via, False, self.loop, self.function, fed, self.succeeded)


class WordPart:
    """A part of a word, of one of the kinds above.

    `text` is the text of a literal part and the name of a variable, empty for the rest.
    `substitution` is what a `$(…)` runs.
    """

    __slots__ = ("kind", "substitution", "text")

    def __init__(
        self, kind: int, text: str = "", substitution: "Substitution | None" = None
    ) -> None:
        self.kind = kind
        self.text = text
        self.substitution = substitution

    def is_sign(self, text: str) -> bool:
        """Whether it is this text, without quotes."""
        return self.kind == LITERAL and self.text == text


def has_sign(parts: list[WordPart], text: str) -> bool:
    """Whether one of the parts is this text, without quotes."""
    return any(part.text == text and part.kind == LITERAL for part in parts)


class Word:
    """A word and its parts. `text` is set where the word is literal without further ado.

    `raw` is what stands there without line continuations and without escapes in `$'…'`, if there
    are any. `names` are the variables whose value is in it, also by way of a substitution.
    """

    __slots__ = ("end", "names", "parts", "raw", "start", "text")

    def __init__(
        self,
        start: int,
        end: int,
        text: str | None,
        parts: list[WordPart],
        names: tuple[str, ...] = (),
    ) -> None:
        self.start = start
        self.end = end
        self.text = text
        self.parts = parts
        self.raw: str | None = None
        self.names = names


class AssignmentWord:
    """`name=value`, `name+=value`, `name[i]=value`, `name=(…)` where an assignment may stand.

    `partly`: the variable keeps a part of its old value. `elements` are those of an array.
    """

    __slots__ = ("elements", "end", "name", "partly", "raw", "start", "value")

    def __init__(
        self,
        start: int,
        end: int,
        name: str,
        value: Word | None,
        partly: bool,
        elements: "list[Word] | None",
    ) -> None:
        self.start = start
        self.end = end
        self.name = name
        self.value = value
        self.partly = partly
        self.elements = elements
        self.raw: str | None = None


class Redirect:
    """A redirection. `body` is the text of a heredoc as a word, None for every other kind."""

    __slots__ = ("body", "descriptor", "end", "operator", "start", "target")

    def __init__(self, start: int, end: int, operator: str, descriptor: str, target: Word) -> None:
        self.start = start
        self.end = end
        self.operator = operator
        self.descriptor = descriptor
        self.target = target
        self.body: Word | None = None


class Node:
    """Anything that stands in the tree."""

    __slots__ = ()


class Sign(Node):
    """What stands between commands."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


AND, OR, NOT, PIPE = Sign("&&"), Sign("||"), Sign("!"), Sign("|")
PIPE_ALL = Sign("|")
"""`|&`, which pipes standard error, too."""
SEMICOLON, AMPERSAND, NEWLINE = Sign(";"), Sign("&"), Sign("\n")


class Branch(Node):
    """A node with others in it."""

    __slots__ = ("inside",)

    def __init__(self, inside: list[Node] | None = None) -> None:
        self.inside: list[Node] = [] if inside is None else inside


class List(Branch):
    """Commands one after the other, with `;`, `&` and line breaks between them."""

    __slots__ = ()


class AndOr(Branch):
    """Pipelines with `&&` and `||` between them."""

    __slots__ = ()


class Pipeline(Branch):
    """Commands with `|` between them. `whole` of them were read to their end."""

    __slots__ = ("whole",)

    def __init__(self, inside: list[Node]) -> None:
        super().__init__(inside)
        self.whole = 1


class Beside(Branch):
    """What runs beside the shell: before a `&`, or after `time`, as zsh does it."""

    __slots__ = ()


class Substitution(Branch):
    """`$(…)`, a backquote, `<(…)`, `>(…)` or the body of a heredoc, as `via` says.

    `first` and `last` are where its nodes stand among all nodes in their order.
    """

    __slots__ = ("first", "last", "via")

    def __init__(self, via: str) -> None:
        super().__init__()
        self.via = via
        self.first = self.last = 0


class Subshell(Branch):
    """`( list )`"""

    __slots__ = ()


class Group(Branch):
    """`{ list }`"""

    __slots__ = ()


class Test(Branch):
    """`[[ … ]]` or `(( … ))`, with what is in its words."""

    __slots__ = ()


class IfBranch:
    """A condition and what runs where it holds."""

    __slots__ = ("body", "condition")

    def __init__(self) -> None:
        self.condition = List()
        self.body = List()


class If(Node):
    """`if list then list elif list then list else list fi`"""

    __slots__ = ("branches", "otherwise")

    def __init__(self) -> None:
        self.branches: list[IfBranch] = []
        self.otherwise: List | None = None


class While(Node):
    """`while list do list done` or `until list do list done`, as `word` says."""

    __slots__ = ("body", "condition", "word")

    def __init__(self, word: str) -> None:
        self.word = word
        self.condition = List()
        self.body = List()

    @property
    def leader(self) -> "SimpleCommand | None":
        """The simple command that runs first in each turn of a `while`."""
        inside = self.condition.inside if self.word == "while" else []
        while inside and isinstance(inside[0], AndOr):
            inside = inside[0].inside
        return inside[0] if inside and isinstance(inside[0], SimpleCommand) else None


class For(Branch):
    """`for name in words do list done`; `inside` is what is found before the body.

    `words` is None where there is no `in`. `arithmetic`: it is a `for ((…))`. `braces`: the body
    stands in `{ … }`.
    """

    __slots__ = ("arithmetic", "body", "braces", "words")

    def __init__(self) -> None:
        super().__init__()
        self.words: list[Word] | None = None
        self.arithmetic = False
        self.braces = False
        self.body = List()


class Clause(Branch):
    """`pattern | pattern ) list`; `inside` is what is found before the list."""

    __slots__ = ("body",)

    def __init__(self) -> None:
        super().__init__()
        self.body = List()


class Case(Branch):
    """`case word in clause… esac`; `inside` is what is found before the `in`."""

    __slots__ = ("clauses",)

    def __init__(self) -> None:
        super().__init__()
        self.clauses: list[Node] = []


class Coprocess(Branch):
    """`coproc name command`. `whole`: it was read to its end."""

    __slots__ = ("whole",)

    def __init__(self) -> None:
        super().__init__()
        self.whole = False


class Event(Node):
    """A node that does something, at `start`..`end` of the text.

    Its context is known once the tree is put in order. `certain`: see there, and it does not run
    beside the shell. `mixed`: it prints, and messages may be among that.
    """

    __slots__ = ("certain", "context", "end", "start")
    mixed = False

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.context: Context
        self.certain: bool


class SimpleCommand(Event):
    """A simple command.

    `piped`: it runs beside others, in a pipeline or in the background. `outer`: the heredoc or
    here-string of a compound command around it that it reads. `leads`: it runs first in each turn
    of a `while`, whose redirections are `fed`. `shares_input`: it may read some of what is fed
    to a compound command or a function around it, or to the shell by `exec`.
    """

    __slots__ = (
        *("assignments", "fed", "inside", "leads", "mixed", "outer", "piped", "redirects"),
        *("shares_input", "words"),
    )

    def __init__(self, start: int) -> None:
        super().__init__(start, start)
        self.words: list[Word | AssignmentWord] = []
        self.assignments: list[AssignmentWord] = []
        self.redirects: list[Redirect] = []
        self.inside: list[Node] = []
        self.outer: Redirect | None = None
        self.fed: CompoundRedirects | None = None
        self.piped = self.mixed = self.leads = self.shares_input = False


class CompoundRedirects(Event):
    """A compound command with redirections, which are there once all of them are read."""

    __slots__ = ("inside", "redirects")

    def __init__(self, inside: list[Node]) -> None:
        super().__init__(0, 0)
        self.inside = inside
        self.redirects: list[Redirect] = []


class Unsupported(Event):
    """A spot that is not understood; if `needs` are given, only unless all hold numbers.

    A need is the name of a variable, or a substitution whose output is meant.
    """

    __slots__ = ("needs", "why")

    def __init__(
        self, start: int, end: int, why: str, needs: "tuple[str | Substitution, ...]" = ()
    ) -> None:
        super().__init__(start, end)
        self.why = why
        self.needs = needs


class LoopVariable(Event):
    """A variable is set by something else than an assignment.

    `words` are what it takes its value from, each in turn (the list of a `for`), or None where
    that is unknown. `number`: it only ever gets numbers. `until`: end of the loop's body.
    """

    __slots__ = ("name", "number", "until", "words")

    def __init__(
        self, start: int, end: int, name: str, words: list[Word] | None = None, number: bool = False
    ) -> None:
        super().__init__(start, end)
        self.name = name
        self.words = words
        self.number = number
        self.until = end


class Definition(Event):
    """A function is defined; its body stands in `start`..`end`.

    `inside` is what is found before the body, `body` the one command that it is.
    """

    __slots__ = ("body", "inside", "name")

    def __init__(self, start: int, end: int, name: str) -> None:
        super().__init__(start, end)
        self.name = name
        self.inside: list[Node] = []
        self.body: list[Node] = []

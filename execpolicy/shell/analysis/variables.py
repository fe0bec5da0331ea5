"""What a whole script text says about its variables and functions."""

from _collections_abc import Callable, Sequence

from execpolicy.model.operation import Dynamic
from execpolicy.shell.chars import is_number, names
from execpolicy.shell.expansion.word_expander import WordExpander
from execpolicy.shell.syntax.tree import (
    DIGITS,
    NUMBER,
    QUOTED,
    QUOTED_VARIABLE,
    VARIABLE,
    AssignmentWord,
    Definition,
    Event,
    LoopVariable,
    SimpleCommand,
    Substitution,
    Word,
    WordPart,
)

TEXTS = names(
    "_ REPLY OPTARG MAPFILE COPROC DIRSTACK PWD OLDPWD FUNCNAME argv MATCH match mbegin mend path "
    "status history historywords jobtexts dirstack commands words prompt psvar signals "
    "funcstack"
)
"""Names that a shell itself sets to a text: no number even if the script never assigns them."""

INTEGERS = names("SECONDS RANDOM SRANDOM LINENO HISTCMD EPOCHSECONDS EPOCHREALTIME BASHPID OPTIND")
"""Names whose assigned value bash evaluates as arithmetic."""

ZSH_INTEGERS = names(
    "BAUD COLUMNS DIRSTACKSIZE EGID ERRNO EUID FUNCNEST GID HISTSIZE KEYTIMEOUT LINES LISTMAX "
    "LOGCHECK MAILCHECK PERIOD REPORTMEMORY REPORTTIME SAVEHIST SHLVL TMOUT TRY_BLOCK_ERROR "
    "TRY_BLOCK_INTERRUPT UID ZLE_RPROMPT_INDENT"
)
"""The same for zsh, beyond those."""

KEPT = names(
    "IFS HOME PATH PWD OLDPWD SHELL UID EUID PPID GROUPS SHELLOPTS BASHOPTS HOSTNAME HOSTTYPE "
    "MACHTYPE OSTYPE SHLVL COLUMNS LINES LC_ALL LANG PIPESTATUS pipestatus"
)
"""Names whose value the shell may set, refuse or watch: never taken for what was assigned."""

MAX_CHOICES = 24
MAX_STEPS = 50


class Binding:
    """A place where a variable is set: what does it, and with which value."""

    __slots__ = ("event", "how")

    def __init__(self, event: Event, how: AssignmentWord | LoopVariable) -> None:
        self.event = event
        self.how = how


class ShellVariables:
    """Every place where a variable is set, and every function.

    `trap_output`: what is printed may have the words of a trap in it. `modified`: names of which
    zsh may take only a part. `lists`: names that a command makes a list. `positional`: `set` may
    give the positional parameters another value. `tainted`: the text may do what is not understood.
    `frozen`: where a name is first made one that cannot be set.
    """

    __slots__ = (
        "bound",
        "counts",
        "frozen",
        "functions",
        "known",
        "lists",
        "modified",
        "positional",
        "tainted",
        "trap_output",
    )

    def __init__(self) -> None:
        self.counts: Callable[[Substitution | None], bool] = lambda output: False
        self.bound: dict[str, list[Binding]] = {}
        self.functions: dict[str, list[Definition]] = {}
        self.known: dict[str, bool] = {}
        self.frozen: dict[str, int] = {}
        self.lists: set[str] = set()
        self.modified: set[str] = set()
        self.positional = self.tainted = self.trap_output = False

    def bind(self, event: Event, how: AssignmentWord | LoopVariable) -> None:
        """Take note of a place where a variable is set; before any question is asked."""
        self.bound.setdefault(how.name, []).append(Binding(event, how))

    def only(self, name: str) -> "Binding | None":
        """The one place that sets a variable; None where another one may, or it may be kept: after
        `readonly x` bash fails to set it, and goes on with the old value on the next line."""
        found = self.bound.get(name, ())
        if self.tainted or len(found) != 1 or sets_itself(name):
            return None
        start = found[0].event.start
        return found[0] if self.frozen.get(name, start) >= start else None

    @property
    def separates(self) -> bool:
        """Whether words may be split elsewhere than at blanks. `IFS= read x` sets it for itself."""
        found = self.bound.get("IFS", ())
        return ("read" in self.functions and bool(found)) or not all(
            _reads(each.event) for each in found
        )

    def numeric(self, name: str | Substitution, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a variable, or an output, is nothing but numbers, as far as this text goes."""
        if isinstance(name, Substitution):
            return self.counts(name)
        if not seen and name in self.known:
            return self.known[name]
        found = self._holds_numbers(name, seen)
        if not seen:
            self.known[name] = found
        return found

    def _holds_numbers(self, name: str, seen: frozenset[str]) -> bool:
        if name in seen:
            return True
        if len(seen) > MAX_STEPS:
            return False
        if name not in self.bound:
            return not (name in TEXTS or name.startswith("BASH_"))
        seen |= {name}
        return all(self._numeric(each.how, seen) for each in self.bound[name])

    def _numeric(self, how: AssignmentWord | LoopVariable, seen: frozenset[str]) -> bool:
        if isinstance(how, LoopVariable):
            return how.number or (bool(how.words) and self._all_numeric(how.words or [], seen))
        words = how.elements if how.elements is not None else [how.value] if how.value else []
        return self._all_numeric(words, seen)

    def _all_numeric(self, words: list[Word], seen: frozenset[str]) -> bool:
        return all(self.numeric_word(word, seen) for word in words)

    def numeric_word(self, word: Word, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the value of `word` is nothing but a number."""
        if word.text is not None:
            return word.text == "" or is_number(word.text)
        return all(self._numeric_part(part, seen) for part in word.parts)

    def _numeric_part(self, part: WordPart, seen: frozenset[str]) -> bool:
        if part.kind <= QUOTED:
            # `{1..5}` and `-1`, nothing that could begin a name
            return part.text in ("{", "}") or not part.text.strip("0123456789.,-")
        if part.kind in (VARIABLE, QUOTED_VARIABLE):
            return self.numeric(part.text, seen)
        return part.kind in (NUMBER, DIGITS) or self.counts(part.substitution)

    def choices(
        self,
        name: str,
        place: int,
        expander: "WordExpander",
        command: SimpleCommand | None = None,
    ) -> tuple[str, ...] | None:
        """The values that `name` can have at `place`, in `command`; None where not known."""
        binding = self.only(name)
        if binding is None or name in self.modified:
            return None
        event, how = binding.event, binding.how
        if isinstance(how, LoopVariable):
            if how.words is None or not how.start <= place <= how.until:
                return None
            made = [
                each for word in how.words for each in _known(expander.words(word), word, expander)
            ]
            return _literal(made)
        was_made = happened(event, place) or _came_before(event, command)
        if how.partly or how.value is None or not was_made:
            return None
        return _literal(_known([expander.scalar(how.value)], how.value, expander))

    def edges(self, name: str, place: int, expander: "WordExpander") -> tuple[str, str]:
        """What each value of the loop variable `name` begins with, and what it ends with."""
        binding = self.only(name)
        how = binding.how if binding is not None and name not in self.modified else None
        if not isinstance(how, LoopVariable):
            return "", ""
        if how.words is None or not how.start <= place <= how.until:
            return "", ""
        made = [word for each in how.words for word in expander.words(each)]
        begins = [word if isinstance(word, str) else word.prefix for word in made]
        ends = [word if isinstance(word, str) else _tail(word.source) for word in made]
        return _common(begins), _common([end[::-1] for end in ends])[::-1]


def sets_itself(name: str) -> bool:
    """Whether a shell may set `name` on its own, or makes something else of what is assigned."""
    return name in KEPT or name in TEXTS or name in INTEGERS or name.startswith("BASH")


def _reads(event: Event) -> bool:
    """Whether this is a `read` with a setting in front of it."""
    first = event.words[0] if isinstance(event, SimpleCommand) and event.words else None
    return isinstance(first, Word) and first.text == "read"


def happened(event: Event, place: int) -> bool:
    """Whether the assignment was certainly made; a redirection that fails prevents it."""
    redirected = isinstance(event, SimpleCommand) and bool(event.redirects)
    return event.certain and not redirected and event.end <= place


def _came_before(event: Event, command: SimpleCommand | None) -> bool:
    """Whether a command runs only after the assignment was made: `a && x=1 && b "$x"`."""
    if isinstance(event, SimpleCommand) and event.redirects:
        return False
    before = command and command.context.succeeded
    while before is not None and before is not event:
        before = before.context.succeeded
    return before is not None


def _known(
    made: "Sequence[str | Dynamic | None]", word: Word, expander: "WordExpander"
) -> "Sequence[str | Dynamic | None]":
    """What a word becomes, with the home as something known."""
    home = expander.below_home(word) if len(made) == 1 and not isinstance(made[0], str) else None
    return made if home is None else [home]


def _literal(words: "Sequence[str | Dynamic | None]") -> tuple[str, ...] | None:
    if not words or len(words) > MAX_CHOICES:
        return None
    found = tuple(word for word in words if isinstance(word, str))
    return found if len(found) == len(words) else None


def _tail(source: str) -> str:
    """The literal text that a glob ends with."""
    at = max(source.rfind(char) for char in "*?[]{}$`'\"\\~()|")
    return source[at + 1 :]


def _common(texts: list[str]) -> str:
    if not texts:
        return ""
    low, high = min(texts), max(texts)
    i = 0
    while i < len(low) and low[i] == high[i]:
        i += 1
    return low[:i]

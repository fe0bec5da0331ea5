"""Telling options from operands, the way the program itself does."""

from _collections_abc import Sequence

from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.kinds.kind import begins_with_number
from execpolicy.catalogue.option import OPTIONAL, SOME, UNTIL_END, Option
from execpolicy.model.operation import Dynamic, Word
from execpolicy.support.record import Value

_SIGNS = ("-", "+")
_OFF = frozenset(("false", "0", "f", "F", "FALSE", "False"))
_BUNDLE = 4
"""A longer word may be the name of an option that begins with one dash."""
_NO_NAME = frozenset("/.,:+~@%")
"""What stands in no name of an option."""
_BOOLEANS = _OFF | {"true", "1", "t", "T", "TRUE", "True"}


class Given(Value):
    """An option that an argv gives: its name as written, and its values."""

    option: Option
    name: str
    values: tuple[Word, ...] = ()


class Problem(Value):
    """Something about a word of an argv that the entry does not say.

    `why` says what, in words. `waits`: a word after it would be the value that is missing.
    """

    word: str
    why: str
    waits: bool = False


class Tokens:
    """The words of an argv from `at` on, sorted by what they are.

    `maybe_options` are the dynamic words that may be options, or more words than one where that
    matters; `problems` say what the entry does not name. `child` is the subcommand at which reading
    stopped, `first` where the operands begin, `help` whether an option asks for help, `off` the
    identities of flags that were switched off somewhere: `-n=false`, `before` the number of
    operands in front of `--`.
    """

    # What few commands have stays with the class: this is made for every word of every command.
    child: str | None = None
    help = False
    maybe_options: "Sequence[Dynamic]" = ()
    off: frozenset[int] = frozenset()
    before: int | None = None
    _present: set[int] | None = None
    problems: "Sequence[Problem]" = ()

    def __init__(self, entry: CatalogueEntry, argv: tuple[Word, ...], at: int) -> None:
        self.entry = entry
        self.argv = argv
        self.at = at
        self.first = len(argv)
        self.operands: list[Word] = []
        self.options: list[Given] = []
        if entry.style == "plain":
            self._rest(at)
            return
        if entry.style == "tar":
            self._letters()
        self._run()

    def present(self) -> set[int]:
        """The identities of the options that are given."""
        found = self._present
        if found is None:
            found = self._present = {given.option.identity for given in self.options}
        return found

    def _run(self) -> None:
        argv, entry = self.argv, self.entry
        count, children, options = len(argv), entry.children, entry.options
        names = options.names
        while self.at < count:
            word = argv[self.at]
            self.at += 1
            if isinstance(word, Dynamic):
                if self._dynamic(word):
                    continue
            elif word in children:
                self.child = word
                return
            else:
                option = options.get(word) if word in names else None
                if option is not None and not option.count and word[-1] not in "-=":
                    self.options.append(Given(option, word))
                    continue
                if word == "--":
                    self._dashes()
                    return
                signed = option is not None or word[:1] in _SIGNS or entry.key_value
                if signed and self._option(word, option):
                    continue
            if entry.stop_at_operand:
                self._rest(self.at - 1)
                return
            if not self.operands:
                self.first = min(self.first, self.at - 1)
            self.operands.append(word)

    def _dashes(self) -> None:
        """What `--` does: it ends the options, and can be one itself."""
        self.before = len(self.operands)
        option = self.entry.options.get("--")
        if option is not None:
            variable = any(isinstance(word, Dynamic) and not word.single for word in self.operands)
            before = "" if variable else str(len(self.operands))
            self.options.append(Given(option, "--", (before,) if option.count else ()))
        self._rest(self.at)

    def _rest(self, at: int) -> None:
        """Everything from here on is an operand."""
        self.first = min(self.first, at)
        self.operands += self.argv[at:]
        self.at = len(self.argv)

    def _letters(self) -> None:
        """The first word of `tar xvf a.tar`: options without a dash, their values after it."""
        if self.at >= len(self.argv):
            return
        word = self.argv[self.at]
        if isinstance(word, Dynamic):
            self._may_be_options((word,))
        elif not word.startswith("-"):
            self.at += 1
            for letter in word:
                option = self.entry.options.get("-" + letter)
                if option is None:
                    self._unknown(f"-{letter}", word)
                else:
                    self._with_values(option, letter)

    def _option(self, word: str, option: Option | None) -> bool:
        """Take an option with its values; False where the word is an operand."""
        entry = self.entry
        if option is not None and word[-1] != "=":
            self._with_values(option, word)
            return True
        head = word[:1]
        if head != "-":
            if entry.key_value and "=" in word:
                return self._keyed(word)
            if head != "+" or not entry.plus_options:
                return False
        if len(word) < 2:
            return False
        if word in entry.help and not self._may_be_value():
            self.help = True
            return True
        named = word.partition("=")[0] in entry.options.names  # by its own name, `--x=y` for `--x=`
        if entry.options.prefixes and not named and self._joined(word):
            return True
        self._by_style(word)
        return True

    def _by_style(self, word: str) -> None:
        """Take a word that begins with a sign: one option, a long one, or a bundle of letters."""
        if self.entry.style == "word":
            self._word(word)
        elif word[1] == "-":
            self._long(word)
        else:
            self._short(word)

    def _may_be_value(self) -> bool:
        """Whether the word before is an option of which nothing is known, as for `-*`."""
        before = self.argv[self.at - 2]
        known = isinstance(before, Dynamic) or "=" in before or before[:1] != "-"
        return not known and bool(self.options) and self.options[-1].name in ("-", "--")

    def _keyed(self, word: str) -> bool:
        key, _, value = word.partition("=")
        option = self.entry.options.get(key + "=")
        if option is None:
            return False
        self.options.append(Given(option, key + "=", (value,)))
        return True

    def _joined(self, word: str) -> bool:
        """Options that are known by how they begin: `-Wall`, `-Idir`, `+cmd`."""
        for prefix in self.entry.options.prefixes:
            if word.startswith(prefix):
                option = self.entry.options.of_prefix(prefix)
                if prefix == "-" and word[1] != "-" and self.entry.style != "word":
                    self._may_be_bundle(word)
                rest = word[len(prefix) :]
                if option.count == 0 or rest:
                    self.options.append(Given(option, prefix, (rest,) if option.count else ()))
                else:
                    self._with_values(option, prefix)
                return True
        return False

    def _may_be_bundle(self, word: str) -> None:
        """The options that stand in a word, if it is a bundle of letters and not one of which only
        `-*` tells: `-kC DIR`. The next word may then be a value, and stays what it is else. Of what
        may be a long name, `-color`, only the last letter counts."""
        is_name = len(word) > _BUNDLE and not _NO_NAME.intersection(word.partition("=")[0])
        for at, letter in enumerate(word[1:], 2):
            option = self.entry.options.get(f"-{letter}")
            if option is None or (is_name and at < len(word)):
                continue
            if option.count == 1:
                value = (word[at:],) if word[at:] else self.argv[self.at : self.at + 1]
                self.options.append(Given(option, f"-{letter}", value))
                return
            if option.count == 0:
                self.options.append(Given(option, f"-{letter}"))

    def _with_values(self, option: Option, name: str) -> None:
        """An option with its values in the words that follow."""
        count = option.count
        if count == 0 or count == OPTIONAL:
            self.options.append(Given(option, name))
            return
        end = self.at + count if count > 0 else self._end(count)
        values = self.argv[self.at : end]
        if end > len(self.argv) or (count in (SOME, UNTIL_END) and not values):
            self._problem(Problem(name, f"`{name}` has no value", waits=True))
        self.at = end
        several = tuple(v for v in values if isinstance(v, Dynamic) and not v.single)
        if several:
            self._several(several, values, end)
        if count == UNTIL_END:
            self._may_be_options(self._early_ends(values))
        self.options.append(Given(option, name, values))

    def _may_be_options(self, words: tuple[Dynamic, ...]) -> None:
        if not isinstance(self.maybe_options, list):
            self.maybe_options = []
        self.maybe_options.extend(words)

    def _several(self, several: tuple[Dynamic, ...], values: tuple[Word, ...], end: int) -> None:
        """Values that may be more words than one. Those of a pattern at the very end are operands.

        As it is the last word, it also does not matter that it may be none.
        """
        last, entry = several[-1], self.entry
        begins = last.not_option or last.prefix[:1] not in ("", "-", "+")
        if (
            (values[-1] is last and len(several) == 1)
            and (begins and end == len(self.argv))
            and not (entry.children or entry.key_value)
        ):
            self.operands.append(last)
        else:
            self._may_be_options(several)

    def _early_ends(self, values: tuple[Word, ...]) -> tuple[Dynamic, ...]:
        """Computed words that may be the `;`, with words after them that would be options then.

        Where no such word follows, an early end is a mistake of which find says so and stops.
        """
        last = max((at for at, word in enumerate(values) if self._optional(word)), default=0)
        ends = (v for v in values[:last] if isinstance(v, Dynamic) and not v.prefix)
        return tuple(ends)[:1]

    def _optional(self, word: Word) -> bool:
        if isinstance(word, Dynamic):
            return word.prefix[:1] in ("", "-")
        return word[:1] == "-" and (self.entry.style != "word" or word in self.entry.options.names)

    def _end(self, count: int) -> int:
        """Where the values of an option end that takes a command, or any number of words."""
        for at in range(self.at, len(self.argv)):
            word = self.argv[at]
            if count != UNTIL_END:
                if isinstance(word, Dynamic) or word.startswith("-"):
                    return at
            elif word == ";" or (word == "+" and self.argv[at - 1] == "{}"):
                return at + 1
        return len(self.argv)

    def _long(self, word: str) -> None:
        name, equals, value = word.partition("=")
        option = self.entry.options.get(name) or self._abbreviated(name)
        if option is None:
            self._unknown(name, word)
            self._perhaps(name, value if equals else None)
        elif not equals:
            self._with_values(option, name)
        elif option.count == 0:
            why = f"`{name}` takes no value in the catalogue, but `{word}` gives one"
            self._problem(Problem(word, why))
        elif option.count in (1, OPTIONAL):
            self.options.append(Given(option, name, (value,)))
        else:
            self._takes_several(name)

    def _perhaps(self, name: str, value: str | None) -> None:
        """What an option that is not in the catalogue does if it is short for one that is."""
        options = self.entry.options
        for full in options.names:
            option = options.get(full) if full.startswith(name) else None
            if option is None or option.count not in (0, 1, OPTIONAL):
                continue
            if option.effects or option.kinds not in ((), ("text",)):
                given = self.argv[self.at : self.at + 1] if value is None else (value,)
                self.options.append(Given(option, full, given if option.count == 1 else ()))

    def _abbreviated(self, name: str) -> Option | None:
        """The one long option that begins like this, where the entry vouches to list them all."""
        options = self.entry.options
        if not self.entry.abbreviations:
            return None
        named = (options.get(full) for full in options.names if full.startswith(name))
        found = {option.identity: option for option in named if option}
        return next(iter(found.values())) if len(found) == 1 else None

    def _word(self, word: str) -> None:
        name, equals, value = word.partition("=")
        name = name[1:] if name.startswith("--") else name
        option = self.entry.options.get(name)
        if option is None:
            self._unknown(name, word)
        elif not equals:
            self._with_values(option, name)
        elif option.count in (1, OPTIONAL) or (option.count == 0 and value in _BOOLEANS):
            self.options.append(Given(option, name, (value,) if option.count else ()))
            if value in _OFF:
                self.off |= {option.identity}
        else:
            self._problem(Problem(word, f"`{name}` does not take the value in `{word}`"))

    def _short(self, word: str) -> None:
        """A bundle: flags, and at most one option with a value at its end."""
        options, at = self.entry.options, 1
        while at < len(word):
            name = word[0] + word[at]
            at += 1
            option = options.get(name)
            if option is None and word[at - 1].isdigit() and "-NUM" in options.names:
                option = options.get("-NUM")
                at += len(word) - at - len(word[at:].lstrip("0123456789"))
            if option is None:
                self._unknown(name, word)
                return
            if not option.count:
                self.options.append(Given(option, name))
            elif at < len(word):
                self._attached(option, name, word[at:])
                return
            else:
                self._with_values(option, name)

    def _attached(self, option: Option, name: str, value: str) -> None:
        """A value right after its letter: `-ofile`."""
        if option.count in (1, OPTIONAL):
            self.options.append(Given(option, name, (value,)))
        else:
            self._takes_several(name)

    def _takes_several(self, name: str) -> None:
        self._problem(Problem(name, f"`{name}` takes other than one value in the catalogue"))

    def _problem(self, problem: Problem) -> None:
        if not isinstance(self.problems, list):
            self.problems = []
        self.problems.append(problem)

    def _unknown(self, name: str, word: str) -> None:
        within = "" if name == word else f" (in `{word}`)"
        similar = [n for n in self.entry.options.names if n.startswith(name) and n.startswith("--")]
        if similar:
            why = f"`{name}` may be short for `{similar[0]}`: write it in full"
            self._problem(Problem(name, why))
        else:
            self._problem(Problem(word, f"what `{name}`{within} does is not known"))

    def _dynamic(self, word: Dynamic) -> bool:
        """Sort in a dynamic word; True where it is certainly no operand."""
        prefix, entry = word.prefix, self.entry
        if entry.key_value and "=" in prefix and prefix[:1] != "-":
            return self._dynamic_value(word, prefix.index("=") + 1, prefix.index("="))
        if (
            not (prefix or word.not_option or self._harmless_number(word))
            or entry.key_value
            or (entry.plus_options and prefix[:1] == "+")
            or (entry.children and not entry.forms)
        ):
            self._may_be_options((word,))
            return False
        if prefix[:1] != "-":
            return False
        if not self._dynamic_option(word):
            self._may_be_options((word,))
        return True

    def _harmless_number(self, word: Dynamic) -> bool:
        """Whether the word begins with a number, which may have a sign, and no option does.

        Where the number is missing, what is after it begins the word.
        """
        begins, next_char = begins_with_number(word)
        if not begins or next_char in _SIGNS:
            return False
        entry = self.entry
        named = any(name == "-NUM" or name[1:2].isdigit() for name in entry.options.names)
        return not (named or any(n == "-" or n[1:2].isdigit() for n in entry.options.prefixes))

    def _dynamic_option(self, word: Dynamic) -> bool:
        """Take `--name=$x` and `-n$x`, whose names are literal."""
        prefix = word.prefix
        if "=" in prefix and (prefix.startswith("--") or self.entry.style == "word"):
            at = prefix.index("=")
            return self._dynamic_value(word, at + 1, at)
        if prefix.startswith("--") or self.entry.style != "gnu" or len(prefix) < 2:
            return False
        return self._dynamic_value(word, 2, 2)

    def _dynamic_value(self, word: Dynamic, start: int, end: int) -> bool:
        """The word's prefix names an option up to `end`; its value begins at `start`.

        Where a pattern comes to be several words, each begins with that prefix.
        """
        name = word.prefix[:end]
        if self.entry.style == "word" and name.startswith("--"):
            name = name[1:]
        option = self.entry.options.get(name) or self.entry.options.get(word.prefix[:start])
        if option is None or option.count not in (1, OPTIONAL):
            return False
        source = word.source[start:] if word.source.startswith(word.prefix) else word.source
        value = Dynamic(source, word.prefix[start:], word.single)
        self.options.append(Given(option, name, (value,)))
        return True

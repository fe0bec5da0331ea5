"""What an argv does, by the catalogue.

The words lead to an entry: `git -C a remote add b c` to that of `git remote add`. Of its forms the
first counts whose operands fit. What it does is collected as causes: by the form, by each option,
by each operand as its kind says. A computed word may make another form of it: then what that would
do counts, too.
"""

from execpolicy.catalogue.catalogue import Catalogue, Known
from execpolicy.catalogue.form import Form, Override, is_variable
from execpolicy.catalogue.kinds.kind import Kind, fits, must_fit
from execpolicy.catalogue.kinds.names import INNER, REMOTE, TAILS, UNTIL
from execpolicy.catalogue.reading.cause import (
    BASE,
    COMPUTED,
    PROGRAM,
    SHOWS_HELP,
    Cause,
    CommandPart,
    Trigger,
    cause_of,
    causes_of,
    distinct,
    far,
    option,
)
from execpolicy.catalogue.reading.effects import Effects
from execpolicy.catalogue.reading.operands import is_open, place, takes_all
from execpolicy.catalogue.reading.reading import INHERITED, Limit, Reading, StandardInput
from execpolicy.catalogue.reading.tokens import Given, Tokens
from execpolicy.catalogue.reading.words import as_lines, under
from execpolicy.model.operation import Dynamic, Word, show
from execpolicy.model.program import FOLLOWS

_HELP = frozenset(("--help", "--version"))
_ONE_TEXT = ("awk",)
"""The kinds of values of which all that are given make one text: `-e A -e B` is two lines of it."""
_FLAT = ("plain", "tar")
"""The styles in which the first word is never a subcommand: `echo help`, `tar xf a`."""
_INERT = ("text", "task", "object")
"""Kinds of which no word does anything by itself."""
_INTO: frozenset[Kind] = frozenset(("into", "location-into"))
_STR = frozenset((str,))


def read(
    argv: tuple[Word, ...],
    catalogue: Catalogue,
    stdin: StandardInput = INHERITED,
) -> Reading:
    """The effects of an argv whose first word is a bare program name."""
    name = argv[0] if argv else ""
    found = catalogue.lookup(name) if isinstance(name, str) else None
    if found is None:
        return _unknown(argv)
    if found.entry.bundles:
        from execpolicy.catalogue.reading.bundles import taken_apart

        argv = taken_apart(argv, found.entry)
    reading = _CommandReader(argv, catalogue, found, stdin).reading()
    if not _STR.issuperset(map(type, argv)):
        for word in argv:
            if isinstance(word, Dynamic) and word.prefix[:1] == "-":
                return _every_way(reading, argv, catalogue, stdin)
    return reading


def _every_way(
    reading: Reading,
    argv: tuple[Word, ...],
    catalogue: Catalogue,
    stdin: StandardInput,
) -> Reading:
    """The reading with all that the words do if the end of an option is empty."""
    from execpolicy.catalogue.reading.empty_variants import empty_variants

    for words in empty_variants(argv):
        found = catalogue.lookup(words[0]) if isinstance(words[0], str) else None
        other = _unknown(words)
        if found is not None:
            other = _CommandReader(words, catalogue, found, stdin).reading()
        reading = reading.joined(other)
    return reading


def _unknown(argv: tuple[Word, ...]) -> Reading:
    name = show(argv[0]) if argv else ""
    cause = Cause("unknown", f"what `{name}` does is not known")
    return Reading((cause,), (), (name,), argv, None)


class _CommandReader:
    """Goes from the program to its subcommand and reads the words on the way.

    `at` is where the words of the last subcommand begin, `kinds` what its operands are taken for,
    and `prints` what its output is by the form that fits; where `vague`, a computed word may make
    another form of it, so that the output is not known. A `client` works on what another machine
    may have.
    """

    at = 1
    kinds: list[Kind] | None = None
    prints = ""
    vague = False
    client = False

    def __init__(
        self,
        argv: tuple[Word, ...],
        catalogue: Catalogue,
        known: Known,
        stdin: StandardInput,
    ) -> None:
        self.argv = argv
        self.catalogue = catalogue
        self.key = known.path
        self.entry = known.entry
        self.client = known.entry.client
        self.stdin = stdin
        self.path: tuple[str, ...] = (argv[0],)  # type: ignore[assignment]
        self.effects = Effects()
        if stdin is not INHERITED:
            self.effects.stdin = stdin

    def reading(self) -> Reading:
        tokens = self._descend()
        if tokens is None:
            canonical = self.path + self.argv[self.at :]
        else:
            self._judge(tokens)
            canonical = self.path + self.argv[tokens.first if self.entry.children else self.at :]
        if self.entry.settings:
            from execpolicy.catalogue.reading.surroundings import add_settings

            add_settings(self.effects.causes, self.entry, tokens, self.argv[self.at :])
        if self.entry.runs or self.entry.in_place is not None:
            self._placed(tokens)
        for word in self.entry.in_place or ():
            if word[:1] == "*":  # of a tree it changes such files alone: `black .` those in Python
                self.effects.limits += (Limit("include", word),)
        if [cause for cause in self.effects.causes if cause.effect == FOLLOWS]:
            from execpolicy.catalogue.reading.surroundings import through_links

            self.effects.causes = through_links(self.effects.causes)
        if self.client:
            self.effects.changes_elsewhere()
        return self._reading(canonical, tokens)

    def _reading(self, canonical: tuple[Word, ...], tokens: Tokens | None) -> Reading:
        """All that was collected."""
        effects, inner = self.effects, self.effects.inner
        if effects.assignments:
            given = tuple(effects.assignments)
            inner = tuple(each.replace(assignments=given) for each in inner)
        causes, origin = far(effects.settled()), self.entry.origin
        cwd, prints = effects.cwd, "" if self.vague else self.prints
        words = (tuple(tokens.options), tuple(tokens.operands)) if tokens else ((), ())
        rest = (cwd, prints, effects.unless_inner_reads, *words, effects.limits)
        found = Reading(causes, inner, self.path, canonical, origin, *rest)
        named, remotes, code = effects.names_input, effects.remotes, effects.holds_code
        if named or remotes or code or effects.imports:
            more = {"holds_code": code, "imports": effects.imports}
            return found.replace(names_input=named, remotes=remotes, **more)
        return found

    def _placed(self, tokens: Tokens | None) -> None:
        """Say of the causes what depends on the files of the project."""
        from execpolicy.catalogue.reading.surroundings import placed

        options = [each.name for each in tokens.options] if tokens else []
        found = self.effects
        found.causes = placed(found.causes, self.entry, found.inner, options)

    def _descend(self) -> Tokens | None:
        """Follow subcommands to the last one; its words, or None where they do not matter."""
        last = len(self.argv) - 1
        while True:
            at = self.at
            if at == last and self._help():
                self.effects.causes.append(SHOWS_HELP)
                return None
            word = self.argv[at] if at <= last else None
            children = self.entry.children
            if isinstance(word, str) and word in children and self.entry.style not in _FLAT:
                if not self._enter(word, at + 1):
                    return None
                continue
            tokens = Tokens(self.entry, self.argv, at)
            if tokens.child is None:
                if self.entry.help and self._asks_for_help(tokens, at):
                    self.effects.causes.append(SHOWS_HELP)
                    return None
                return tokens
            if tokens.options:
                self._options(tokens, {})
            self._problems(tokens)
            if not self._enter(tokens.child, tokens.at):
                return None

    def _enter(self, child: str, at: int) -> bool:
        """Go on with a subcommand, whose own words begin there; False where nothing is known."""
        self.path += (child,)
        self.key = f"{self.key} {child}"
        self.at = at
        entry = self.catalogue.entry(self.key)
        if entry is None:
            self.effects.unknown(f"what `{' '.join(self.path)}` does is not known")
            return False
        self.entry = entry
        self.client = self.client or entry.client
        if entry.bundles:
            from execpolicy.catalogue.reading.bundles import taken_apart

            self.argv = self.argv[:at] + taken_apart((child, *self.argv[at:]), entry)[1:]
        return True

    def _help(self) -> bool:
        word, entry = self.argv[self.at], self.entry
        if word not in _HELP and word not in entry.help:
            return False
        return entry.style != "plain" and word not in entry.options.names

    def _asks_for_help(self, tokens: Tokens, at: int) -> bool:
        """Whether help is all there is: an option asks for it, or a subcommand is missing."""
        if tokens.problems or tokens.maybe_options:
            return False
        if tokens.help:
            # An option that begins with `+` runs another program in place of this one.
            other = any(g.option.effects and g.name[:1] == "+" for g in tokens.options)
            return not other and all(isinstance(word, str) for word in self.argv[at:])
        return len(self.argv) == at and bool(self.entry.children) and not self.entry.forms

    def _judge(self, tokens: Tokens) -> None:
        operands = tokens.operands
        dynamic = bool(operands) and not _STR.issuperset(map(type, operands))
        form, kinds = self._form(tokens, dynamic)
        self.effects.own = self.argv[: self.at]
        if form is None:
            self._options(tokens, {})
            from execpolicy.catalogue.reading.misfit import misfit

            self.effects.unknown(misfit(" ".join(self.path), self.entry.forms, operands))
        else:
            self.kinds, self.prints = kinds, form.prints
            self._fitting(form, kinds, tokens)
            if form.prints == "fresh":
                from execpolicy.catalogue.reading.unnamed import add_new

                self.prints = add_new(self.effects, self.argv[self.at :])
        if dynamic:
            self.vague = True
            self._other_forms(tokens, form, kinds)
        if tokens.maybe_options or tokens.problems or self.entry.children:
            self._problems(tokens)

    def _fitting(self, form: Form, kinds: list[Kind], tokens: Tokens) -> None:
        """All that the words do by the form that fits."""
        operands, effects = tokens.operands, self.effects
        base = self._base(form)
        if form.operands.has_command:
            effects.own = self._own(operands, kinds)
            if kinds and kinds[-1] in REMOTE:
                effects.unless_inner_reads = base
        if tokens.options:
            self._options(tokens, form.overrides)
        if operands:
            self._operands(operands, kinds)
        if effects.into:  # `cp a b DIR`: what is written there has the names of `a` and `b`
            last = kinds[-1] if kinds and kinds[-1] in _INTO else None
            given = operands[: len(kinds) - (last is not None)]
            effects.copied(given, contents=last == "location-into", trees="tree" in kinds)
        if effects.beside:  # `ln -s ../a DIR`: the path is one from DIR
            effects.set_beside()
        if effects.suffixes:  # `sed -i.old` keeps what was there
            effects.backed_up()
        if form.stdin is not None or form.left_out is not None:
            from execpolicy.catalogue.reading.unnamed import add_unnamed

            add_unnamed(effects, form, kinds, tokens, self.stdin)

    def _form(self, tokens: Tokens, dynamic: bool) -> tuple[Form | None, list[Kind]]:
        """The first form that fits, and the kinds it gives to the operands."""
        operands, variable = tokens.operands, dynamic and any(map(is_variable, tokens.operands))
        for form in self.entry.forms.every or self.entry.forms:
            asks = form.needs or form.without or form.value_needs
            if asks and not is_open(form, tokens):
                continue
            kinds = place(form.operands, operands, variable)
            if kinds is not None:
                return form, kinds
        return None, []

    def _other_forms(self, tokens: Tokens, chosen: Form | None, kinds: list[Kind]) -> None:
        """What else the words can mean, depending on what the dynamic ones turn out to be.

        Forms are tried in their order, so those after the chosen one count only where a computed
        word may keep that one from fitting.
        """
        from execpolicy.catalogue.reading.possible_kinds import possible_kinds

        variable = any(map(is_variable, tokens.operands))
        before = len(self.effects.causes)
        every = self.entry.forms.every or self.entry.forms
        for form in [each for each in every if is_open(each, tokens)]:
            places = form.operands.places
            plain = form is chosen and len(places) == 1  # each word is of the one kind there is
            found = None if plain else possible_kinds(places, tokens.operands)
            if found is not None and form is chosen:
                for word, these, known in zip(tokens.operands, found, kinds, strict=True):
                    self._any_of(word, [kind for kind in these if kind != known])
            elif found is not None:
                self._base(form, computed=True)
                for word, these in zip(tokens.operands, found, strict=True):
                    self._any_of(word, these)
            sure = len(places) == 1 or not tokens.maybe_options  # an option may ask for another
            if form is chosen and variable and sure and takes_all(form, tokens.operands):
                break
            if form is chosen and not variable and all(map(must_fit, kinds, tokens.operands)):
                break
        if len(self.effects.causes) > before:
            self.effects.causes = distinct(self.effects.causes)

    def _base(self, form: Form, computed: bool = False) -> tuple[Cause, ...]:
        """Add what the form itself does, whatever its words are."""
        base = causes_of(form.effects, form.why, COMPUTED if computed else PROGRAM)
        self.effects.causes += base
        return base

    def _own(self, operands: list[Word], kinds: list[Kind]) -> tuple[Word, ...]:
        """The command's own words: all before the command inside it."""
        for at, kind in enumerate(kinds):
            if type(kind) is str and kind in INNER:
                return self.argv[: len(self.argv) - len(operands) + at]
        return self.argv[: self.at]

    def _start(self, operands: list[Word]) -> str:
        """find: what it finds begins with the one path it starts from, `.` if it names none."""
        if self.kinds == ["dir"]:
            start = operands[0]
            return start if isinstance(start, str) else start.prefix
        return "." if self.kinds == [] else ""

    def _options(self, tokens: Tokens, overrides: dict[int, Override]) -> None:
        """What the options do, each as the form changes it."""
        lines: list[Word] = []
        joined_by = ""
        for given in tokens.options:
            known, name, values = given.option, given.name, given.values
            changed = overrides.get(known.identity, known) if overrides else known
            kinds = changed.kinds
            for effect in changed.effects:
                said = f"`{name}` {BASE[effect]}"
                self.effects.causes.append(cause_of(effect, said, option(name)))
            if values and kinds == _ONE_TEXT:
                lines += values
                joined_by = name
            elif values and kinds != ("text",):
                self._option_values(kinds, given, tokens.operands)
            elif kinds and kinds[0] in ("placeholder", "placeholder-or-end"):  # `xargs -i`
                self._add(kinds[0], "{}")
        if lines:
            text = lines[0] if len(lines) == 1 else as_lines(lines)
            self._add(_ONE_TEXT[0], text, joined_by)

    def _option_values(self, kinds: tuple[Kind, ...], given: Given, operands: list[Word]) -> None:
        """What the values of an option do: each by its kind, or all together as a command."""
        first = kinds[0]
        if isinstance(first, str) and first in UNTIL:
            self.effects.start = self._start(operands)
            self.effects.starts = tuple(word for word in operands if isinstance(word, str))
            self.effects.tail(first, given.values, given.name)
        else:
            self._values(kinds, given.values, given.name)

    def _add(self, kind: Kind, word: Word, option: str = "") -> None:
        """What an operand of this kind, or the value of an option, makes the command do."""
        from execpolicy.catalogue.reading.by_kind import add  # many commands have none of these

        add(self.effects, kind, word, option)

    def _values(self, kinds: tuple[Kind, ...], values: tuple[Word, ...], name: str) -> None:
        for at, word in enumerate(values):
            kind = kinds[min(at, len(kinds) - 1)]
            if not fits(kind, word):
                self.effects.unknown(f"what `{name}` does with `{show(word)}` is not known")
            self._add(kind, word, name)

    def _operands(self, operands: list[Word], kinds: list[Kind]) -> None:
        if self.effects.base is not None:
            operands = [under(self.effects.base, word) for word in operands]
        for at, kind in enumerate(kinds):
            if type(kind) is str:
                if kind in _INERT:
                    continue
                if kind in TAILS:
                    self.effects.tail(kind, tuple(operands[at:]))
                    return
            self._add(kind, operands[at])

    def _any_of(self, word: Word, kinds: list[Kind]) -> None:
        for kind in kinds:
            if type(kind) is str and (kind in TAILS or kind == "assignment"):
                why = f"where the command begins cannot be known for `{show(word)}`"
                by = Trigger(CommandPart.OPERAND, show(word))
                self.effects.causes.append(Cause("execute", why, by=by))
            else:
                self._add(kind, word)

    def _problems(self, tokens: Tokens) -> None:
        if tokens.problems or tokens.maybe_options:
            self.vague = True
        for problem in tokens.problems:
            self.effects.unknown(problem.why)
        for word in tokens.maybe_options:
            self.effects.maybe_option(word, self.entry.ceiling, self._ends_options())
        if not self.entry.children:
            return
        if tokens.maybe_options or (tokens.operands and isinstance(tokens.operands[0], Dynamic)):
            self.effects.unknown("which subcommand this is cannot be known")

    def _ends_options(self) -> bool:
        """Whether `--` certainly means no more than that what follows is not an option."""
        entry = self.entry
        return (
            len(self.path) == 1
            and entry.style in ("gnu", "posix")
            and "--" not in entry.options.names
        )

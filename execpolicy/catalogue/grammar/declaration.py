"""One `program(...)` call, judged and turned into the fields of its entry."""

from collections.abc import Iterable

from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.form import Form, Forms, Operand, Operands, Override, ValueNeed
from execpolicy.catalogue.grammar.credentials import credentials
from execpolicy.catalogue.grammar.follows import check, follows
from execpolicy.catalogue.grammar.notation import NotationError, kind, operands, option, words
from execpolicy.catalogue.kinds.kind import Kind, all_names, own_names, possible
from execpolicy.catalogue.kinds.names import SCRIPTS, TAILS, UNTIL
from execpolicy.catalogue.option import EntryOptions, Option
from execpolicy.model.errors import Diagnostic, Span
from execpolicy.model.program import EFFECTS, MARKS, NAMED_HOOKS, PRINTS, RUNS, WRITES
from execpolicy.model.written.program import Form as WrittenForm
from execpolicy.model.written.program import Program

_BELOW = frozenset(("staged", "tracked", "tree", "visible"))
_WHOLE = ("word", "plain", "tar")
"""The styles in which an option is not a bundle of letters."""
STYLES = frozenset(("gnu", "posix", "word", "plain", "tar", "client"))


class Declaration:
    """One program's data, and its diagnostics."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.diagnostics: list[Diagnostic] = []
        self.style = program.style
        self.options: dict[str, Option] = {}
        self._declare(program.options)
        self._check()
        self.forms = tuple(self._form(form) for form in self._all_forms())

    def problem(self, message: str, hint: str | None = None) -> None:
        """Note a mistake in the call, once."""
        origin, name = self.program.origin, "/".join(self.program.names)
        span = Span(origin.file, origin.line)
        found = Diagnostic("program", f"program `{name}`: {message}", span, hint)
        if found not in self.diagnostics:
            self.diagnostics.append(found)

    def _declare(self, text: str) -> None:
        for identity, (names, written) in enumerate(self._written(text, "options")):
            one = written.replace(identity=identity)
            for name in names:
                if self.options.setdefault(name, one) != one:
                    self.problem(f"in options: `{name}` is declared twice")

    def _written(self, text: str, place: str) -> list[tuple[tuple[str, ...], Option]]:
        """The names and the meaning of each option spec of a text."""
        found = []
        for word in words(text):
            try:
                names, one = option(word)
                found.append((tuple(map(self._key, names)), one))
            except NotationError as error:
                self.problem(f"in {place}: `{word}`: {error}")
        return found

    def _key(self, name: str) -> str:
        """The one spelling that stands for `-name` and `--name` where both are the same."""
        both = "word" in self.style and name.startswith("--") and name != "--"
        return name[1:] if both else name

    def _check(self) -> None:
        if any(style not in STYLES for style in self.style.split()):
            known = ", ".join(f"`{style}`" for style in sorted(STYLES))
            self.problem(f"unknown style `{self.style}`", f"write one of {known}")
        if not all(name.split() for name in self.program.names):
            self.problem("a name is empty", 'write `"prog"` or `"prog subcommand"`')
        sort, *hooks = self.program.runs.split() or ("",)
        if sort not in RUNS or (hooks and sort not in NAMED_HOOKS):
            self.problem(
                f"in runs: `{self.program.runs}` is unknown", "write one of " + ", ".join(RUNS[1:])
            )
        if self.program.writes and self._in_place() is None:
            self.problem(f"in writes: `{self.program.writes}` is unknown", "write `operands`")
        try:
            check(self.program.loads, self.program.settings)
            credentials(self.program.credentials)
        except NotationError as error:
            self.problem(str(error))
        if self.program.credentials and any(" " in name for name in self.program.names):
            self.problem("`credentials` are of a whole program", "say with `only` what for")

    def _all_forms(self) -> list[WrittenForm]:
        program = self.program
        if program.operands is None and (program.forms or not program.names):
            return list(program.forms)
        last = WrittenForm(
            program.effect, operands=program.operands, why=program.why, prints=program.prints
        )
        return [*program.forms, last]

    def _form(self, form: WrittenForm) -> Form:
        text = self.program.operands if form.operands is None else form.operands
        places, stdin = self._operands(text or "")
        needs = words(form.needs)
        plain = " ".join(word for word in needs if "=" not in word)
        return Form(
            needs=frozenset(self._ids(plain, "needs")),
            value_needs=tuple(
                tuple(self._valued(part) for part in word.split("&"))
                for word in needs
                if "=" in word
            ),
            without=frozenset(self._ids(self._names(form.without), "without")),
            effects=self._effects(form.effect),
            operands=Operands.of(places),
            overrides=self._overrides(form.options),
            stdin=stdin,
            why=form.why,
            prints=self._prints(form.prints),
            left_out=_left_out(places),
        )

    def _valued(self, text: str) -> ValueNeed:
        """An option and the kind that its value must be of: `-o={json|yaml}`."""
        name, _, of = text.partition("=")
        ids = self._ids(name, "needs")
        try:
            return ValueNeed(ids[0] if len(ids) == 1 else -1, kind(of))
        except NotationError as error:
            self.problem(f"in needs: `{text}`: {error}")
            return ValueNeed(-1, "text")

    def _prints(self, text: str) -> str:
        if text not in PRINTS:
            known = ", ".join(f"`{each}`" for each in PRINTS[1:])
            self.problem(f"unknown output `{text}`", f"write one of {known}")
        return text

    def _operands(self, text: str) -> tuple[tuple[Operand, ...], Kind | None]:
        try:
            return operands(text)
        except NotationError as error:
            self.problem(f"in operands: `{text}`: {error}")
            return (), None

    def _names(self, text: str) -> str:
        """The names of options that are written as they are declared: `-U/--unified[=]`."""
        return " ".join(name for names, _ in self._written(text, "without") for name in names)

    def _ids(self, text: str, place: str) -> tuple[int, ...]:
        ids = []
        for name in (part for word in text.split() for part in word.split("/")):
            one = self.options.get(self._key(name)) or self.options.get(name + "=")
            if one is None:
                self.problem(f"in {place}: `{name}` is not among the options")
            else:
                ids.append(one.identity)
        return tuple(dict.fromkeys(ids))

    def _effects(self, text: str) -> tuple[str, ...]:
        for effect in text.split():
            if effect not in EFFECTS + MARKS:
                known = ", ".join(f"`{e}`" for e in EFFECTS + MARKS)
                self.problem(f"unknown effect `{effect}`", f"write one of {known}")
        return tuple(text.split())

    def _overrides(self, text: str) -> dict[int, Override]:
        found = {}
        for names, written in self._written(text, "the options of a form"):
            for name in names:
                one = self.options.get(name)
                if one is None or one.count != written.count:
                    self.problem(
                        f"in the options of a form: `{name}` is not declared with as many values",
                        "declare it among the program's options; a form only changes kinds",
                    )
                else:
                    found[one.identity] = Override(written.kinds, written.effects)
        return found

    def _ceiling(self) -> dict[str, str]:
        """Each effect that some word can have, with an option that has it, or an empty text."""
        found: dict[str, str] = {}
        for name, one in self.options.items():
            for effect in (*one.effects, *_possible(one.kinds)):
                found.setdefault(effect, name)
        for form in self.forms:
            for effect in _of_form(form):
                found.setdefault(effect, "")
        for effect in ("read", "history"):
            found.pop(effect, None)
        return found

    def entry(
        self, children: frozenset[str], asks: str, loads: str = "", settings: str = ""
    ) -> CatalogueEntry:
        """The entry with these subcommands.

        The rest is of this entry or one above it: `asks` names the options that show help, `loads`
        and `settings` say what the project adds.
        """
        program, styles = self.program, self.program.style.split()
        style = next((s for s in _WHOLE if s in styles), "gnu")
        letters = any(len(child) == 2 and child[0] == "-" for child in children)
        names = [(name, frozenset(own_names(one.kinds))) for name, one in self.options.items()]
        implicit = program.operands is None and not program.forms
        return CatalogueEntry(
            options=EntryOptions.of(self.options),
            forms=Forms.of(() if children and implicit else self.forms),
            origin=program.origin,
            style=style,
            abbreviations=program.abbreviations,
            help=("--help", *asks.split()) if asks else (),
            ceiling=self._ceiling(),
            settings=follows(loads, settings),
            stop_at_operand=bool(children) or "posix" in program.style or self._stops(),
            key_value=any(name.endswith("=") for name in self.options),
            plus_options=any(name.startswith("+") for name in self.options),
            client="client" in styles,
            exec_option=next((name for name, kinds in names if kinds & UNTIL), ""),
            takes_script=any(kinds & (UNTIL | SCRIPTS) for _, kinds in names),
            runs=program.runs,
            in_place=self._in_place(),
            children=children,
            bundles=letters and style not in _WHOLE,
            credentials=" ".join(program.credentials.split()),
        )

    def _in_place(self) -> tuple[str, ...] | None:
        """The options of `writes = "operands --fix"`."""
        what, *options = self.program.writes.split() or ("",)
        return tuple(options) if what == WRITES else None

    def _stops(self) -> bool:
        """Whether a command inside ends the options: not where they stand on both sides."""
        return self._has_tail() and "gnu" not in self.style.split()

    def _has_tail(self) -> bool:
        return any(each.kind in TAILS for form in self.forms for each in form.operands.places)


def _of_form(form: Form) -> tuple[str, ...]:
    """All effects that a call of this form can have, but for its options as declared."""
    kinds = [each.kind for each in form.operands.places] + (
        [] if form.stdin is None else [form.stdin]
    )
    effects = form.effects
    for override in form.overrides.values():
        kinds += override.kinds
        effects += override.effects
    return (*effects, *_possible(kinds))


def _possible(kinds: Iterable[Kind]) -> tuple[str, ...]:
    return tuple(effect for each in kinds for effect in possible(each))


def _left_out(places: tuple[Operand, ...]) -> Kind | None:
    """The kind of the operands that stand for the working directory where none is given, or for all
    of a repository."""
    for each in places:
        if "object" in all_names((each.kind,)):
            return "object"
        if each.required and _names_below(each.kind):
            return None
    return next((each.kind for each in places if _names_below(each.kind)), None)


def _names_below(kind: Kind) -> bool:
    return not _BELOW.isdisjoint(all_names((kind,)))

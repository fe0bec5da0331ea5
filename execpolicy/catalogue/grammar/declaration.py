"""One `program(...)` call, judged and turned into the fields of its entry."""

from execpolicy.catalogue.entry import FIELDS
from execpolicy.catalogue.grammar.follows import check, follows
from execpolicy.catalogue.grammar.kinds import INLINE, INNER, TAILS, UNTIL, behind, named, possible
from execpolicy.catalogue.grammar.notation import (
    MANY,
    ONE,
    Item,
    NotationError,
    Spec,
    operands,
    option,
    words,
)
from execpolicy.catalogue.grammar.notation import kind as kind_of
from execpolicy.model.errors import Diagnostic, Span
from execpolicy.model.program import EFFECTS, MARKS, PRINTS, RUNS, WRITES, Form, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BELOW = frozenset(("tracked", "tree", "visible"))
STYLES = frozenset(("gnu", "posix", "word", "plain", "tar", "client"))


class Declaration:
    """One program's data, and its diagnostics."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.diagnostics: list[Diagnostic] = []
        self.style = program.style
        self.specs: dict[str, Spec] = {}
        self._declare(program.options)
        self._check()
        self.forms = tuple(self._form(form) for form in self._all_forms())

    def problem(self, message: str, hint: str | None = None) -> None:
        origin, name = self.program.origin, "/".join(self.program.names)
        span = Span(origin.file, origin.line)
        found = Diagnostic("program", f"program `{name}`: {message}", span, hint)
        if found not in self.diagnostics:
            self.diagnostics.append(found)

    def _declare(self, text: str) -> None:
        for identity, (names, spec) in enumerate(self._options(text, "options")):
            for name in names:
                if self.specs.setdefault(name, (identity, *spec[1:])) != (identity, *spec[1:]):
                    self.problem(f"in options: `{name}` is declared twice")

    def _options(self, text: str, place: str) -> list[tuple[tuple[str, ...], Spec]]:
        found = []
        for word in words(text):
            try:
                names, spec = option(word, 0)
                found.append((tuple(map(self._key, names)), spec))
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
        if self.program.runs not in RUNS:
            self.problem(
                f"in runs: `{self.program.runs}` is unknown", "write one of " + ", ".join(RUNS[1:])
            )
        if self.program.writes.split()[:1] not in ([], [WRITES]):
            self.problem(f"in writes: `{self.program.writes}` is unknown", "write `operands`")
        try:
            check(self.program.loads, self.program.settings)
        except NotationError as error:
            self.problem(str(error))

    def _all_forms(self) -> list[Form]:
        program = self.program
        if program.operands is None and (program.forms or not program.names):
            return list(program.forms)
        last = Form(
            program.effect, operands=program.operands, why=program.why, prints=program.prints
        )
        return [*program.forms, last]

    def _form(self, form: Form) -> "tuple[Any, ...]":
        text = self.program.operands if form.operands is None else form.operands
        items, stdin = self._operands(text or "")
        least = sum(mode == ONE for _, mode, _ in items)
        most = -1 if any(mode == MANY for _, mode, _ in items) else len(items)
        simple = all(free for _, _, free in items)
        overrides = self._overrides(form.options)
        needs = words(form.needs)
        plain = " ".join(word for word in needs if "=" not in word)
        return (
            frozenset(self._ids(plain, "needs")),
            frozenset(self._ids(self._names(form.without), "without")),
            self._effects(form.effect),
            items,
            least,
            most,
            simple,
            overrides,
            stdin,
            form.why,
            self._prints(form.prints),
            tuple(
                tuple(self._valued(part) for part in word.split("&"))
                for word in needs
                if "=" in word
            ),
            any(kind in INNER for kind, _, _ in items),
            _left_out(items),
        )

    def _valued(self, text: str) -> "tuple[int, Any]":
        """An option and the kind that its value must be of: `-o={json|yaml}`."""
        name, _, of = text.partition("=")
        ids = self._ids(name, "needs")
        try:
            return (ids[0] if len(ids) == 1 else -1), kind_of(of)
        except NotationError as error:
            self.problem(f"in needs: `{text}`: {error}")
            return -1, "text"

    def _prints(self, text: str) -> str:
        if text not in PRINTS:
            known = ", ".join(f"`{each}`" for each in PRINTS[1:])
            self.problem(f"unknown output `{text}`", f"write one of {known}")
        return text

    def _operands(self, text: str) -> "tuple[tuple[Item, ...], Any]":
        try:
            return operands(text)
        except NotationError as error:
            self.problem(f"in operands: `{text}`: {error}")
            return (), None

    def _names(self, text: str) -> str:
        """The names of options that are written as they are declared: `-U/--unified[=]`."""
        return " ".join(name for names, _ in self._options(text, "without") for name in names)

    def _ids(self, text: str, place: str) -> tuple[int, ...]:
        ids = []
        for name in (part for word in text.split() for part in word.split("/")):
            spec = self.specs.get(self._key(name)) or self.specs.get(name + "=")
            if spec is None:
                self.problem(f"in {place}: `{name}` is not among the options")
            else:
                ids.append(spec[0])
        return tuple(dict.fromkeys(ids))

    def _effects(self, text: str) -> tuple[str, ...]:
        for effect in text.split():
            if effect not in EFFECTS + MARKS:
                known = ", ".join(f"`{e}`" for e in EFFECTS + MARKS)
                self.problem(f"unknown effect `{effect}`", f"write one of {known}")
        return tuple(text.split())

    def _overrides(self, text: str) -> "dict[int, tuple[Any, ...]]":
        found = {}
        for names, (_, count, kinds, effects) in self._options(text, "the options of a form"):
            for name in names:
                spec = self.specs.get(name)
                if spec is None or spec[1] != count:
                    self.problem(
                        f"in the options of a form: `{name}` is not declared with as many values",
                        "declare it among the program's options; a form only changes kinds",
                    )
                else:
                    found[spec[0]] = (kinds, effects)
        return found

    def _ceiling(self) -> tuple[tuple[str, str], ...]:
        """Each effect that some word of this program can have, with a culprit."""
        found: dict[str, str] = {}
        for name, (_, _, kinds, effects) in self.specs.items():
            for effect in (*effects, *(e for kind in kinds for e in possible(kind))):
                found.setdefault(effect, f"an option such as `{name}`")
        for form in self.forms:
            self._form_ceiling(form, found)
        found.pop("read", None)
        return tuple(found.items())

    def _form_ceiling(self, form: "tuple[Any, ...]", found: dict[str, str]) -> None:
        _, _, base, items, _, _, _, overrides, stdin, *_ = form
        kinds = [kind for kind, _, _ in items] + ([stdin] if stdin else [])
        for given, effects in overrides.values():
            kinds += given
            base += effects
        for effect in (*base, *(e for kind in kinds for e in possible(kind))):
            found.setdefault(effect, "a word that changes what the rest means")

    def fields(
        self, parent: bool, asks: str, loads: str = "", settings: str = ""
    ) -> "tuple[Any, ...]":
        """The fields of the entry, in the order of FIELDS. `parent`: it has subcommands.

        The rest is of this entry or one above it: `asks` names the options that show help, `loads`
        and `settings` say what the project adds.
        """
        joined = {name: name.endswith("*") and len(name) > 1 for name in self.specs}
        prefixes = [(n[:-1], spec) for n, spec in self.specs.items() if joined[n]]
        named = [(name, frozenset(behind(spec[2]))) for name, spec in self.specs.items()]
        implicit = self.program.operands is None and not self.program.forms
        fields: dict[str, Any] = {
            "options": {n: spec for n, spec in self.specs.items() if not joined[n]},
            "prefixes": tuple(sorted(prefixes, key=lambda item: -len(item[0]))),
            "style": next((s for s in ("word", "plain", "tar") if s in self.style.split()), "gnu"),
            "client": "client" in self.style.split(),
            "stops": parent or "posix" in self.style or self._stops(),
            "keyed": any(name.endswith("=") for name in self.specs),
            "plus": any(name.startswith("+") for name in self.specs),
            "abbreviations": self.program.abbreviations,
            "runs": self.program.runs,
            "writes": self.program.writes,
            "settings": follows(loads, settings),
            "forms": () if parent and implicit else self.forms,
            "help": ("--help", *asks.split()) if asks else (),
            "carrier": next((name for name, kinds in named if kinds & UNTIL), ""),
            "inline": any(kinds & (UNTIL | INLINE) for _, kinds in named),
            "ceiling": self._ceiling(),
            "origin": self.program.origin.packed(),
        }
        return tuple(fields[name] for name in FIELDS)

    def _stops(self) -> bool:
        """Whether a command inside ends the options: not where they stand on both sides."""
        return self._has_tail() and "gnu" not in self.style.split()

    def _has_tail(self) -> bool:
        return any(kind in TAILS for form in self.forms for kind, _, _ in form[3])


def _left_out(items: "tuple[Item, ...]") -> "Any":
    """The kind of the operands that stand for the working directory where none is given."""
    for kind, mode, _ in items:
        if mode == ONE and (kind == "object" or not _BELOW.isdisjoint(named((kind,)))):
            return None
    found = (
        kind
        for kind, mode, _ in items
        if not _BELOW.isdisjoint(named((kind,))) or (kind == "object" and mode == MANY)
    )
    return next(found, None)

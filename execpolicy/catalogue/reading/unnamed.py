"""What a program opens where no word says so: its standard input, the working directory, a new
temporary file."""

from _collections_abc import Sequence

from execpolicy.catalogue.form import Form
from execpolicy.catalogue.kinds.kind import Kind, all_names
from execpolicy.catalogue.reading.by_kind import add
from execpolicy.catalogue.reading.cause import STDIN, Cause
from execpolicy.catalogue.reading.effects import Effects
from execpolicy.catalogue.reading.reading import STREAM, StandardInput, says
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.operation import Access, Word
from execpolicy.model.place import new_path

Laid = Sequence[tuple[Kind, Word]]


def add_unnamed(
    effects: Effects, form: Form, kinds: Sequence[Kind], tokens: Tokens, stdin: StandardInput
) -> None:
    """What a command of this form opens though no word says so; `kinds` are its operands'."""
    if form.left_out == "object":
        _add_objects(effects, form, kinds, tokens)
        return
    if form.stdin is not None:
        _add_input(effects, form.stdin, stdin, tokens.argv)
    if form.left_out is not None:
        laid = tuple(zip(kinds, tokens.operands, strict=False))
        _add_directory(effects, form.left_out, laid, stdin)


def _add_objects(effects: Effects, form: Form, kinds: Sequence[Kind], tokens: Tokens) -> None:
    """What git shows of its objects, by all the operands together."""
    from execpolicy.catalogue.reading.nested_paths import shown

    first = next((at for at, k in enumerate(kinds) if "object" in all_names((k,))), len(kinds))
    before = None if tokens.before is None else max(tokens.before - first, 0)
    shown(effects, tokens.operands[first:], before, one=form.operands.most is not None)


def _add_input(effects: Effects, kind: Kind, stdin: StandardInput, argv: tuple[Word, ...]) -> None:
    """What the program of an argv does with a standard input of some kind."""
    if kind == "typed-input":
        if stdin.fed:
            why = "takes its standard input for what the user types"
            effects.causes.append(Cause("execute", why, by=STDIN))
    elif kind == "remote-input":
        if stdin.fed:
            why = "sends its standard input to another machine"
            effects.causes.append(Cause("remote", why, by=STDIN))
    elif kind == "instructions":
        if stdin.fed:
            effects.causes = [
                c.replace(by=STDIN) if c.is_inherent and c.effect != "read" else c
                for c in effects.causes
            ]
    elif stdin.text is not None and kind not in _CODE:
        _input_effects(effects, kind, stdin.text)
    else:
        named = kind == "python" and not STREAM.isdisjoint(argv)
        subject = Access("-", "execute") if named else None
        effects.causes.append(Cause("execute", says(stdin), subject, STDIN))
        if stdin.printed is not None and kind not in _CODE:
            _input_effects(effects, kind, stdin.printed)
        elif kind == "python" and stdin.text is not None:
            effects.python(stdin.text, STDIN)


_CODE = ("code", "python")
"""The kinds of a text that is run, whatever it says."""


def _input_effects(effects: Effects, kind: Kind, text: str) -> None:
    """What a text does that comes by standard input."""
    before = len(effects.causes)
    add(effects, kind, text)
    effects.causes[before:] = [c.replace(by=STDIN) for c in effects.causes[before:]]


def _add_directory(effects: Effects, kind: Kind, laid: "Laid", stdin: StandardInput) -> None:
    """Read the working directory where no operand says what else.

    `laid` are the operands with their kinds. Who skips what is hidden looks at a pipe first; the
    others read the directory anyway.
    """
    if any(given == kind and (isinstance(word, str) or word.single) for given, word in laid):
        return
    names = all_names((kind,))
    if not (stdin.piped and "visible" in names):
        effects.below(names)


def add_new(effects: Effects, words: Sequence[Word]) -> str:
    """Write the temporary file that these words make; what is printed where its path is known."""
    literal = [word for word in words if isinstance(word, str)]
    path = new_path(literal) if len(literal) == len(words) else None
    add(effects, "out", path or words[-1], "")
    return "fresh" if path else ""

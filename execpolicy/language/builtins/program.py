"""`program`: an entry of the catalogue, what a known program does with its words."""

from typing import TypeGuard

from execpolicy.language.builtins.arguments import mapping
from execpolicy.language.builtins.signature import Given, Parameter, Signature, strings
from execpolicy.language.calls import Plain, type_name
from execpolicy.language.limits import MAX_OPERANDS
from execpolicy.language.problems import Reporter
from execpolicy.model.program import EFFECTS, MARKS
from execpolicy.model.rule import Origin
from execpolicy.model.written.program import Form, Program

MAX_NAMES = 12
"""Words of a program's name: itself and its subcommands."""

PROGRAM = Signature(
    "program",
    (
        Parameter("names", ("string", "list"), required=True),
        Parameter("options", ("string",)),
        Parameter("operands", ("string", "None")),
        Parameter("effect", ("string",)),
        Parameter("forms", ("list",)),
        Parameter("style", ("string",)),
        Parameter("why", ("string",)),
        Parameter("abbreviations", ("bool",)),
        Parameter("help", ("string",)),
        Parameter("prints", ("string",)),
        Parameter("loads", ("string",)),
        Parameter("settings", ("string",)),
        Parameter("runs", ("string",)),
        Parameter("writes", ("string",)),
        Parameter("credentials", ("string",)),
        Parameter("examples", ("dict",)),
    ),
    positional=3,
)


def program(given: Given, origin: Origin, report: Reporter) -> Program | None:
    """The catalogue entry as written; its notation is judged by the catalogue."""
    names = given["names"]
    listed = (names,) if isinstance(names, str) else strings(names)
    forms = _forms(given.get("forms", []), report)
    examples = _examples(given.get("examples"), report)
    if not _are_names(listed, report) or forms is None or examples is None:
        return None
    operands = given.get("operands")
    notations = (str(operands or ""), *(form.operands or "" for form in forms))
    if any(len(notation.split()) > MAX_OPERANDS for notation in notations):
        report("program", f"there are more than {MAX_OPERANDS} operands", at="operands")
        return None
    return Program(
        names=tuple(" ".join(name.split()) for name in listed),
        options=str(given.get("options", "")),
        operands=operands if isinstance(operands, str) else None,
        effect=str(given.get("effect", "read")),
        forms=forms,
        style=str(given.get("style", "")),
        why=str(given.get("why", "")),
        abbreviations=bool(given.get("abbreviations")),
        help=str(given.get("help") or ""),
        prints=str(given.get("prints") or ""),
        loads=str(given.get("loads") or ""),
        settings=str(given.get("settings") or ""),
        runs=str(given.get("runs") or ""),
        writes=str(given.get("writes") or ""),
        credentials=str(given.get("credentials") or ""),
        examples=examples,
        origin=origin,
    )


def _are_names(listed: tuple[str, ...] | None, report: Reporter) -> TypeGuard[tuple[str, ...]]:
    if not listed or not all(name.strip() for name in listed):
        report("program", "`names` must be a name or a non-empty list of names", at="names")
        return False
    if any(len(name.split()) > MAX_NAMES for name in listed):
        report("program", f"a name has more than {MAX_NAMES} words", at="names")
        return False
    return True


def _forms(value: Plain, report: Reporter) -> tuple[Form, ...] | None:
    """The forms, each made by `form(...)`, whose fields are texts."""
    forms = []
    for element in value if isinstance(value, list) else ():
        fields = mapping(element)
        if fields is None or fields.keys() - {*Form.__fields__}:
            report("program", "`forms` must hold calls of `form(...)`", at="forms")
            return None
        operands = fields.pop("operands", None)
        for name, text in fields.items():
            if not isinstance(text, str):
                report("program", f"`{name}` of a form must be a string, not {type_name(text)}")
                return None
        texts = {name: str(text) for name, text in fields.items()}
        forms.append(Form(operands=operands if isinstance(operands, str) else None, **texts))
    return tuple(forms)


def _examples(value: Plain, report: Reporter) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
    if value is None:
        return ()
    examples = []
    for effect, commands in (mapping(value) or {"": None}).items():
        texts = strings(commands)
        if effect not in EFFECTS + MARKS or texts is None:
            hint = "write {effect: [command, …]} with the effects " + ", ".join(EFFECTS + MARKS)
            report("program", "`examples` does not map effects to commands", hint, "examples")
            return None
        examples.append((effect, texts))
    return tuple(examples)

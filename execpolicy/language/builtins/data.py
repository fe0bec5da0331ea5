"""Judges calls of `path_rule`, `program` and `environment`."""

from execpolicy.language.builtins.places import judge_pattern
from execpolicy.language.builtins.prefix import judge_decision, judge_justification
from execpolicy.language.builtins.signature import Parameter, Signature, bind, strings
from execpolicy.language.calls import Call, Plain, type_name
from execpolicy.language.limits import MAX_OPERANDS
from execpolicy.model.effect_defaults import Environment
from execpolicy.model.program import EFFECTS, MARKS, Form, Program
from execpolicy.model.rule import Origin, PathRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.language.problems import Reporter

MAX_NAMES = 12
"""Words of a program's name: itself and its subcommands."""
MODES = ("read", "write", "remove")

PATH = Signature(
    "path_rule",
    (
        Parameter("paths", ("list",), True),
        Parameter("modes", ("list",)),
        Parameter("decision", ("string",), True),
        Parameter("justification", ("string",)),
    ),
    positional=1,
)
PROGRAM = Signature(
    "program",
    (
        Parameter("names", ("string", "list"), True),
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
        Parameter("examples", ("dict",)),
    ),
    positional=3,
)
_LISTS = ("harmless", "steering", "directories", "deaf", "repositories", "secrets")
ENVIRONMENT = Signature(
    "environment",
    tuple(Parameter(name, ("list",)) for name in _LISTS),
    positional=0,
)


def judge_path(call: Call, origin: Origin, report: "Reporter") -> PathRule | None:
    """The rule, or None after a problem was reported."""
    given = bind(call, PATH, report)
    if given is None:
        return None
    before = report.problems.count
    decision = judge_decision(given["decision"], report)
    justification = judge_justification(given.get("justification"), report)
    modes = strings(given.get("modes", list(MODES))) or ()
    for mode in modes:
        if mode not in MODES:
            report("path", f"unknown mode `{mode}`", "write `read`, `write` or `remove`", mode)
    paths = strings(given["paths"]) or ()
    if not paths or not modes:
        report("path", "`paths` and `modes` must be non-empty lists of strings", at="paths")
    for path in paths:
        judge_pattern(path, report, "path")
    if report.problems.count > before:
        return None
    return PathRule(paths, modes, decision, justification, origin)


def judge_program(call: Call, origin: Origin, report: "Reporter") -> Program | None:
    """The catalogue entry as written; its notation is judged by the catalogue."""
    given = bind(call, PROGRAM, report)
    if given is None:
        return None
    names = given["names"]
    listed = (names,) if isinstance(names, str) else strings(names)
    forms = _forms(given.get("forms", []), report)
    examples = _examples(given.get("examples"), report)
    if not listed or not all(name.strip() for name in listed):
        report("program", "`names` must be a name or a non-empty list of names", at="names")
        return None
    if any(len(name.split()) > MAX_NAMES for name in listed):
        report("program", f"a name has more than {MAX_NAMES} words", at="names")
        return None
    if forms is None or examples is None:
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
        examples=examples,
        origin=origin,
    )


def mapping(value: Plain) -> "dict[str, Plain] | None":
    """A recorded dict with string keys, or None if it is anything else."""
    items = value.get("v") if isinstance(value, dict) and value.get("@") == "dict" else None
    if not isinstance(items, list):
        return None
    pairs = [i for i in items if isinstance(i, list) and len(i) == 2 and isinstance(i[0], str)]
    return {str(k): v for k, v in pairs} if len(pairs) == len(items) else None


def _forms(value: Plain, report: "Reporter") -> tuple[Form, ...] | None:
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


def _examples(value: Plain, report: "Reporter") -> tuple[tuple[str, tuple[str, ...]], ...] | None:
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


def judge_environment(call: Call, origin: Origin, report: "Reporter") -> Environment | None:
    """The names and directories that the call states, or None after a problem was reported."""
    given = bind(call, ENVIRONMENT, report)
    if given is None:
        return None
    lists = {name: strings(value) for name, value in given.items()}
    for name, value in lists.items():
        if value is None:
            report("environment", f"`{name}` must hold strings only", at=name)
    if None in lists.values():
        return None
    values = {name: lists.get(name) or () for name in _LISTS}
    return Environment(origin=origin, **values)

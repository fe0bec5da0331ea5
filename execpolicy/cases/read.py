"""Reads `*.rules_test` files: the dialect of rules with builtins for cases.

`case(command, decision, *, because, cwd, shell)` is a case, `table(path)` a table of them, and
`policy(rules, *, builtin)` says which rules they are about.
"""

import os

from execpolicy.cases.case import Case, Suite
from execpolicy.language.builtins.arguments import decision_of
from execpolicy.language.builtins.signature import Parameter, Signature, bind, strings
from execpolicy.language.calls import BuiltinCall
from execpolicy.language.evaluate.evaluate import Source, evaluate
from execpolicy.language.limits import MAX_BYTES, decode
from execpolicy.language.problems import Problems, Reporter
from execpolicy.model.decision import Decision
from execpolicy.model.errors import Diagnostic, Span
from execpolicy.store.sources.files import read_rules

ENDING = ".rules_test"

CASE = Signature(
    "case",
    (
        Parameter("command", ("string", "list"), required=True),
        Parameter("decision", ("string",), required=True),
        Parameter("because", ("string",)),
        Parameter("cwd", ("string",)),
        Parameter("shell", ("string",)),
    ),
    positional=2,
)
TABLE = Signature("table", (Parameter("path", ("string",), required=True),), positional=1)
POLICY = Signature(
    "policy",
    (Parameter("rules", ("list",), required=True), Parameter("builtin", ("bool",))),
    positional=1,
)

# Recorded under the names of builtins that a file of cases has no use for. The line in front is
# taken away again from every place.
_NAMES = {"prefix_rule": "case", "network_rule": "table", "host_executable": "policy"}
_PRELUDE = "; ".join(f"{new} = {old}; {old} = None" for old, new in _NAMES.items()) + "\n"
_ELSEWHERE = "write it into a rules file"
_SHELLS = ("bash", "sh", "zsh")


def read(path: str) -> Suite:
    """The suite of a file, with every problem it has."""
    file = read_rules("", path, MAX_BYTES)
    text, problem = decode(file.data, path)
    problem = file.problem or problem
    if problem:
        return Suite(path, (), builtin=True, cases=(), problems=(problem,))
    (evaluated,) = evaluate([Source(path, _PRELUDE + text)])
    problems = Problems(path, text)
    problems.found += [_moved(d, problems) for d in evaluated.problems]
    reader = _CaseReader(path, problems)
    for call in evaluated.calls:
        if problems.is_full:
            break
        reader.call(call.replace(name=_NAMES.get(call.name, call.name), line=call.line - 1))
    return reader.suite()


def _moved(diagnostic: Diagnostic, problems: Problems) -> Diagnostic:
    span = diagnostic.span
    line = max(span.line - 1, 0)
    source = problems.source(line)
    name = (source or "")[span.column - 1 :].partition("(")[0].strip()
    if name in _NAMES and "`NoneType`" in diagnostic.message:
        diagnostic = diagnostic.replace(code="builtin", message=_misplaced(name), hint=_ELSEWHERE)
    return diagnostic.replace(span=span.replace(line=line), source=source)


def _misplaced(name: str) -> str:
    return f"`{name}` is for rules, not for cases"


class _CaseReader:
    def __init__(self, path: str, problems: Problems) -> None:
        self.path = path
        self.directory = os.path.dirname(os.path.abspath(path))
        self.problems = problems
        self.cases: list[Case] = []
        self.rules: tuple[str, ...] | None = None
        self.builtin = True

    def call(self, call: BuiltinCall) -> None:
        report = self.problems.at(call.line)
        judges = {"case": self._case, "table": self._table, "policy": self._policy}
        if call.name in judges:
            judges[call.name](call, report)
        else:
            report("builtin", _misplaced(call.name), _ELSEWHERE, call.name)

    def _case(self, call: BuiltinCall, report: Reporter) -> None:
        given = bind(call, CASE, report)
        if given is None:
            return
        before = self.problems.count
        decision = decision_of(given["decision"], report)
        command = given["command"]
        words = command if isinstance(command, str) else strings(command)
        if not words:
            report("case", "a case needs a command: a text, or a list of words", at="command")
        if given.get("shell", "sh") not in _SHELLS:
            report("case", "unknown shell", f"write {', '.join(_SHELLS)}", "shell")
        if words and self.problems.count == before:
            self._add(words, decision, given, call.line)

    def _add(
        self, words: str | tuple[str, ...], decision: Decision, given: object, line: int
    ) -> None:
        fields = given if isinstance(given, dict) else {}
        extra = {n: fields.get(n) for n in ("because", "cwd", "shell")}
        self.cases.append(Case(words, decision, Span(self.path, line), **extra))

    def _table(self, call: BuiltinCall, report: Reporter) -> None:
        from execpolicy.cases import tables

        given = bind(call, TABLE, report)
        if given is None:
            return
        path = os.path.join(os.path.dirname(self.path), str(given["path"]))
        try:
            self.cases += tables.read(path)
        except (tables.TableError, OSError, ValueError) as error:
            report("table", str(error), "a table ends in `.csv` or `.jsonl`", str(given["path"]))

    def _policy(self, call: BuiltinCall, report: Reporter) -> None:
        given = bind(call, POLICY, report)
        if given is None:
            return
        names = strings(given["rules"])
        if names is None or self.rules is not None:
            report("policy", "`policy` takes a list of files, and stands once in a file")
            return
        self.rules = tuple(os.path.normpath(os.path.join(self.directory, name)) for name in names)
        self.builtin = bool(given.get("builtin", True))

    def suite(self) -> Suite:
        rules = self._beside() if self.rules is None else self.rules
        for path in rules:
            if not os.path.isfile(path):
                report = self.problems.at(1)
                report("policy", f"there is no file `{path}`", "see `policy(rules = […])`")
        found = tuple(self.problems.found)
        return Suite(self.path, rules, self.builtin, tuple(self.cases), found)

    def _beside(self) -> tuple[str, ...]:
        """The rules of the same name, beside the cases or a directory up."""
        name = os.path.basename(self.path).removesuffix(ENDING) + ".rules"
        for directory in (self.directory, os.path.dirname(self.directory)):
            path = os.path.join(directory, name)
            if os.path.isfile(path):
                return (path,)
        hint = 'write `policy(rules = ["team.rules"])`'
        self.problems.at(1)("policy", f"there are no rules `{name}` for these cases", hint)
        return ()

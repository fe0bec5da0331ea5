"""Makefiles in their simplest form: rules of plain names, recipes, and variables of literal values.

After the manual of GNU make 4.4. Of any other line it is not known what it changes, so that a
makefile with one says nothing.
"""

import re
from _collections_abc import Iterator

from execpolicy.support.record import Value

_NAME = r"[A-Za-z0-9_][\w./+-]*"
_RULE = re.compile(rf"({_NAME}(?:[ \t]+{_NAME})*|\.PHONY)[ \t]*:((?:[ \t]+{_NAME})*)[ \t]*", re.A)
_VARIABLE = re.compile(r"([A-Za-z_]\w*)[ \t]*(?:=|:=|::=|\?=)[ \t]*([^$]*)", re.A)
_TAKEN = re.compile(r"\$(?:\((\w+)\)|\{(\w+)\}|(\$)|(.?))", re.A | re.S)
_PREFIXES = "@+- \t"
_DIRECTIVES = frozenset(
    (
        *("define", "endef", "ifdef", "ifndef", "ifeq", "ifneq", "else", "endif", "include"),
        *("sinclude", "override", "export", "unexport", "undefine", "private", "vpath", "load"),
    )
)
_SPECIAL = re.compile(r"MAKE|SHELL|MFLAGS|GNUMAKE|VPATH|GPATH|SUFFIXES|CURDIR|PATH\b", re.A)
PHONY = ".PHONY"
MAX_RULES = 200
MAX_LINE = 1 << 16
"""Characters of a line of a recipe once its variables have their values."""


class MakeRule(Value):
    """A rule: what a target needs, and the lines of its recipe."""

    needs: tuple[str, ...]
    recipe: tuple[str, ...]


class Makefile(Value):
    """The rules by their targets, the variables, and which target is the first one."""

    rules: "dict[str, MakeRule]"
    phony: frozenset[str]
    variables: "dict[str, str]"
    first: str

    def lines(self, targets: tuple[str, ...]) -> "list[str] | None":
        """What is run for these targets, each line as the shell gets it; None if not known."""
        found: dict[str, None] = {}
        every = [self._order(name, found) for name in targets or (self.first,)]
        if not all(every):
            return None
        expanded = [self._expanded(line) for name in found for line in self.rules[name].recipe]
        return None if None in expanded else [line for line in expanded if line]

    def _order(self, name: str, found: "dict[str, None]") -> bool:
        """Add a target after those that it needs. False where an implicit rule may be for one."""
        rule = self.rules.get(name)
        if rule is None or not (rule.recipe or name in self.phony):
            return False
        if name in found:
            return True
        found[name] = None
        known = [self._order(need, found) for need in rule.needs]
        found[name] = found.pop(name)
        return all(known)

    def _expanded(self, line: str) -> str | None:
        """A line of a recipe with the values of its variables; None where one is not known."""
        values = []
        for match in _TAKEN.finditer(line):
            name = match[1] or match[2]
            if match[3] is None and name not in self.variables:
                return None
            values.append("$" if match[3] else self.variables[name])
        if len(line) + sum(map(len, values)) > MAX_LINE:
            return None
        texts = iter(values)
        return _TAKEN.sub(lambda _: next(texts), line).lstrip(_PREFIXES)


def read(text: str, own: str) -> Makefile | None:
    """A makefile of this name; None where a line of it is not understood."""
    reader = _MakefileReader(own)
    lines = iter(text.split("\n"))
    return reader.makefile if all(reader.takes(line, lines) for line in lines) else None


class _MakefileReader:
    """What the lines so far say. `targets` are those of the rule whose recipe may go on."""

    def __init__(self, own: str) -> None:
        self.taken = _DIRECTIVES | {own}
        self.rules: dict[str, MakeRule] = {}
        self.phony: set[str] = set()
        self.variables: dict[str, str] = {}
        self.targets: tuple[str, ...] | None = None

    @property
    def makefile(self) -> Makefile:
        """All of it."""
        first = next(iter(self.rules), "")
        return Makefile(self.rules, frozenset(self.phony), self.variables, first)

    def takes(self, line: str, lines: "Iterator[str]") -> bool:
        """Whether a line is understood, with those that it goes on in."""
        if line[:1] == "\t":
            return self._takes_recipe(_continued(line, lines))
        body = line.partition("#")[0].rstrip(" \t")
        if "\\" in line or not body:
            return not body and "\\" not in line
        if (rule := _RULE.fullmatch(body)) is not None:
            return self._takes_rule(tuple(rule[1].split()), tuple(rule[2].split()))
        variable = _VARIABLE.fullmatch(body)
        return variable is not None and self._takes_variable(variable[1], variable[2])

    def _takes_recipe(self, line: str | None) -> bool:
        for name in self.targets or ():
            rule = self.rules[name]
            self.rules[name] = rule.replace(recipe=(*rule.recipe, line))
        return line is not None and self.targets is not None

    def _takes_rule(self, targets: tuple[str, ...], needs: tuple[str, ...]) -> bool:
        if targets == (PHONY,):
            self.targets = None
            self.phony.update(needs)
            return True
        self.targets = targets
        known = self.taken | self.rules.keys()
        self.rules.update(dict.fromkeys(targets, MakeRule(needs, ())))
        return known.isdisjoint(targets) and len(self.rules) <= MAX_RULES

    def _takes_variable(self, name: str, value: str) -> bool:
        self.targets = None
        is_new = name not in self.variables and name not in _DIRECTIVES
        self.variables[name] = value
        return is_new and not _SPECIAL.search(name)


def _continued(line: str, lines: "Iterator[str]") -> str | None:
    """A line of a recipe with those that it goes on in, as the shell gets it; None at the end."""
    found = line[1:]
    while (len(found) - len(found.rstrip("\\"))) % 2:
        following = next(lines, None)
        if following is None:
            return None
        found += "\n" + following.removeprefix("\t")
    return found

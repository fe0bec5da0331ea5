"""A file under lint: its text, its calls and their places, its rules."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from execpolicy.catalogue import Catalogue
from execpolicy.language.builtins.examples import Examples
from execpolicy.language.calls import BuiltinCall
from execpolicy.language.compile import Compiled
from execpolicy.language.syntax.calls import Argument, LiteralCall, Text
from execpolicy.language.syntax.calls import calls_of as located
from execpolicy.language.syntax.syntax import parse
from execpolicy.language.syntax.tree import Module, Node, first, last
from execpolicy.lint.finding import Edit, Finding
from execpolicy.lint.registry import severity
from execpolicy.model.errors import Diagnostic, PolicyError, Span
from execpolicy.model.rule import HostExecutable, NetworkRule, PathRule, PrefixRule
from execpolicy.prove.side import Side
from execpolicy.store.snapshot import Snapshot


class Site:
    """One recorded call. `literal` is where it is written, if that is certain; `rule` what it made
    if it is one rule, `examples` the rules and examples of a `prefix_rule`."""

    __slots__ = ("call", "examples", "literal", "rule", "subject")

    def __init__(self, subject: "Subject", call: BuiltinCall, literal: LiteralCall | None) -> None:
        self.subject = subject
        self.call = call
        self.literal = literal
        self.examples: Examples | None = None
        self.rule: HostExecutable | NetworkRule | PathRule | None = None

    @property
    def rules(self) -> tuple[PrefixRule, ...]:
        """The prefix rules of the call, one for each alternative of the first token."""
        return self.examples.rules if self.examples else ()

    def argument(self, name: str, position: int | None = None) -> Argument | None:
        """An argument as written."""
        return self.literal.argument(name, position) if self.literal else None

    def texts(self, name: str, position: int | None = None) -> tuple[Text, ...]:
        """The strings written in an argument."""
        found = self.argument(name, position)
        return found.strings if found else ()

    def place(self, text: str = "", name: str = "", position: int | None = None) -> Span:
        """Where a string stands in an argument; else the argument, else the call."""
        if self.literal is None:
            return Span(self.subject.file, self.call.line)
        for found in self.texts(name, position):
            if found.value == text:
                return found.span
        argument = self.argument(name, position) if name else None
        return argument.span if argument else self.literal.span


class Subject:
    """A file with all that lint knows of it."""

    def __init__(
        self, layer: str, text: str, compiled: Compiled, calls: Sequence[BuiltinCall]
    ) -> None:
        self.layer = layer
        self.file = compiled.file
        self.text = text
        self.lines = text.split("\n")
        self.compiled = compiled
        self.module, self.problems = _module(text, compiled.file)
        self.sites = tuple(self._sites(calls))
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        self._starts = starts

    def _sites(self, calls: Sequence[BuiltinCall]) -> Iterator[Site]:
        """Each call where it is written. Several of one name on a line count only if as many were
        recorded: a call in a loop runs any number of times."""
        written: dict[tuple[str, int], list[LiteralCall]] = {}
        for literal in located(self.module) if self.module else ():
            written.setdefault((literal.name, literal.span.line), []).append(literal)
        made: dict[tuple[str, int], int] = {}
        counts: dict[tuple[str, int], int] = {}
        for call in calls:
            counts[call.name, call.line] = counts.get((call.name, call.line), 0) + 1
        for call in calls:
            key = call.name, call.line
            here = written.get(key, [])
            number = made[key] = made.get(key, -1) + 1
            if len(here) == counts[key]:
                yield Site(self, call, here[number])
            else:
                yield Site(self, call, here[0] if len(here) == 1 else None)

    @cached_property
    def statements(self) -> dict[int, int]:
        """Where each statement at top level begins and ends, if it is a call alone on its lines."""
        return dict(self._statements())

    def _statements(self) -> Iterator[tuple[int, int]]:
        for node in self.module.root.children if self.module else ():
            if isinstance(node, Node) and node.kind == "line":
                call = node.children[0]
                if isinstance(call, Node) and call.kind == "call" and len(node.children) == 2:
                    yield first(call).start_pos, last(call).end_pos

    def finding(
        self,
        code: str,
        message: str,
        span: Span,
        hint: str | None = None,
        other: Span | None = None,
        edits: tuple[Edit, ...] = (),
    ) -> Finding:
        """A finding in this file, with its source line."""
        source = self.lines[span.line - 1] if 0 < span.line <= len(self.lines) else None
        diagnostic = Diagnostic(code, message, span, hint, severity(code), source)
        return Finding(diagnostic, other, edits)

    def offset(self, line: int, column: int) -> int:
        """The offset of a place in the text."""
        return self._starts[line - 1] + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


class Whole(NamedTuple):
    """The policy that all files make, and how the engine decides by one."""

    load: Callable[[], Snapshot]
    side: Callable[[Snapshot], Side]


class Context:
    """All files under lint together, and what stands below them.

    Without the `whole` policy no rule with conditions is compared with others.
    """

    def __init__(
        self,
        subjects: Sequence[Subject],
        catalogue: Catalogue,
        below: Sequence[PrefixRule] = (),
        affects_execution: Callable[[str], bool] = lambda _name: False,
        hosts: Sequence[HostExecutable] = (),
    ) -> None:
        self.subjects = tuple(subjects)
        self.catalogue = catalogue
        self.below = tuple(below)
        self.affects_execution = affects_execution
        self.hosts = tuple(hosts)
        self.whole: Whole | None = None


def _module(text: str, file: str) -> tuple[Module | None, tuple[Diagnostic, ...]]:
    """The tree, or why there is none."""
    try:
        return parse(text, file), ()
    except PolicyError as error:
        return None, error.diagnostics

"""Examples of rules with conditions, run where the catalogue is known."""

from collections.abc import Iterable, Iterator

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.conditions.granted import decides
from execpolicy.language.builtins.examples import Argv, Examples
from execpolicy.language.compile import Compiled
from execpolicy.model.errors import Diagnostic, Span, printable

_HINT = "`execpolicy explain` tells what the catalogue reads in it"


def failing(compiled: Iterable[Compiled], catalogue: Catalogue) -> list[Diagnostic]:
    """A problem for each example that its rule decides otherwise. Places are not looked at."""
    return [
        Diagnostic("example", message, Span(one.file, call.line), _HINT)
        for one in compiled
        for call in one.examples
        for message, _ in wrong(call, catalogue)
    ]


def wrong(call: Examples, catalogue: Catalogue) -> Iterator[tuple[str, Argv]]:
    """What is wrong with the examples of a call, with the words of the example."""
    for argv in call.match:
        if any(r.matches(argv) for r in call.rules) and not _decided(call, argv, catalogue):
            shown = printable(" ".join(argv), 80)
            yield f"the conditions of the rule do not hold for the `match` example `{shown}`", argv
    for argv in call.not_match:
        if _decided(call, argv, catalogue):
            shown = printable(" ".join(argv), 80)
            yield f"the rule matches its `not_match` example `{shown}`", argv


def _decided(call: Examples, argv: Argv, catalogue: Catalogue) -> bool:
    return any(rule.matches(argv) and decides(rule, argv, catalogue) for rule in call.rules)

"""Which words of a program still ask where a rule lifts only some effects."""

from execpolicy.catalogue.catalogue import Catalogue
from execpolicy.catalogue.grammar.kinds import possible
from execpolicy.catalogue.reading.given import levels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

MAX_SHOWN = 6


def still_asks(
    words: "Sequence[str]", lifted: "Iterable[str]", catalogue: Catalogue
) -> tuple[str, ...]:
    """Options and beginnings of operands behind these words that do more than `lifted`.

    The strongest come first; no more than people read.
    """
    found = [level.entry for level in levels(tuple(words), catalogue)]
    if not found:
        return ()
    granted = {*lifted, "read", "secret", "environment"}
    granted |= {"network"} if "remote" in granted else set()
    shown: dict[str, bool] = {}
    for name, effects in (*_options(found[-1].options), *_operands(found[-1].forms)):
        more = granted.issuperset(effects)
        if not more:
            shown.setdefault(name, "destroy" in effects)
    ordered = sorted(shown, key=lambda name: not shown[name])
    return tuple(ordered[:MAX_SHOWN])


def _options(options: "dict[str, Any]") -> "Iterator[tuple[str, tuple[str, ...]]]":
    """Each option by its longest name, with the effects that it adds."""
    names: dict[int, str] = {}
    specs: dict[int, Any] = {}
    for name, spec in options.items():
        if len(name) > len(names.get(spec[0], "")):
            names[spec[0]] = name
        specs[spec[0]] = spec
    for identity, name in names.items():
        spec = specs[identity]
        yield name.rstrip("="), (*spec[3], *(e for kind in spec[2] for e in possible(kind)))


def _operands(forms: "tuple[tuple[Any, ...], ...]") -> "Iterator[tuple[str, tuple[str, ...]]]":
    """Operands of which the beginning tells that they do more: `+ref`, `:ref`."""
    for form in forms:
        for kind, _, _ in form[3]:
            for part in kind[1:] if kind[0] == "|" else (kind,):
                if part[0] == "!" and part[1][0] == "{":
                    for head in part[1][2]:
                        yield f"{head}…", part[2]

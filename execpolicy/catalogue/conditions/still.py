"""Which words of a program still ask where a rule lifts only some effects."""

from execpolicy.catalogue.catalogue import Catalogue
from execpolicy.catalogue.conditions.given import levels
from execpolicy.catalogue.form import Forms
from execpolicy.catalogue.kinds.kind import Literals, OneOf, WithEffects, possible
from execpolicy.catalogue.option import Option, Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_SHOWN = 6


def still_asks(
    words: "Sequence[str]", lifted: "Iterable[str]", catalogue: Catalogue
) -> tuple[str, ...]:
    """Options and beginnings of operands after these words that do more than `lifted`.

    The strongest come first; no more than a user reads.
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


def _options(options: Options) -> "Iterator[tuple[str, tuple[str, ...]]]":
    """Each option by its longest name, with the effects that it adds."""
    names: dict[int, str] = {}
    every: dict[int, Option] = {}
    for name, option in options.items():
        if len(name) > len(names.get(option.identity, "")):
            names[option.identity] = name
        every[option.identity] = option
    for identity, name in names.items():
        option = every[identity]
        effects = (effect for kind in option.kinds for effect in possible(kind))
        yield name.rstrip("="), (*option.effects, *effects)


def _operands(forms: Forms) -> "Iterator[tuple[str, tuple[str, ...]]]":
    """Operands of which the beginning tells that they do more: `+ref`, `:ref`."""
    kinds = (place.kind for form in forms for place in form.operands.places)
    parts = (
        part for kind in kinds for part in (kind.kinds if isinstance(kind, OneOf) else (kind,))
    )
    for part in parts:
        if isinstance(part, WithEffects) and isinstance(part.kind, Literals):
            yield from ((f"{head}…", part.effects) for head in part.kind.heads)

"""The grammar of one program or subcommand, as it is compiled."""

from execpolicy.model.rule import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from execpolicy.catalogue.grammar.follows import Setting

FIELDS = (
    "abbreviations",
    "carrier",
    "ceiling",
    "client",
    "forms",
    "help",
    "inline",
    "keyed",
    "options",
    "origin",
    "plus",
    "prefixes",
    "runs",
    "settings",
    "stops",
    "style",
    "writes",
)


class Entry:
    """An entry, loaded.

    `stops`: options end at the first operand. `keyed`: it has words such as `if=FILE`. `plus`: it
    has options such as `+x`. `help`: options that show help wherever they stand. `carrier`: an
    option whose values are a command up to a `;`, if there is one. `inline`: some option takes
    that or a program text. `runs`: whose code it runs, one of RUNS. `settings`: what the project
    adds to every call, see `follows`. `bundles`: some subcommand is an option of one letter, which
    may stand in a bundle. `ceiling` holds every effect that any word can have, each with a culprit.
    `client`: what it changes is at the server that its words name. `writes`: one of WRITES.
    """

    __slots__ = (*FIELDS, "bundles", "children")

    abbreviations: bool
    bundles: bool
    carrier: str
    ceiling: tuple[tuple[str, str], ...]
    client: bool
    children: frozenset[str]
    forms: "tuple[tuple[Any, ...], ...]"
    help: tuple[str, ...]
    inline: bool
    keyed: bool
    options: "dict[str, Any]"
    origin: Origin
    plus: bool
    prefixes: "tuple[tuple[str, Any], ...]"
    runs: str
    settings: "tuple[Setting, ...]"
    stops: bool
    style: str
    writes: str

    def __init__(self, data: "tuple[Any, ...]", children: "tuple[str, ...]") -> None:
        self.children = frozenset(children)
        (  # in the order of FIELDS
            self.abbreviations,
            self.carrier,
            self.ceiling,
            self.client,
            self.forms,
            self.help,
            self.inline,
            self.keyed,
            self.options,
            origin,
            self.plus,
            self.prefixes,
            self.runs,
            self.settings,
            self.stops,
            self.style,
            self.writes,
        ) = data
        self.origin = Origin.unpacked(origin)
        letters = any(len(child) == 2 and child[0] == "-" for child in children)
        self.bundles = letters and self.style not in _WHOLE


_WHOLE = ("plain", "tar", "word")
"""The styles in which an option is no bundle of letters."""

"""The grammar of one program or subcommand, as it is compiled."""

from execpolicy.rule import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from execpolicy.catalogue.follows import Setting

FIELDS = (
    "abbreviations",
    "carrier",
    "ceiling",
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
)


class Entry:
    """An entry, loaded.

    `stops`: options end at the first operand. `keyed`: it has words such as `if=FILE`. `plus`: it
    has options such as `+x`. `help`: options that show help wherever they stand. `carrier`: an
    option whose values are a command up to a `;`, if there is one. `inline`: some option takes
    that or a program text. `runs`: whose code it runs, `project` for what lies
    in the working directory. `settings`: what the project adds to every call, see `follows`. `ceiling` holds every effect that any word can have, each with a culprit.
    """

    __slots__ = (*FIELDS, "children")

    abbreviations: bool
    carrier: str
    ceiling: tuple[tuple[str, str], ...]
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

    def __init__(self, data: "tuple[Any, ...]", children: "tuple[str, ...]") -> None:
        self.children = frozenset(children)
        (  # in the order of FIELDS
            self.abbreviations,
            self.carrier,
            self.ceiling,
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
        ) = data
        self.origin = Origin.unpacked(origin)

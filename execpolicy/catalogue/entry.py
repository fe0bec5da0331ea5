"""The grammar of one program or subcommand, as it is compiled."""

from _collections_abc import Callable, Sequence

from execpolicy.catalogue.form import Forms
from execpolicy.catalogue.option import EntryOptions
from execpolicy.model.operation import Word
from execpolicy.model.place import SettingsFile
from execpolicy.model.rule import Origin
from execpolicy.support.record import Value

PackedFile = tuple[str, tuple[str, ...], bool]
PackedSetting = tuple[str, str, tuple[PackedFile, ...], tuple[str, ...] | None, tuple[str, ...]]
PackedEntry = tuple[object, ...]
"""The fields of an entry in their order, each as `_CONVERTED` packs it."""


class Setting(Value):
    """What files of a project add to every call of a program.

    `files` are those of which one must be there; empty where none is needed. `early` are the words
    that, alone, are answered before; None where `--help` and `--version` always are. `off` are the
    options that switch it off, and the operands, in lower case, that do where there is no other.
    """

    effect: str
    why: str
    files: tuple[SettingsFile, ...] = ()
    early: tuple[str, ...] | None = None
    off: tuple[str, ...] = ()

    def is_off(self, options: Sequence[str], operands: Sequence[Word]) -> bool:
        """Whether such an option is given, or operands and none but such."""
        named = [isinstance(word, str) and word.lower() in self.off for word in operands]
        return (bool(named) and all(named)) or not set(options).isdisjoint(self.off)

    def packed(self) -> "PackedSetting":
        """The same as plain data, which `marshal` writes."""
        files = tuple((each.name, each.words, each.nested) for each in self.files)
        return self.effect, self.why, files, self.early, self.off

    @staticmethod
    def unpacked(data: "PackedSetting") -> "Setting":
        """The setting that plain data stands for."""
        effect, why, files, early, off = data
        return Setting(effect, why, tuple(SettingsFile(*each) for each in files), early, off)


class CatalogueEntry(Value):
    """How one program, or one subcommand, is called, and what that does.

    `style` is `gnu`, `word`, `plain` or `tar`: how options are spelled. `help`: options that show
    help wherever they stand. `ceiling` holds every effect that any word can have, each with an
    option that has it; with an empty text where it is another word. `settings`: what the project
    adds to every call. `stop_at_operand`: options end at the first operand. `key_value`: it has
    words such as `if=FILE`. `plus_options`: it has options such as `+x`. `exec_option`: an option
    whose values are a command up to a `;`, if there is one. `takes_script`: some option takes that
    or a program text. `runs`: whose code it runs, one of `model.program.RUNS`. `in_place`: it
    writes the files that it reads with one of these options, or always if there are none, and of a
    directory those of the names that begin with a star; None where it does not.
    `client`: what it changes is at the server that its words name. `children` are the subcommands.
    `bundles`: some subcommand is an option of one letter, which may stand in a bundle.
    `credentials` says in its own notation which keys it uses; empty where it uses none.
    """

    options: EntryOptions
    forms: Forms
    origin: Origin
    style: str
    abbreviations: bool
    help: tuple[str, ...]
    ceiling: dict[str, str]
    settings: tuple[Setting, ...]
    stop_at_operand: bool
    key_value: bool
    plus_options: bool
    client: bool
    exec_option: str
    takes_script: bool
    runs: str
    in_place: tuple[str, ...] | None
    children: frozenset[str]
    bundles: bool
    credentials: str

    def packed(self) -> "PackedEntry":
        """The same as plain data, which `marshal` writes."""
        return tuple(
            _CONVERTED[name][0](value) if name in _CONVERTED else value
            for name, value in zip(CatalogueEntry.__fields__, self._astuple(), strict=True)
        )

    @staticmethod
    def unpacked(data: "PackedEntry") -> "CatalogueEntry":
        """The entry that plain data stands for."""
        return CatalogueEntry(
            *[
                _CONVERTED[name][1](value) if name in _CONVERTED else value
                for name, value in zip(CatalogueEntry.__fields__, data, strict=True)
            ]  # type: ignore[arg-type]
        )


_CONVERTED: "dict[str, tuple[Callable[..., object], Callable[..., object]]]" = {
    "options": (EntryOptions.packed, EntryOptions),
    "forms": (Forms.packed, Forms),
    "origin": (Origin.packed, Origin.unpacked),
    "settings": (
        lambda settings: tuple(each.packed() for each in settings),
        lambda data: tuple(map(Setting.unpacked, data)),
    ),
    "children": (lambda names: tuple(sorted(names)), frozenset),
}
"""The fields that are not plain data: how each is packed, and unpacked."""

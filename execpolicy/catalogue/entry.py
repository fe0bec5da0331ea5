"""The grammar of one program or subcommand, as it is compiled."""

from execpolicy.catalogue.form import Forms
from execpolicy.catalogue.option import Options
from execpolicy.model.place import SettingsFile
from execpolicy.model.rule import Origin
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.catalogue.form import PackedForm
    from execpolicy.catalogue.option import PackedOptions
    from execpolicy.model.rule import Packed as PackedOrigin

    PackedFile = tuple[str, tuple[str, ...]]
    PackedSetting = tuple[str, str, tuple[PackedFile, ...], tuple[str, ...] | None, tuple[str, ...]]
    PackedEntry = tuple[
        PackedOptions,
        tuple[PackedForm, ...],
        PackedOrigin,
        str,
        bool,
        tuple[str, ...],
        dict[str, str],
        tuple[PackedSetting, ...],
        bool,
        bool,
        bool,
        bool,
        str,
        bool,
        str,
        tuple[str, ...] | None,
        tuple[str, ...],
        bool,
    ]


class Setting(Value):
    """What files of a project add to every call of a program.

    `files` are those of which one must be there; empty where none is needed. `early` are the words
    that, alone, are answered before; None where `--help` and `--version` always are. `off` are the
    options that switch it off.
    """

    effect: str
    why: str
    files: tuple[SettingsFile, ...] = ()
    early: tuple[str, ...] | None = None
    off: tuple[str, ...] = ()

    def packed(self) -> "PackedSetting":
        """The same as plain data, which `marshal` writes."""
        files = tuple((each.name, each.words) for each in self.files)
        return self.effect, self.why, files, self.early, self.off

    @staticmethod
    def unpacked(data: "PackedSetting") -> "Setting":
        """The setting that plain data stands for."""
        effect, why, files, early, off = data
        return Setting(effect, why, tuple(SettingsFile(*each) for each in files), early, off)


class Entry(Value):
    """How one program, or one subcommand, is called, and what that does.

    `style` is `gnu`, `word`, `plain` or `tar`: how options are spelled. `help`: options that show
    help wherever they stand. `ceiling` holds every effect that any word can have, each with an
    option that has it; with an empty text where it is another word. `settings`: what the project
    adds to every call. `stop_at_operand`: options end at the first operand. `key_value`: it has
    words such as `if=FILE`. `plus_options`: it has options such as `+x`. `exec_option`: an option
    whose values are a command up to a `;`, if there is one. `takes_script`: some option takes that
    or a program text. `runs`: whose code it runs, one of RUNS. `in_place`: it writes the files that
    it reads with one of these options, or always if there are none; None where it does not.
    `client`: what it changes is at the server that its words name. `children` are the subcommands.
    `bundles`: some subcommand is an option of one letter, which may stand in a bundle.
    """

    options: Options
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

    def packed(self) -> "PackedEntry":
        """The same as plain data, which `marshal` writes."""
        return (
            self.options.packed(),
            self.forms.packed(),
            self.origin.packed(),
            self.style,
            self.abbreviations,
            self.help,
            self.ceiling,
            tuple(setting.packed() for setting in self.settings),
            self.stop_at_operand,
            self.key_value,
            self.plus_options,
            self.client,
            self.exec_option,
            self.takes_script,
            self.runs,
            self.in_place,
            tuple(sorted(self.children)),
            self.bundles,
        )

    @staticmethod
    def unpacked(data: "PackedEntry") -> "Entry":
        """The entry that plain data stands for."""
        options, forms, origin, style, abbreviations, asks, ceiling, settings = data[:8]
        stop_at_operand, key_value, plus_options, client = data[8:12]
        exec_option, takes_script, runs, in_place, children, bundles = data[12:]
        return Entry(
            Options(options),
            Forms(forms),
            Origin.unpacked(origin),
            style,
            abbreviations,
            asks,
            ceiling,
            tuple(map(Setting.unpacked, settings)),
            stop_at_operand,
            key_value,
            plus_options,
            client,
            exec_option,
            takes_script,
            runs,
            in_place,
            frozenset(children),
            bundles,
        )

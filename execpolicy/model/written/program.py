"""What a `program(...)` call says, word for word, before it is compiled."""

from execpolicy.model.rule import Origin
from execpolicy.support.record import Value


class Form(Value):
    """One way to call a program: it fits where its conditions on the parsed words hold.

    `needs`: at least one of these options is present, with a value of a kind where one is given.
    `without`: none of these is. `operands` is None where the form takes those of its program.
    `options` gives other kinds to options that the program declares (`-f=out` where the rest of
    the program says `-f=file`). `prints`: see PRINTS.
    """

    effect: str
    needs: str = ""
    without: str = ""
    operands: str | None = None
    options: str = ""
    why: str = ""
    prints: str = ""


class Program(Value):
    """One entry of the catalogue, for a program or for one of its subcommands.

    `names` are whole paths: `sort`, `git push`, `python{version} -m json.tool`. `effect` holds
    effects with spaces between them, or nothing for a wrapper that adds none. `operands` is None
    where none are taken; a program with subcommands says `""` to be fit for a call without one.
    `help` names what shows help beside `--help`, here and in all subcommands. `loads` is one of
    LOADS, for the subcommands too, and the words that the program answers before it loads anything.
    `settings` names files of the project that the program follows whatever its words are, each with
    the effects that this adds (`.npmrc!network`); without any, what `loads` says needs that file.
    `runs` begins with one of RUNS, `writes` is empty or begins with WRITES.
    `credentials` says which keys of the user a program and its subcommands use.
    `examples` pairs an effect with command lines whose strongest effect it is.
    """

    names: tuple[str, ...]
    options: str = ""
    operands: str | None = None
    effect: str = "read"
    forms: tuple[Form, ...] = ()
    style: str = ""
    why: str = ""
    abbreviations: bool = False
    help: str = ""
    prints: str = ""
    loads: str = ""
    settings: str = ""
    runs: str = ""
    writes: str = ""
    credentials: str = ""
    examples: tuple[tuple[str, tuple[str, ...]], ...] = ()
    origin: Origin = Origin("", "", 0)

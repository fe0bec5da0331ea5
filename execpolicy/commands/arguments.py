"""A command line, as a table of options says it is: read here, and completed by the shell.

Each command has such a table, most of them `SYNTAX` in its module; that of `check` is in `options`,
`hook` and `install` make theirs by `syntax()`. Whatever is known of an option is known from there:
`execpolicy completion` writes its scripts from the same tables that this module reads by.
"""

import os
from _collections_abc import Callable, Iterable, Iterator, Mapping, Sequence

from execpolicy.commands.exit_codes import HelpError
from execpolicy.model.errors import UsageError, printable
from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value


class Kind(OrderedEnum):
    """What a value is. `WORD` is one of some words, `OPEN` may be another one as well."""

    TEXT = 0
    FILE = 1
    DIRECTORY = 2
    COMMAND = 3
    WORD = 4
    OPEN = 5


class Takes(Value):
    """What an option or an operand takes: its noun, its kind, and what is known to stand there.

    `ending` is that of the files, `load` gives words that cost an import.
    """

    noun: str
    kind: Kind = Kind.TEXT
    words: tuple[str, ...] = ()
    load: "Callable[[], Iterable[str]] | None" = None
    ending: str = ""

    def known(self) -> tuple[str, ...]:
        """The words that may stand there."""
        return tuple(self.load()) if self.load else self.words

    def check(self, value: str) -> None:
        """Raise `UsageError` for any other word."""
        if self.kind is Kind.WORD and value not in self.known():
            shown = printable(value, 40)
            raise UsageError(f"unknown {self.noun} `{shown}`: use {one_of(self.known())}")


COMMAND = Takes("command", Kind.COMMAND)
DIRECTORY = Takes("directory", Kind.DIRECTORY)
RULES = Takes("file", Kind.FILE, ending=".rules")


class Needs(Value):
    """The values of another field with which an option has a meaning.

    None is among them where the other option may be left out.
    """

    field: str
    values: tuple[object, ...]

    def met(self, found: "Mapping[str, object]") -> bool:
        """Whether the fields of a command line are so."""
        return found.get(self.field) in self.values


class OptionSyntax(Value):
    """An option: its spellings, the field that it sets, and what it takes.

    Without `takes` it is a flag and sets `value`. `joined`: the value may stand in the same word,
    `-n5`. One that `repeats` gathers its values in a tuple. Where not all that it `needs` is so, it
    is a mistake, for it would be ignored.
    """

    names: tuple[str, ...]
    field: str
    takes: Takes | None = None
    value: object = True
    joined: bool = False
    repeats: bool = False
    needs: tuple[Needs, ...] = ()


class Syntax(Value):
    """The command line of a command.

    `most` is how many operands there may be. `leads`: the first operand begins a command, and no
    word from there on is an option. `lenient`: a field and its value with which an unknown option
    is such an operand, as is one that cannot be used with that value.
    """

    command: str
    options: tuple[OptionSyntax, ...] = ()
    operands: Takes | None = None
    most: int | None = None
    leads: bool = False
    lenient: tuple[str, str] | None = None


class Parsed(Value):
    """What a command line says. `dashes`: the operands come after `--`."""

    operands: tuple[str, ...] = ()
    fields: "Mapping[str, object]" = {}  # noqa: RUF012
    dashes: bool = False


HELP = ("-h", "--help")


def parse(
    syntax: Syntax, arguments: "Sequence[str]", found: "dict[str, object] | None" = None
) -> Parsed:
    """Read a command line. Raises `UsageError`; `found` then holds the fields read so far. Raises
    `HelpError` for an option of `HELP`."""
    found = {} if found is None else found
    options = {name: option for option in syntax.options for name in option.names}
    operands: list[str] = []
    dashes = False
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            dashes = True
            operands += rest
        elif argument in HELP:
            raise HelpError(syntax.command)
        elif _option(syntax, options, argument, rest, found):
            continue
        elif syntax.leads:
            operands += (argument, *rest)
        else:
            operands.append(argument)
    _check(syntax, operands)
    _meet(syntax, found)
    return Parsed(tuple(operands), found, dashes=dashes)


def existing(directory: str) -> str:
    """The directory that an option names. Raises `UsageError` where there is none."""
    if not os.path.isdir(directory):
        raise no_directory(directory)
    return directory


def no_directory(named: str) -> UsageError:
    """The error for a directory that an option names and that does not exist."""
    return UsageError(f"`{printable(named, 100)}` is not a directory: name one that exists")


def looked_in(directory: str | None, files: "Sequence[str]") -> None:
    """Raise `UsageError` for a directory to look for files in where it does not exist, or where
    files are named."""
    if directory is not None:
        existing(directory)
        if files:
            raise UsageError("`--cwd` cannot be used with files: the layers are not looked at then")


def one_of(words: "Sequence[str]") -> str:
    """Words to choose from.

    >>> one_of(["text", "json", "codex"])
    'text, json or codex'
    """
    if len(words) > 5:
        return f"one of {', '.join(words)}"
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def counted(number: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "rule"), counted(2, "entry")
    ('1 rule', '2 entries')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def meant(word: str, words: "Iterable[str]") -> str:
    """A question after the nearest of some words, to be put after a message; else nothing.

    >>> meant("chekc", ["check", "lint"])
    '; did you mean `check`?'
    """
    from difflib import get_close_matches

    close = [f"`{w}`" for w in get_close_matches(word, list(words), 3, 0.7)]
    return f"; did you mean {one_of(close)}?" if close else ""


def _option(
    syntax: Syntax,
    options: "Mapping[str, OptionSyntax]",
    argument: str,
    rest: "Iterator[str]",
    found: dict[str, object],
) -> bool:
    """Keep what an option says; whether the argument is one."""
    name, value = _split(argument, options)
    option = options.get(name)
    lenient = syntax.lenient and found.get(syntax.lenient[0]) == syntax.lenient[1]
    if option is not None and not (lenient and _unmet(option, found)):
        _keep(option, name, value, rest, found)
        return True
    if argument.startswith("-") and argument != "-" and not lenient:
        raise UsageError(_unknown(syntax, argument, options))
    return False


def _split(argument: str, options: "Mapping[str, OptionSyntax]") -> tuple[str, str | None]:
    """An option's name, and its value where it stands in the same word."""
    if argument.startswith("--"):
        name, equals, value = argument.partition("=")
        return name, value if equals else None
    short = options.get(argument[:2])
    if short is not None and short.joined and len(argument) > 2:
        return argument[:2], argument[2:].removeprefix("=")
    return argument, None


def _keep(
    option: OptionSyntax,
    name: str,
    value: str | None,
    rest: "Iterator[str]",
    found: dict[str, object],
) -> None:
    before = found.get(option.field, ())
    if option.field in found and not option.repeats:
        raise UsageError(f"option `{name}` is given twice")
    if option.takes is None:
        if value is not None:
            raise UsageError(f"option `{name}` takes no value")
        found[option.field] = option.value
        return
    value = next(rest, None) if value is None else value
    if value is None:
        raise UsageError(f"option `{name}` needs a value")
    option.takes.check(value)
    found[option.field] = (*before, value) if option.repeats else value  # type: ignore[misc]


def _check(syntax: Syntax, operands: "Sequence[str]") -> None:
    """Raise `UsageError` for an operand that cannot be."""
    most = syntax.most if syntax.operands else 0
    if most is not None and len(operands) > most:
        shown = printable(operands[most], 40)
        raise UsageError(f"unexpected argument `{shown}` (`execpolicy {syntax.command} --help`)")
    if syntax.operands is not None:
        for operand in operands:
            syntax.operands.check(operand)


def _unmet(option: OptionSyntax, found: "Mapping[str, object]") -> Needs | None:
    """What an option needs and these fields do not give."""
    return next((need for need in option.needs if not need.met(found)), None)


def _meet(syntax: Syntax, found: "Mapping[str, object]") -> None:
    """Raise `UsageError` for an option that would be ignored beside the others."""
    for option in syntax.options:
        need = _unmet(option, found) if option.needs and option.field in found else None
        if need is None:
            continue
        other = next(each for each in syntax.options if each.field == need.field)
        name = option.names[-1]
        if need.field in found:
            there = _spelled(other, found[need.field])
            raise UsageError(f"`{name}` cannot be used with {there}")
        wanted = [_spelled(other, value) for value in need.values]
        raise UsageError(f"`{name}` needs {one_of(wanted)}")


def _spelled(option: OptionSyntax, value: object) -> str:
    """An option as it is typed, with its value where it takes one of some words."""
    words = option.takes is not None and option.takes.kind is Kind.WORD
    return f"`{option.names[-1]} {value}`" if words else f"`{option.names[-1]}`"


def _unknown(syntax: Syntax, argument: str, options: "Mapping[str, OptionSyntax]") -> str:
    advice = f"`execpolicy {syntax.command} --help`"
    if syntax.leads:
        advice = "put `--` in front of the command"
    return f"unknown option `{printable(argument)}`{meant(argument, options)} ({advice})"

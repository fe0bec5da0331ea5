"""A command line of options and files, as `lint` and `test` have it."""

from execpolicy.errors import UsageError, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def read(
    command: str,
    arguments: "Sequence[str]",
    values: "Mapping[str, str]",
    flags: "Mapping[str, tuple[str, bool]]",
) -> "tuple[tuple[str, ...], dict[str, object]]":
    """The files, and the fields that the options set; behind `--` everything is a file.

    `values` has the field of each option that takes a value, `flags` the field and its value for
    each that takes none. Raises `UsageError`.
    """
    found: dict[str, object] = {}
    paths: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument == "--":
            paths += rest
        elif name in values:
            given = value if equals else next(rest, None)
            if given is None:
                raise UsageError(f"option `{name}` needs a value")
            found[values[name]] = given
        elif argument in flags:
            field, flag = flags[argument]
            found[field] = flag
        elif argument.startswith("-"):
            shown = printable(argument)
            raise UsageError(f"unknown option `{shown}` (`execpolicy {command} --help`)")
        else:
            paths.append(argument)
    return tuple(paths), found

"""What there is to complete: every command with its options, and what its help says about each."""

import re
import textwrap

from execpolicy.commands import COMMANDS, named
from execpolicy.commands.arguments import HELP, OptionSyntax, Syntax
from execpolicy.support.record import Value


class Offer(Value):
    """An option, and what it does in a few words."""

    option: OptionSyntax
    about: str


class CompletionEntry(Value):
    """A command: its name, what it does in a few words, its table, and its options."""

    name: str
    about: str
    syntax: Syntax
    offers: tuple[Offer, ...]


def table() -> tuple[CompletionEntry, ...]:
    """Every command."""
    return tuple(_entry(name) for name in COMMANDS)


def _entry(name: str) -> CompletionEntry:
    command = named(name)
    syntax, about = command.syntax(), abouts(command.help())
    options = (*syntax.options, OptionSyntax(HELP, "help"))
    offers = tuple(Offer(o, about.get(o.names[0], "show help and end")) for o in options)
    return CompletionEntry(name, command.summary(), syntax, offers)


_LINE = re.compile(
    r"^  (?P<name>-[\w-]+)(?: [A-Z]+)?(?:, (?P<more>--[\w-]+)(?: [A-Z]+)?)?(?:  +|\n +)"
    r"(?P<about>.*(?:\n {6,}.*)*)",
    re.MULTILINE,
)
_END = re.compile(r"[;.] |[;.]$")
_WIDTH = 72


def abouts(help_text: str) -> dict[str, str]:
    """The first words that a command's help says about each option.

    >>> abouts("  -n COUNT  the last COUNT lines (or 20)\\n  --all     every one; else none")
    {'-n': 'the last COUNT lines (or 20)', '--all': 'every one'}
    """
    found: dict[str, str] = {}
    for line in _LINE.finditer(help_text):
        text = " ".join(textwrap.dedent(line["about"]).split())
        first = _END.split(text, maxsplit=1)[0].replace("`", "")
        about = textwrap.shorten(first, _WIDTH, placeholder=" …")
        found |= {name: about for name in (line["name"], line["more"]) if name}
    return found

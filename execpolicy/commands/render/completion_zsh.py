"""The completion script for zsh, to be put into a directory of `$fpath` or to be sourced."""

from collections.abc import Sequence

from execpolicy.commands.arguments import Kind, Takes
from execpolicy.commands.render.completion_table import CompletionEntry, Offer
from execpolicy.support.resources import package_text


def script(table: Sequence[CompletionEntry]) -> str:
    """The text of the script."""
    commands = "".join(
        f"                {_quoted(entry.name + ':' + _escaped(entry.about))}\n" for entry in table
    )
    text = package_text("commands/render/completion.zsh")
    return text.replace("COMMANDS", commands).replace("CASES", "".join(map(_case, table)))


def _case(entry: CompletionEntry) -> str:
    specs = [spec for offer in entry.offers for spec in _option(offer)]
    indent = " \\\n                        "
    before = "_arguments -S"
    if entry.syntax.leads:
        before = "_arguments -S -A '-*'"
        specs += ["'(-)1: :_command_names -e'", "'*:: :_normal'"]
    elif entry.syntax.operands:
        many = entry.syntax.most is None
        places = ["*"] if many else [str(n + 1) for n in range(entry.syntax.most or 0)]
        specs += [_quoted(f"{n}:{_what(entry.syntax.operands)}") for n in places]
    body = indent.join((before, *specs))
    return f"                {entry.name})\n                    {body}\n                    ;;\n"


def _option(offer: Offer) -> list[str]:
    """A specification for each spelling; one that is there keeps the others from being offered."""
    option = offer.option
    about = offer.about.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    others = "" if option.repeats or len(option.names) < 2 else f"({' '.join(option.names)})"
    specs = []
    for name in option.names:
        sign = ""
        if option.takes:
            sign = "=" if name.startswith("--") else "+" if option.joined else ""
        value = f":{_what(option.takes)}" if option.takes else ""
        star = "*" if option.repeats else ""
        specs.append(_quoted(f"{star or others}{name}{sign}[{about}]{value}"))
    return specs


def _what(takes: Takes) -> str:
    """The message and the action for a value."""
    if takes.kind is Kind.FILE:
        pattern = f' -g "*{takes.ending}(-.)"' if takes.ending else ""
        return f"{takes.noun}:_files{pattern}"
    if takes.kind is Kind.DIRECTORY:
        return f"{takes.noun}:_files -/"
    if takes.kind is Kind.COMMAND:
        return f"{takes.noun}:_command_names -e"
    words = " ".join(map(_escaped, takes.known()))
    return f"{takes.noun}:({words})" if words else f"{takes.noun}: "


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"

"""The completion script for bash, from 3.2 on; it needs no other script."""

import shlex
from collections.abc import Iterator, Sequence

from execpolicy.commands.arguments import Kind, Takes
from execpolicy.commands.render.completion_table import CompletionEntry
from execpolicy.support.resources import package_text


def script(table: Sequence[CompletionEntry]) -> str:
    """The text of the script."""
    leads = "|".join(entry.name for entry in table if entry.syntax.leads)
    commands = " ".join(entry.name for entry in table)
    cases = "".join(f"        {shlex.quote(key)}) echo {what} ;;\n" for key, what in _takes(table))
    options = "".join(
        f"        {entry.name}) _execpolicy_words '{_names(entry)}' ;;\n" for entry in table
    )
    text = package_text("commands/render/completion.bash")
    text = text.replace("LEADS", leads).replace("'COMMANDS'", f"'{commands}'")
    return text.replace("TAKES", cases).replace("OPTIONS", options)


def _names(entry: CompletionEntry) -> str:
    return " ".join(name for offer in entry.offers for name in offer.option.names)


def _takes(table: Sequence[CompletionEntry]) -> Iterator[tuple[str, str]]:
    """For each command with operands, and each option with a value, what stands there."""
    for entry in table:
        if entry.syntax.operands:
            yield entry.name, _kind(entry.syntax.operands)
        for offer in entry.offers:
            if offer.option.takes:
                for name in offer.option.names:
                    yield f"{entry.name} {name}", _kind(offer.option.takes)


def _kind(takes: Takes) -> str:
    if takes.kind is Kind.FILE:
        return shlex.quote(f"file {takes.ending}")
    if takes.kind is Kind.DIRECTORY:
        return "'file /'"
    if takes.kind is Kind.COMMAND:
        return "command"
    return shlex.quote(" ".join(("words", *takes.known())) if takes.known() else "text")

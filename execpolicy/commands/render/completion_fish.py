"""The completion script for fish, from 3.1 on."""

from collections.abc import Iterator, Sequence

from execpolicy.commands.arguments import Kind, Takes
from execpolicy.commands.render.completion_table import CompletionEntry, Offer
from execpolicy.support.resources import package_text


def script(table: Sequence[CompletionEntry]) -> str:
    """The text of the script."""
    lines = "".join(f"{line}\n" for entry in table for line in _lines(entry))
    return package_text("commands/render/completion.fish") + lines


def _lines(entry: CompletionEntry) -> Iterator[str]:
    yield (
        f"complete -c execpolicy -n __fish_use_subcommand -a {entry.name} -d {_quoted(entry.about)}"
    )
    when = f"__execpolicy_is {entry.name}"
    if entry.syntax.leads:
        valued = [n for o in entry.offers if o.option.takes for n in o.option.names]
        inside = _quoted(" ".join(("__execpolicy_inside", entry.name, *valued)))
        inner = _quoted(f"({' '.join(('__execpolicy_inner', *valued))})")
        yield f"complete -c execpolicy -n {inside} -a {inner}"
    elif entry.syntax.operands:
        yield f"complete -c execpolicy -n {_quoted(when)}{_values(entry.syntax.operands)}"
    yield from (_option(when, offer) for offer in entry.offers)


def _option(when: str, offer: Offer) -> str:
    option = offer.option
    names = (f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
    value = f" -x{_values(option.takes)}" if option.takes else ""
    about = _quoted(offer.about)
    return f"complete -c execpolicy -n {_quoted(when)} {' '.join(names)}{value} -d {about}"


def _values(takes: Takes) -> str:
    """The arguments that say what stands there."""
    if takes.kind is Kind.FILE:
        return f" -a '(__execpolicy_files {takes.ending})'"
    if takes.kind is Kind.DIRECTORY:
        return " -a '(__fish_complete_directories)'"
    if takes.kind is Kind.COMMAND:
        return " -a '(__fish_complete_command)'"
    known = " ".join(takes.known())
    return f" -a {_quoted(known)}" if known else ""


def _quoted(text: str) -> str:
    r"""A word of fish, where a backslash in single quotes escapes one, and a quote."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

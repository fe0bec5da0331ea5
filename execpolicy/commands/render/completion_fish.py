"""The completion script for fish, from 3.1 on."""

from collections.abc import Iterator, Sequence

from execpolicy.commands.arguments import Kind, Takes
from execpolicy.commands.render.completion_table import CompletionEntry, Offer

_HEAD = """\
# Completion of execpolicy for fish, written by `execpolicy completion fish`.

# Whether the command that is being typed is this one.
function __execpolicy_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = $argv[1]
end

# The words after the options of this command, whose other arguments are the options with a value.
function __execpolicy_rest
    set -l words (commandline -opc) (commandline -ct)
    set -l at 3
    while test $at -le (count $words)
        switch "$words[$at]"
            case --
                set at (math $at + 1)
                break
            case '-?*'
                contains -- "$words[$at]" $argv; and set at (math $at + 1)
            case '*'
                break
        end
        set at (math $at + 1)
    end
    test $at -le (count $words); and printf '%s\\n' $words[$at..-1]
end

# Whether a command of its own is being typed after the options.
function __execpolicy_inside
    __execpolicy_is $argv[1]; and test (count (__execpolicy_rest $argv[2..-1])) -gt 0
end

# Complete the command after the options.
function __execpolicy_inner
    set -l words (__execpolicy_rest $argv)
    complete -C (string join ' ' -- (string escape -- $words[1..-2]) $words[-1])
end

# Directories, and files with this ending.
function __execpolicy_files
    set -l ending '/$|'(string escape --style=regex -- "$argv[1]")'$'
    for one in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' (commandline -ct)))
        string match -qr -- $ending (string replace -r -- '\t.*' '' $one); and echo $one
    end
end

complete -c execpolicy -e
complete -c execpolicy -f
complete -c execpolicy -n __fish_use_subcommand -s h -l help -d 'show help and end'
complete -c execpolicy -n __fish_use_subcommand -s V -l version -d 'show the version and end'
"""


def script(table: Sequence[CompletionEntry]) -> str:
    """The text of the script."""
    return _HEAD + "".join(f"{line}\n" for entry in table for line in _lines(entry))


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

"""What a text does that runs after the script: what `trap` sets for the end of the shell."""

from _collections_abc import Sequence

from execpolicy.shell.analysis import functions
from execpolicy.shell.analysis.variables import ShellVariables
from execpolicy.shell.chars import names_in
from execpolicy.shell.expansion.word_expander import WordExpander
from execpolicy.shell.syntax.tree import SimpleCommand


def scripts(
    texts: "Sequence[str]",
    command: SimpleCommand,
    variables: ShellVariables,
    expander: WordExpander,
    first_call: int,
) -> list[str]:
    """The texts with the variables that have a known value by then set before them, but for names
    of functions of the script, whose commands are seen there."""
    known = variables.functions
    return [
        _settings(text, command, variables, expander) + text
        for text in texts
        if text.strip() not in known
        or not functions.called(command, text.strip(), first_call, known)
    ]


def _settings(
    text: str, command: SimpleCommand, variables: ShellVariables, expander: WordExpander
) -> str:
    """The variables of a text that nothing sets another time, as a shell sets them: what is not
    there has an unknown value."""
    found = ""
    for name in dict.fromkeys(names_in(text)):
        values = variables.choices(name, command.start, expander, command)
        if values is not None and len(values) == 1 and "'" not in values[0]:
            found += f"{name}='{values[0]}'\n"
    return found

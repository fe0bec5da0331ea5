"""What a command runs by what files say."""

from execpolicy.support.record import Value


class ShellText(Value):
    """A text that a shell reads, `bash` or `sh`, in a directory."""

    text: str
    shell: str
    directory: str


class TextsRun(Value):
    """All that a command runs: texts in their order. `programs`: the directories in which what they
    name is looked for before PATH is."""

    texts: tuple[ShellText, ...]
    programs: tuple[str, ...] = ()

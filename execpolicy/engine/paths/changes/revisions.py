"""Which revisions the words of a git command may name (gitrevisions(7))."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.catalogue.reading.reading import Reading

_LEFT_OUT = {
    ("merge",): ("@{upstream}",),
    ("rebase",): ("@{upstream}",),
    ("stash", "apply"): ("stash@{0}",),
    ("stash", "pop"): ("stash@{0}",),
}
"""What these are about where no word names a commit."""


def revisions(reading: "Reading") -> tuple[str, ...]:
    """What may name a commit: the operands, the values of options, of a range both ends, and what
    the command is about where it names none. A computed word is left out."""
    left_out = () if reading.operands else _LEFT_OUT.get(reading.path[1:], ())
    values = [value for option in reading.options for value in option.values]
    words = [word for word in (*reading.operands, *values) if isinstance(word, str)]
    ends = [end for word in words for end in word.replace("...", "..").split("..") if end]
    return (*("@{-1}" if end == "-" else end for end in ends), *left_out)

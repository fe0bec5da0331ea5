"""Which variables a text expands, by its letters alone."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def variables(source: str) -> "Iterator[str]":
    """The variables whose value is in a text: not those of which only the length is, or a sign."""
    for part in source.split("$")[1:]:
        braced = part[:1] == "{"
        rest = part.removeprefix("{").removeprefix("!")
        end = next((at for at, c in enumerate(rest) if not (c.isalnum() or c == "_")), len(rest))
        sign = braced and rest[end : end + 2].lstrip(":")[:1] == "+"  # `${x:+set}`
        if end and not sign:
            yield rest[:end]

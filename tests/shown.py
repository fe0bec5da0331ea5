"""What a page shows of what a command prints: all of it, or parts with `…` for what is left out."""

CUT = "…"


def is_what_was_printed(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines shown are those printed. A line `…` stands for one or more of them."""
    if not shown:
        return not printed
    if shown[0] != CUT:
        return shown[:1] == printed[:1] and is_what_was_printed(shown[1:], printed[1:])
    rest = range(1, len(printed) + 1)
    return any(is_what_was_printed(shown[1:], printed[n:]) for n in rest)

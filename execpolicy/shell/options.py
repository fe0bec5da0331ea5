"""Operands and option values of a builtin's words."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.operation import Dynamic
    from execpolicy.shell.events import Setting

    Argument = str | Dynamic | Setting


def operands(words: "list[Argument]", valued: str, flags: str) -> "list[Argument] | None":
    """What is left after the options; None if an option is computed or unknown."""
    i = 0
    while i < len(words):
        word = words[i]
        if not isinstance(word, str):
            return None
        if word == "--":
            return words[i + 1 :]
        if word[:1] != "-" or word == "-":
            return words[i:]
        i += 1
        for k, letter in enumerate(word[1:], 2):
            if letter in valued:
                i += k == len(word)
                break
            if letter not in flags:
                return None
    return []


def values(words: "list[Argument]", valued: str, wanted: str) -> "list[Argument]":
    """The values of option `wanted`, joined to it or in the next word."""
    found: list[Argument] = []
    i = 0
    while i < len(words):
        word = words[i]
        if not isinstance(word, str) or word[:1] != "-" or word in ("-", "--"):
            return found
        i += 1
        for k, letter in enumerate(word[1:], 2):
            if letter in valued:
                joined = k < len(word)
                if letter == wanted:
                    found.append(word[k:] if joined else words[i] if i < len(words) else "")
                i += not joined
                break
    return found

"""Character classes and names of the shell grammar (bash manual, sections 2, 3.2, 3.5)."""


def names(text: str) -> frozenset[str]:
    """The names that `text` lists, separated by blanks."""
    return frozenset(text.split())


END = "\0"
"""Stands after the last character of every text that is read; a text with a NUL is refused."""

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
DIGITS = frozenset("0123456789")
NAME_START = frozenset(_LETTERS)
NAME = frozenset(_LETTERS + "0123456789")
PLAIN = frozenset(_LETTERS + "0123456789./:@%+,-")
"""Characters that mean themselves wherever they stand in a word."""
BREAK = frozenset(" \t\n;&|()<>" + END)
"""Characters that end a word."""
SPECIAL = frozenset("*?[]{}~")
"""Characters that may make a word without computed pieces another word, or several."""
IN_DOUBLE = frozenset('"\\$`' + END)
IN_HEREDOC = frozenset("\\$`" + END)

RESERVED = names(
    "if then elif else fi for while until do done case esac in select function coproc time { } "
    "! [[ ]]"
)
RESERVED_START = frozenset(word[0] for word in RESERVED)
CLOSERS = names("then elif else fi do done esac }")
COMPOUND = names("if for while until case select { [[")


def is_name(text: str) -> bool:
    """Whether `text` can name a shell variable."""
    return text != "" and text[0] in NAME_START and NAME.issuperset(text)


def names_in(text: str) -> list[str]:
    """The names in an expression."""
    spaced = "".join(c if c in NAME else " " for c in text)
    return [word for word in spaced.split() if word[0] in NAME_START]


def is_number(text: str) -> bool:
    """Whether `text` is a decimal integer as `test` and the arithmetic of every shell read it."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    return digits != "" and DIGITS.issuperset(digits) and len(digits) < 19

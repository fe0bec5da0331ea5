"""Brace expansion of words without computed pieces (bash manual, section 3.5.1)."""

from execpolicy.shell.chars import is_number

Atom = tuple[str, bool]
"""A character, and whether it is quoted."""

MAX_WORDS = 256
"""So many words are made at most; more stay one computed word."""
MAX_MADE = 1000
"""So many are made of all braces of a text; those after them stay computed words."""
MAX_BRACES = 40
MAX_CHARACTERS = 4000


class TooManyError(Exception):
    """An expansion that is better left to the shell."""


def expand(atoms: list[Atom], bash: bool, room: int = MAX_WORDS) -> list[list[Atom]]:
    """The words that `atoms` become, in bash's order, where there is room for any. Unless `bash`,
    other sequences than those of plain numbers and letters are left alone: shells differ."""
    if room <= 0 or len(atoms) > MAX_CHARACTERS or atoms.count(("{", False)) > MAX_BRACES:
        raise TooManyError
    opening = 0
    while True:
        opening = _find(atoms, opening, "{")
        if opening == len(atoms):
            return [atoms]
        closing = _find(atoms, opening + 1, "}")
        if closing < len(atoms):
            break
        opening += 1
    middle = _middle(atoms[opening + 1 : closing], bash)
    if middle is None:
        middle = [atoms[opening : closing + 1]]
    tails = expand(atoms[closing + 1 :], bash) if closing + 1 < len(atoms) else [[]]
    if len(middle) * len(tails) > MAX_WORDS:
        raise TooManyError
    return [atoms[:opening] + part + tail for part in middle for tail in tails]


def _middle(inner: list[Atom], bash: bool) -> list[list[Atom]] | None:
    """What stands for the text between two braces; None if they mean themselves."""
    if (",", False) not in inner:
        if any(quoted for _, quoted in inner):
            if (",", True) in inner:
                raise TooManyError
            return None
        return _sequence("".join(c for c, _ in inner), bash)
    parts: list[list[Atom]] = []
    start = 0
    while True:
        end = _find(inner, start, ",")
        parts += expand(inner[start:end], bash)
        if len(parts) > MAX_WORDS:
            raise TooManyError
        if end == len(inner):
            return parts
        start = end + 1


def _find(atoms: list[Atom], i: int, wanted: str) -> int:
    """The place of the next `wanted` outside of inner braces, the end if there is none.

    A closing brace counts only once a comma or `..` stood between, an opening one not in `{}`.
    """
    level = 0
    separated = wanted != "}"
    while i < len(atoms):
        c, quoted = atoms[i]
        if quoted:
            i += 1
            continue
        if c == wanted and level == 0 and separated:
            if c != "{" or i > 0 or atoms[i + 1 : i + 2] not in ([], [("}", False)]):
                return i
            i += 1
            continue
        if c == "{":
            level += 1
        elif c == "}" and level:
            level -= 1
        elif wanted == "}" and level == 0 and (c == "," or _dots(atoms, i)):
            separated = True
        i += 1
    return i


def _dots(atoms: list[Atom], i: int) -> bool:
    return (
        atoms[i] == (".", False)
        and atoms[i + 1 : i + 2] == [(".", False)]
        and atoms[i + 2 : i + 3] != [("}", False)]
    )


def _sequence(text: str, bash: bool) -> list[list[Atom]] | None:
    """`1..5`, `05..1..2`, `a..e`."""
    parts = text.split("..")
    if not bash and len(parts) > 1 and not (len(parts) == 2 and _is_common(*parts)):
        raise TooManyError
    if len(parts) not in (2, 3) or not (len(parts) == 2 or is_number(parts[2])):
        return None
    first, last = parts[0], parts[1]
    step = abs(int(parts[2])) or 1 if len(parts) == 3 else 1
    if is_number(first) and is_number(last):
        return _numbers(first, last, step)
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha():
        if first.islower() != last.islower() or not (first + last).isascii():
            raise TooManyError
        return [[(chr(code), False)] for code in _range(ord(first), ord(last), step)]
    return None


def _is_common(first: str, last: str) -> bool:
    """Whether bash and zsh make the same of a sequence: of numbers without a sign, and of letters
    of one case (zshexpn(1), brace expansion)."""
    letters = len(first) == len(last) == 1 and (first + last).isalpha()
    return letters or (first.isdigit() and last.isdigit())


def _numbers(first: str, last: str, step: int) -> list[list[Atom]]:
    padded = any(len(n.lstrip("-+")) > 1 and n.lstrip("-+")[0] == "0" for n in (first, last))
    width = max(len(first), len(last)) if padded else 0
    return [[(c, False) for c in f"{n:0{width}d}"] for n in _range(int(first), int(last), step)]


def _range(first: int, last: int, step: int) -> range:
    if abs(last - first) // step >= MAX_WORDS:
        raise TooManyError
    return range(first, last + 1, step) if first <= last else range(first, last - 1, -step)

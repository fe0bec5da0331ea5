"""Documents for notations: on one line, or in triple quotes with as much on each line as fits.

The lines of the source stay apart. Between words stand two blanks, so that a word with a value and
several names is seen as one; a list in braces may go on in a deeper line after a `|`.
"""

import re
from collections.abc import Sequence

from execpolicy.language.format.document import SOFT, Document, Fill, Group, IfBroken, Indent, Word
from execpolicy.language.format.notation import FREE, SumPart
from execpolicy.language.syntax.tree import leaves

_APART = "  "
_TOKEN = re.compile(r"[ \t]*\n[ \t\n]*|[ \t]+|\{|\}|\||[^ \t\n{}|]+")


def block(part: SumPart, tail: int) -> Document:
    """The document of a literal that is a notation or a part of one, `tail` characters before the
    next place where a line may end."""
    text = part.text or ""
    words = _words(text)
    if not words:
        return f'{part.prefix}"{text and " "}"'
    before = " " if text[0].isspace() and part.before != FREE else ""
    after = " " if text[-1].isspace() and part.after != FREE else ""
    first = [SOFT] if part.before or before else []
    last = [SOFT] if part.after or after else []
    if not first:
        words = [Word(w.text, w.flat, w.broken, w.begins) for w in words]
    if len(words) == 1 and not before and not after:
        return f'{part.prefix}"{words[0].text}"'
    opening = IfBroken(f'{part.prefix}"""', f'{part.prefix}"{before}')
    filled = Fill(words, 0 if last else tail)
    return Group([opening, Indent([*first, filled]), *last, IfBroken('"""', f'{after}"')])


def tail(parts: Sequence[SumPart], at: int) -> int:
    """How many characters follow the words of a literal on its line: quotes and other parts."""
    count = len('""",')
    for part in parts[at + 1 :]:
        count += len(" + ")
        if part.text is not None:
            return count + len('"""')
        count += sum(len(leaf.text) for leaf in leaves(part.tree))
    return count


def breaks(part: SumPart) -> bool:
    """Whether the part is a literal in which a line may end: between two words, or at an end that
    is a blank beside another part."""
    text = part.text or ""
    first = text[:1].isspace() and part.before != FREE
    last = text[-1:].isspace() and part.after != FREE
    return bool(text.strip()) and (first or last or len(_words(text)) > 1)


def _words(text: str) -> list[Word]:
    """The words of a notation, and the parts of a long list in braces.

    A word `begins` a line where one ended before it. In braces (`depth`) nothing ends a word but a
    line break after a `|`.
    """
    words: list[Word] = []
    in_word, begins, depth = False, False, 0
    for piece in _TOKEN.findall(text):
        if depth and "\n" in piece:
            begins = bool(words) and words[-1].text.endswith("|")
        elif piece.isspace() and not depth:
            begins = begins or ("\n" in piece and bool(words))
            in_word = False
        else:
            _append(words, piece, in_word, begins, depth)
            depth += (piece == "{") - (piece == "}")
            in_word, begins = True, False
    return words


def _append(words: list[Word], piece: str, in_word: bool, begins: bool, depth: int) -> None:
    """Add a piece to the last word, or a word after it."""
    if not in_word:
        words.append(Word(piece, broken=_APART, begins=begins))
    elif words[-1].text.endswith("|") and depth and piece[0] not in "| \t":
        words.append(Word(piece, "", "", begins, inside=True))
    else:
        words[-1] = words[-1].replace(text=words[-1].text + piece)

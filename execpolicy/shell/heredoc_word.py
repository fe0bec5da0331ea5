"""What a word is that takes its text from a here-document, as long texts are given to a program."""

from execpolicy.shell.syntax import tree
from execpolicy.shell.syntax.grammar import parse


def written(source: str) -> str | None:
    """The value of a quoted word of literal text and of `$(cat <<'EOF' …)`; None of any other.

    >>> written('''"a $(cat <<'E'
    ... $b
    ... E
    ... )"''')
    'a $b'
    """
    try:
        read = parse(f"_ {source}", "bash")
    except RecursionError:
        return None
    command = read.inside[0] if len(read.inside) == 1 else None
    if read.failure is not None or not isinstance(command, tree.SimpleCommand):
        return None
    word = command.words[1] if len(command.words) == 2 else None
    if not isinstance(word, tree.Word) or command.redirects:
        return None
    found = [_value(part) for part in word.parts]
    return None if None in found else "".join(filter(None, found))


def _value(part: tree.WordPart) -> str | None:
    if part.kind == tree.QUOTED:
        return part.text
    if part.kind != tree.VALUE or part.substitution is None:
        return None
    inside = [one for one in part.substitution.inside if not isinstance(one, tree.Sign)]
    cat = inside[0] if len(inside) == 1 else None
    if not isinstance(cat, tree.SimpleCommand) or cat.assignments or len(cat.redirects) != 1:
        return None
    words = [word.text for word in cat.words if isinstance(word, tree.Word)]
    body = cat.redirects[0].body
    plain = words == ["cat"] and len(cat.words) == 1 and body is not None
    plain = plain and cat.redirects[0].descriptor in ("", "0", None)
    return body.text.rstrip("\n") if plain and body is not None and body.text is not None else None

"""One canonical form for rules files: 120 characters a line, double quotes, four blanks a level."""

from execpolicy.language.format.statements import WIDTH, Statements, arranged
from execpolicy.language.format.wrap import wrapped
from execpolicy.language.syntax.syntax import parse
from execpolicy.model.errors import Diagnostic, PolicyError, Span


def format_text(text: str, file: str = "<rules>") -> str:
    """`text` in canonical form. Its meaning and its comments stay.

    A call, list or dict that fits on its line stands there, unless a comma after its last element
    asks for an element a line. Raises `PolicyError` where the text does not parse.

    >>> print(format_text("prefix_rule(pattern=['git',['push','pull']])#why"), end="")
    prefix_rule(pattern = ["git", ["push", "pull"]])  #why
    >>> print(format_text("x = [1,]"), end="")
    x = [
        1,
    ]
    """
    module = parse(text.replace("\r\n", "\n"), file)
    try:
        formatted = arranged(Statements(module).entries)
        if max(map(len, formatted.split("\n"))) > WIDTH:
            cut = wrapped(parse(formatted, file), WIDTH)
            formatted = formatted if cut is None else format_text(cut, file)
        return formatted
    except RecursionError:
        problem = Diagnostic("nesting", "expressions nest too deeply to be formatted", Span(file))
        raise PolicyError((problem,)) from None

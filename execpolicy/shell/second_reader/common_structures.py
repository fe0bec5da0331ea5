"""The structures of scripts that agents write, for which the package brings bashlex's answers.

They are composed, not collected: one compound command, one in another, one in a pipeline, on one
line or on several. A `w` is any list of simple commands.
"""

from _collections_abc import Iterable, Iterator

from execpolicy.shell.second_reader.structure import structures

_FORMS = (
    *("for w in w ; do B ; done", "for w ; do B ; done", "while w ; do B ; done"),
    *("until w ; do B ; done", "if w ; then B ; fi", "if w ; then B ; else B ; fi"),
    *("if w ; then B ; elif w ; then B ; fi", "if w ; then B ; elif w ; then B ; else B ; fi"),
    *("( B )", "{ B ; }", "if ! w ; then B ; fi", "while ! w ; do B ; done"),
    *("for w in w ; do B & done", "w ( ) { B ; }", "if w ; then w ; else B ; fi"),
)
_INNER = (
    *("for w in w ; do w ; done", "while w ; do w ; done", "if w ; then w ; fi", "( w )"),
    *(
        "if w ; then w ; else w ; fi",
        "{ w ; }",
        "{ w ; { w ; } ; { w ; } ; }",
        "w | while w ; do w ; done",
    ),
    *("{ w ; { w ; } ; { w ; } ; { w ; } ; }", "if ! w ; then w ; fi", "( w ) | w"),
    *("if w ; then w ; elif w ; then w ; else w ; fi", "{ w ; } | w", "w && { w ; }"),
)
_BODIES = ("C", "w ; C", "C ; w", "w ; C ; w")
_AROUND = (*("C", "C | w", "w | C", "w | C | w", "C && w", "w && C", "C || w", "w || C", "! C"),)
_DEEP = ("for w in w ; do B ; done", "while w ; do B ; done", "if w ; then B ; fi")
MAX_BRANCHES = 8


def common() -> "Iterator[str]":
    """Each structure, with `;` as separator and again with line breaks."""
    every = dict.fromkeys(text for one in _all() for text in _spelled(one))
    return (text for text in every if [one.key for one in structures(text) or ()] == [text])


def _all() -> "Iterator[str]":
    yield "w"
    yield "! w"
    for one in (*_filled(_FORMS, ("w",)), *_branches()):
        yield from (frame.replace("C", one) for frame in _AROUND)
    nested = tuple(_filled(_FORMS, [b.replace("C", c) for c in _INNER for b in _BODIES]))
    for one in nested:
        yield from (one, f"w | {one}") if one.startswith("while w ") else (one,)
    few = tuple(_filled(_DEEP, [b.replace("C", c) for c in _INNER[:3] for b in _BODIES[:2]]))
    yield from _filled(_DEEP, [*few, *(f"w ; {one}" for one in few)])


def _filled(forms: "Iterable[str]", bodies: "Iterable[str]") -> "Iterator[str]":
    """Each form with each body in its places; a plain one stands where there are several."""
    for body in bodies:
        for form in forms:
            first, *rest = form.split("B")
            if len(rest) < 2:
                yield body.join((first, *rest))
                continue
            for place in range(len(rest)):
                parts = [body if at == place else "w" for at in range(len(rest))]
                yield first + "".join(p + r for p, r in zip(parts, rest, strict=True))


def _branches() -> "Iterator[str]":
    """A `case` is written as groups, one a branch."""
    for count in range(1, MAX_BRANCHES + 1):
        yield "{ w ; " + " ".join(["{ w ; } ;"] * count) + " }"


def _spelled(text: str) -> "Iterator[str]":
    """The text on one line, and as it is broken into several."""
    yield text
    found: list[str] = []
    for sign in text.split(" "):
        found.append("\n" if sign == ";" else sign)
        if sign in ("do", "then", "else"):
            found.append("\n")
    broken = " ".join(found)
    for word in ("do", "then"):  # `for x in y; do`, with the break after it
        broken = broken.replace(f"\n {word} \n", f"; {word} \n")
    yield broken

"""Checks of a pattern's tokens, one by one: each is compared with one whole word of a command."""

from collections.abc import Iterator

from execpolicy.language.syntax.calls import Text
from execpolicy.lint.finding import Edit, Finding
from execpolicy.lint.subject import Context, Site, Subject
from execpolicy.model.errors import Span, printable
from execpolicy.model.rule import Pattern
from execpolicy.support.record import Value

_OPERATORS = ("&&", "||", ";", "|", ">", "<", "$(", "`", "&")


def check(subject: Subject, _context: Context) -> Iterator[Finding]:
    """Every token that cannot be what its author means."""
    for site in subject.sites:
        if site.call.name == "prefix_rule" and site.rules:
            yield from _tokens(site)
            yield from _head(site)
            yield from _alternatives(site)


def _tokens(site: Site) -> Iterator[Finding]:
    rule = site.rules[0]
    heads = tuple(r.pattern[0][0] for r in site.rules)
    patterns: list[tuple[str, int | None, Pattern]] = [("pattern", 0, (heads, *rule.pattern[1:]))]
    patterns += [("unless", None, unless) for unless in rule.unless]
    for name, position, pattern in patterns:
        for at, tokens in enumerate(pattern):
            for token in dict.fromkeys(tokens):
                if slip := _token(token, at):
                    place = site.place(token, name, position)
                    yield site.subject.finding(slip.code, slip.message, place, slip.hint)


class _Slip(Value):
    """What is wrong with a token, under the code of its check, and what to write."""

    code: str
    message: str
    hint: str


def _token(token: str, at: int) -> _Slip | None:
    """What its author cannot mean by a token; `at` is its place in the pattern."""
    shown = printable(token, 60)
    if not token:
        return _Slip("token-empty", "an empty token is compared with an empty word", "leave it out")
    operator = next((o for o in _OPERATORS if o in token), None)
    if operator is not None and (any(c.isspace() for c in token) or token == operator or at == 0):
        message = f"the token `{shown}` holds the shell operator `{operator}`"
        hint = "write a rule for each command: a script is taken apart before rules see it"
        return _Slip("token-operator", message, hint)
    if any(c.isspace() for c in token):
        words = ", ".join(f'"{printable(w, 30)}"' for w in token.split())
        message = f"the token `{shown}` has a blank, and a token is compared with one word"
        return _Slip("token-space", message, f"write the words one by one: {words}")
    if len(token) > 1 and token[0] in "'\"" and token[-1] == token[0]:
        message = f"the token `{shown}` has quotes of its own; the shell takes quotes away"
        return _Slip("token-quoted", message, f'write "{printable(token[1:-1], 60)}"')
    if token.startswith(("$", "~/")):
        message = f"the token `{shown}` is compared as it stands; nothing expands it"
        hint = "write the word that the command will have, or leave the tail open"
        return _Slip("token-variable", message, hint)
    if "*" in token or (token.endswith("?") and len(token) > 1):
        message = f"`*` and `?` in the token `{shown}` stand for themselves"
        return _Slip("token-glob", message, "list the words, or end the pattern before this one")
    return None


def _head(site: Site) -> Iterator[Finding]:
    for rule in site.rules:
        head = rule.pattern[0][0]
        name = head.rpartition("/")[2]
        if "/" not in head or not name or any(c.isspace() for c in head):
            continue
        if not rule.decision and rule.below and not head.startswith("/"):
            continue  # a program of the project is meant
        if rule.decision:
            hint = f'write "{name}": the rule then holds for every path of the program'
        elif head.startswith("/"):
            hint = f'write "{name}", and `host_executable("{name}", ["{head}"])` for the path'
        else:
            hint = f'write "{name}", or the absolute path if it is meant'
        message = f"the rule begins with the path `{printable(head, 60)}`"
        yield site.subject.finding("head-path", message, site.place(head, "pattern", 0), hint)


def _alternatives(site: Site) -> Iterator[Finding]:
    """Alternatives that repeat, and lists of one."""
    pattern = site.argument("pattern", 0)
    value = pattern.value if pattern and pattern.literal else site.call.kwargs.get("pattern")
    if not isinstance(value, list):
        return
    texts = list(pattern.strings) if pattern and pattern.literal else []
    for element in value:
        count = len(element) if isinstance(element, list) else 1
        here, texts = texts[:count], texts[count:]
        if not isinstance(element, list) or not element:
            continue
        seen: set[str] = set()
        for number, token in enumerate(element):
            if isinstance(token, str) and token in seen:
                yield _repeated(site, token, here, number)
            seen.add(str(token))
        if len(element) == 1 and len(here) == 1:
            yield _single(site, here[0])


def _repeated(site: Site, token: str, texts: list[Text], number: int) -> Finding:
    span = texts[number].span if texts else site.place(token, "pattern", 0)
    edits = removal(site.subject, texts[number - 1].span, span) if texts else ()
    message = f"the alternative `{printable(token, 60)}` is there already"
    return site.subject.finding("alternatives-repeat", message, span, "leave it out", edits=edits)


def removal(subject: Subject, before: Span, span: Span) -> tuple[Edit, ...]:
    """Takes an element out of a list with the comma before it, if nothing else is there."""
    if span.line == 0 or before.line == 0:
        return ()
    start = subject.offset(before.line, before.end_column)
    end = subject.offset(span.line, span.end_column)
    between = subject.text[start : subject.offset(span.line, span.column)]
    return (Edit(start, end, ""),) if between.strip(" \n\r") == "," else ()


def _single(site: Site, text: Text) -> Finding:
    subject, span = site.subject, text.span
    start, end = subject.offset(span.line, span.column), subject.offset(span.line, span.end_column)
    left = subject.text[:start].rstrip()
    rest = subject.text[end:]
    gap = len(rest) - len(rest.lstrip(" \n,"))
    edits: tuple[Edit, ...] = ()
    if left.endswith("[") and rest[gap : gap + 1] == "]":
        edits = (Edit(len(left) - 1, end + gap + 1, subject.text[start:end]),)
    message = f"a list with `{printable(text.value, 60)}` alone offers no alternatives"
    return subject.finding(
        "alternatives-single", message, span, "leave out the brackets", None, edits
    )

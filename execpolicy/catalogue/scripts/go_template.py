"""Templates of Go (text/template) that show fields of a container, an image or a service.

Fields of a list show no variable that a user gave it. A path stays harmless below such a field,
in `range` and `with`, in a variable, and through functions that only shape their arguments. All
else may show everything: the dot at the top, `$`, `index . "Config"`, another template.
"""

import re

from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.support.resources import words_of

_LISTS = words_of("containers")
_FIELDS = _LISTS["fields"]
_FUNCTIONS = _LISTS["functions"]
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\\n]|\\.)*"|`[^`]*`)|(?P<number>-?\d+)|(?P<below>\)(?:\.\w+)+)
    |(?P<variable>\$\w*)(?P<rest>(?:\.\w+)*)|(?P<field>(?:\.\w+)+|\.)
    |(?P<word>[A-Za-z_]\w*)|(?P<sign>:=|[=,|()])|(?P<end>(?:\s-)?\}\}))""",
    re.VERBOSE,
)
_SHOWS: list[Effect] = [Effect("secret", "shows the variables that it was given")]

Token = re.Match[str]


def effects(text: str) -> list[Effect]:
    """What the template shows beyond harmless fields.

    >>> effects("{{.Name}}: {{.State.Status}}")
    []
    >>> [each.effect for each in effects("{{.State}}{{.}}")]
    ['secret']
    """
    return [] if _TemplateReader().is_harmless(text) else _SHOWS


class _TemplateReader:
    """Goes through the actions; knows where the dot and each variable come from."""

    def __init__(self) -> None:
        self.below = [False]
        """For each open block whether its dot is something below a harmless field."""
        self.variables: set[str] = set()

    def is_harmless(self, text: str) -> bool:
        at = text.find("{{")
        if at < 0:
            return False  # `json` alone shows everything
        while at >= 0:
            at += 3 if text.startswith("{{- ", at) else 2
            tokens = []
            while (token := _TOKEN.match(text, at)) and token["end"] is None:
                tokens.append(token)
                at = token.end()
            if token is None or not self._action(tokens):
                return False
            at = text.find("{{", token.end())
        return len(self.below) == 1

    def _action(self, tokens: list[Token]) -> bool:
        head = tokens[0]["word"] if tokens else None
        if head == "end":
            self.below.pop()
            return len(tokens) == 1 and bool(self.below)
        if head == "else":
            if len(self.below) < 2:
                return False
            self.below[-1] = self.below[-2]
            return len(tokens) == 1 or (tokens[1]["word"] == "if" and self._pipeline(tokens[2:]))
        if head in ("if", "range", "with"):
            harmless = self._assigned(tokens[1:])
            self.below.append(self.below[-1] if head == "if" else True)
            return harmless
        return self._assigned(tokens)

    def _assigned(self, tokens: list[Token]) -> bool:
        """A pipeline, with the names before `:=` or `=` that get its value or its elements."""
        signs = [token["sign"] for token in tokens]
        at = next((n for n, sign in enumerate(signs) if sign in (":=", "=")), -1)
        names = [token["variable"] for token in tokens[: at + 1] if token["sign"] is None]
        if not all(names) or "$" in names or not self._pipeline(tokens[at + 1 :]):
            return False
        self.variables.update(name for name in names if name is not None)
        return True

    def _pipeline(self, tokens: list[Token]) -> bool:
        return bool(tokens) and all(map(self._is_harmless, tokens))

    def _is_harmless(self, token: Token) -> bool:
        if token["field"] is not None:
            return self.below[-1] or _is_listed(token["field"])
        if token["variable"] is not None:
            known = token["variable"] in self.variables
            return known or (token["variable"] == "$" and _is_listed(token["rest"]))
        if token["word"] is not None:
            return token["word"] in _FUNCTIONS
        return token["sign"] not in (":=", "=")


def _is_listed(path: str) -> bool:
    """Whether a path of fields is one of the list, or below one."""
    parts = path.split(".")
    return any(".".join(parts[:n]) in _FIELDS for n in range(2, len(parts) + 1))

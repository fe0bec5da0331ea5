"""opencode's rules: all lists one after the other, of which the last rule that matches decides."""

from collections.abc import Iterable, Sequence

from execpolicy.support.path_match import name_fits
from execpolicy.support.record import Value

ALLOW, ASK, DENY = "allow", "ask", "deny"


class Rule(Value):
    """What is done with a permission, by name or pattern, where the request's pattern fits."""

    permission: str
    pattern: str
    action: str

    def fits(self, permission: str, pattern: str) -> bool:
        """Whether the rule is about this permission and pattern."""
        return matches(self.permission, permission) and matches(self.pattern, pattern)


def evaluate(permission: str, pattern: str, *rulesets: Sequence[Rule]) -> Rule:
    """The rule that decides; without one, a rule that asks.

    >>> evaluate("bash", "ls -la", [Rule("bash", "ls *", "allow")]).action
    'allow'
    """
    for ruleset in reversed(rulesets):
        for rule in reversed(ruleset):
            if rule.fits(permission, pattern):
                return rule
    return Rule(permission, "*", ASK)


_COUNT_AS = {
    **dict.fromkeys(("edit", "write", "apply_patch"), "edit"),
    **dict.fromkeys(
        ("list_mcp_resources", "read_mcp_resource", "list_mcp_resource_templates"), "read"
    ),
}


def disabled(tools: Iterable[str], ruleset: Sequence[Rule]) -> tuple[str, ...]:
    """The tools that a host does not even show: the last rule for them refuses every pattern."""
    return tuple(tool for tool in tools if _is_off(_COUNT_AS.get(tool, tool), ruleset))


def _is_off(permission: str, ruleset: Sequence[Rule]) -> bool:
    about = [rule for rule in ruleset if matches(rule.permission, permission)]
    return bool(about) and about[-1].pattern == "*" and about[-1].action == DENY


def matches(pattern: str, text: str) -> bool:
    r"""Whether the whole text fits: `*` is any text, `?` one character, `\` the same as `/`.

    A pattern that ends in blank and star fits without that end, too. A character is a UTF-16 unit.

    >>> matches("ls *", "ls"), matches("ls *", "lsof"), matches("/etc/*", "/etc/ssh/key")
    (True, False, True)
    """
    pattern, text = _units(pattern), _units(text)
    return name_fits(pattern, text) or (pattern.endswith(" *") and name_fits(pattern[:-2], text))


def _units(text: str) -> str:
    text = text.replace("\\", "/")
    if all(char < "\U00010000" for char in text):
        return text
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(data[n] | data[n + 1] << 8) for n in range(0, len(data), 2))

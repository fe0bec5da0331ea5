"""jq filters: they read, whatever they say.

Nothing in the manuals of jq, gojq and jaq writes a file or runs a program, so there is nothing else
to list here: a filter reads its input, the variables of the environment, and modules.
"""

import re

from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.model.operation import Access, Variable

_ENVIRONMENT = re.compile(r"\$ENV\b|(?<![\w.$@\"'])env\b(?!\s*:)")
_NAMED = re.compile(r"\s*\.\s*([A-Za-z_]\w*)|\s*\[\s*\"([A-Za-z_]\w*)\"\s*\]")
_MODULE = re.compile(r"\b(?:import|include)\s*\"([^\"]*)\"")


def effects(text: str) -> list[Effect]:
    """The variables that the filter may show, and the modules that it reads."""
    found: list[Effect] = []
    for match in _ENVIRONMENT.finditer(text):
        name = _NAMED.match(text, match.end())
        shown = Variable((name[1] or name[2]) if name else None)
        found.append(Effect("read", f"`{match[0]}` shows variables of the environment", shown))
    for match in _MODULE.finditer(text):
        found += [
            Effect("read", f"reads the module `{match[1]}`", Access(match[1] + suffix, "read"))
            for suffix in (".jq", ".json")
        ]
    return found

"""Texts that agents give a shell at their start, known by their digests.

Each was recorded from the agent's own program. What differs from start to start is found by a
pattern for each value, and `@name@` stands for it where the digest is made.
"""

import re
from _collections_abc import Mapping
from hashlib import sha256

Patterns = Mapping[str, re.Pattern[str]]

OWN = {
    "Claude Code 2.1.197": (
        "10f165714ebfa3e04c6a55ea1de9b02ae251f00ec6112ba2743a885313a2171b",
        "8a4bf60e0a42a6910a58914dac9eb58f6f79937a2759c5bc89fe530a073fcfd3",
    ),
    "Claude Code 2.1.292": ("83c9d3fb9a36e5ca2c5ef63ad961cdce2a35d6aeabfb529f9098e651669e46ae",),
    "Claude Code 2.1.332": (
        "7069689e9b330c1d69844b89aaf088caa81e6448e85c9a450078ee03493eb73b",
        "f32545445e3627bcf050dd86451757c60c155592c48bc081f7e65729335c476a",
        "c3cc294a10bb6ece29c35f4902658f6ac57046ee4f7ede6d0392948c52ce9b4e",
        "47de475f558f2d923446b2655e1979b2b8f3155e010fa1ee071b9c7bcc04d541",
    ),
    "Codex 0.169.0 and 0.171.0": (
        "6414b5f0a9e24341a4f2215ad77a0ae9b1871bcfa1dfff48260df5e29f4f8638",
    ),
    "Copilot CLI 1.0.102": ("20e2efe68a62a702167d70797eb5eb3c7d9b61f5b89407bdbd9ad2a91ff4064c",),
}
"""SHA-256 of the texts: without and with a start file of the shell, of an agent that npm or its
own installer put in place."""
_KNOWN = frozenset(digest for digests in OWN.values() for digest in digests)
_HOLE = re.compile("@([a-z]+)@")


def values(text: str, patterns: "Patterns" = {}) -> "dict[str, str] | None":  # noqa: B006
    """The values in a text of an agent's own; None where the text is none.

    `patterns` find each value by its group. What they find and the digest make up all of the text:
    it is written again from both, and compared.
    """
    if _HOLE.search(text):
        return None
    found = ((name, pattern.search(text)) for name, pattern in patterns.items())
    given = {name: match[1] for name, match in found if match}
    fixed = text
    for name, value in sorted(given.items(), key=lambda each: -len(each[1])):
        fixed = fixed.replace(value, f"@{name}@")
    if sha256(fixed.encode("utf-8", "surrogateescape")).hexdigest() not in _KNOWN:
        return None
    again = _HOLE.sub(lambda hole: given.get(hole[1], hole[0]), fixed)
    return given if again == text else None

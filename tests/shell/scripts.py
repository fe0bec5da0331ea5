"""The generators of random scripts, and the script of each seed.

Scripts grown from the grammar, of bash or of every shell; commands nested in the texts of commands;
commands as agents write them, cut and scratched; tokens in any order.
"""

# ruff: noqa: S311

from collections.abc import Callable
from random import Random

from tests import shell_strategies
from tests.shell import continued

GENERATORS: dict[str, Callable[[Random], str]] = {
    "grown": shell_strategies.grown,
    "spliced": shell_strategies.spliced,
    "souped": shell_strategies.souped,
    "nested": continued.nested,
    "portable": continued.portable,
}
STRICT = ("grown", "nested", "portable")
BATCH = 50
"""Scripts that one process of a shell runs."""


def script(kind: str, seed: str, broken: float = 1 / 3) -> str:
    """The script of a seed; `broken` is how many of all scripts have line continuations."""
    random = Random(seed)
    text = GENERATORS[kind](random)
    return continued.broken(random, text) if random.random() < broken else text

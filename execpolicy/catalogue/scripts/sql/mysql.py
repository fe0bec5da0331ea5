"""SQL for the client of MySQL, which has commands of its own among the statements.

`system ls` is one where a line begins and no statement is open; `delimiter` in the middle of a line
closes what is open. So a text of one line that begins with a statement holds no such command. Those
with a backslash stand anywhere; of these, `\\G` at the very end only turns the table.
"""

from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.catalogue.scripts.sql import statements as sql


def effects(text: str) -> list[Effect]:
    """What the statements do beyond selecting."""
    text = text.strip().removesuffix("\\G").rstrip()
    if "\n" in text or "\r" in text:
        return [Effect("execute", "a line after the first may be a command of the client")]
    if "\\" in text or text.startswith("."):
        return [Effect("execute", "it may hold commands of the client")]
    return sql.effects(text, "mysql")

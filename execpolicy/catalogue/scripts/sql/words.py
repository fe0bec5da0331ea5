"""The words of SQL that queries may hold. `rules/words/sql.words` says what each list is."""

from execpolicy.support.resources import words_of

_LISTS = words_of("sql")

QUERIES = _LISTS["queries"]
WINDOWS = _LISTS["windows"]
EXPLAINS = _LISTS["explains"]
SHOWN = _LISTS["shown"]
WRITES = _LISTS["writes"]
LOSES = _LISTS["loses"]
CLAUSES = _LISTS["clauses"]
PARTS = _LISTS["parts"]
HELD = _LISTS["held"]
SECRETS = _LISTS["secrets"]
TYPES = _LISTS["types"]
BEFORE_TEXT = _LISTS["before_text"]
OPERATORS = _LISTS["operators"]
DATA = tuple(_LISTS["data"])
CALLS = _LISTS["calls"]
PRAGMAS = _LISTS["pragmas"]
SETTINGS = _LISTS["settings"]
DOTS = _LISTS["dots"]
SHOWS = _LISTS["shows"]

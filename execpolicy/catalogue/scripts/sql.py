"""SQL on a command line: statements that only select, and those that do not.

A statement reads if it begins with a word that reads, holds no word that changes anything, and
calls only functions known to compute. The client's own commands (`.tables`, `\\d`) read if listed.
"""

from execpolicy.catalogue.scripts import Effect
from execpolicy.catalogue.scripts.cursor import Cursor, ScriptError

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_WORD = _LETTERS + "0123456789$"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_BEGINS = _set("select with values explain show describe desc table use pragma")
_WRITES = _set(
    "insert update replace merge upsert create alter rename grant revoke into copy load import "
    "call do execute exec prepare set reset lock attach detach vacuum analyze reindex cluster "
    "refresh comment notify listen outfile dumpfile handler begin commit rollback savepoint "
    "start kill flush purge install uninstall returning uescape"
)
_LOSES = _set("delete drop truncate shutdown")
_CALLS = _set(
    "abs array_agg avg bit_length bool_and bool_or cast ceil ceiling char_length coalesce "
    "concat concat_ws count cume_dist current_date current_schema current_timestamp date "
    "date_add date_format date_part date_sub date_trunc datediff datetime dense_rank exp "
    "extract first_value floor format from_unixtime glob greatest group_concat hex ifnull iif "
    "instr json json_agg json_array_length json_each json_extract json_object json_type "
    "json_valid jsonb_agg julianday lag last_value lead least left length ln locate log lower "
    "lpad ltrim max md5 median min mod month now ntile nullif octet_length percent_rank "
    "percentile_cont position power printf quote rank regexp_replace repeat replace reverse "
    "right round row_number rpad rtrim sign split_part sqrt stddev strftime string_agg substr "
    "substring sum time to_char to_date to_timestamp total trim trunc typeof unicode "
    "unix_timestamp unnest upper variance version year generate_series pg_size_pretty "
    "pg_database_size pg_relation_size pg_total_relation_size pg_table_size pg_get_viewdef "
    "pg_get_indexdef obj_description col_description database user in and or not as on using "
    "over exists any all some from select where by then when else case filter within values "
    "union except intersect having limit offset distinct between like ilike join lateral is "
    "partition interval row array end with materialized recursive char varchar character "
    "decimal numeric float int bigint timestamp bit"
)
_PRAGMAS = _set(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list "
    "database_list compile_options integrity_check quick_check foreign_key_check function_list "
    "collation_list page_count page_size encoding freelist_count schema_version user_version "
    "journal_mode application_id"
)
_SETTINGS = _set("journal_mode user_version application_id schema_version encoding page_size")
_DOTS = _set(
    ".tables .schema .fullschema .indexes .indices .databases .headers .header .mode .show "
    ".dump .version .width .help .dbinfo .separator .nullvalue .timer .echo .quit .exit"
)
_SHOWS = _set("\\l \\l+ \\list \\z \\conninfo \\x \\timing")
_SPACE = " \t\n\r\f\v"
_PLAIN = _WORD + " \t\r.,*%+-"


def effects(text: str) -> list[Effect]:
    """What the statements do beyond selecting."""
    try:
        return _statements(_without_commands(text))
    except ScriptError as error:
        return [("unknown", f"SQL that is not understood: {error}", None)]


def _without_commands(text: str) -> str:
    """The text without the lines that are commands of the client, which all must only read."""
    if "\\" in text:
        if _describes(text.strip()):
            return ""
        raise ScriptError("it holds a `\\`")
    lines = text.strip().split("\n")
    while lines and lines[0].lstrip().startswith("."):
        line = lines.pop(0)
        first = line.split()[0]
        if first not in _DOTS or set("|;") & set(line):
            raise ScriptError(f"`{first}` is a command of the client")
        if lines and set(line) - set(_PLAIN):
            raise ScriptError(f"`{first}` holds more than names")
    if any(line.lstrip().startswith(".") for line in lines):
        raise ScriptError("a line behind the first begins with `.`")
    return "\n".join(lines)


def _describes(text: str) -> bool:
    """psql's `\\d` family and a few more, with nothing behind but a name."""
    first, _, rest = text.partition(" ")
    return (first[:2] == "\\d" or first in _SHOWS) and not set(rest + first[1:]) - set(
        _WORD + "+.*? "
    )


def _statements(text: str) -> list[Effect]:
    found: list[Effect] = []
    for words in _Words(text).statements():
        if words:
            found += _statement(words)
    return found


def _statement(words: list[tuple[str, bool]]) -> list[Effect]:
    """`words` are the words of one statement, each with whether a parenthesis follows."""
    first = words[0][0]
    for word, called in words:
        if word in _LOSES:
            return [("destroy", f"`{word}` removes data", None)]
        if word in _WRITES and not (called and word in _CALLS):
            return [("write", f"`{word}` changes data", None)]
    if first not in _BEGINS:
        return [("unknown", f"`{first}` is not known to only read", None)]
    if first == "pragma":
        return _pragma(words)
    for word, called in words:
        if called and word not in _CALLS:
            return [("unknown", f"what `{word}()` does is not known", None)]
    return []


def _pragma(words: list[tuple[str, bool]]) -> list[Effect]:
    names = [word for word, _ in words[1:]]
    if "=" in names or not names or (names[0] not in _PRAGMAS and names[-1] not in _PRAGMAS):
        return [("write", "a pragma may change the database", None)]
    if names[-1] not in _PRAGMAS and _SETTINGS & set(names):
        return [("write", "a pragma may change the database", None)]
    if any(called and word in _SETTINGS for word, called in words):
        return [("write", "a pragma may change the database", None)]
    return []


class _Words(Cursor):
    """Splits a text into statements and these into lower-case words."""

    __slots__ = ()

    def statements(self) -> list[list[tuple[str, bool]]]:
        found: list[list[tuple[str, bool]]] = [[]]
        while self.char:
            char = self.char
            if char == ";":
                found.append([])
                self.at += 1
            elif char in _LETTERS:
                word = self.take(_WORD).lower()
                self.take(_SPACE)
                found[-1].append((word, self.char == "("))
            else:
                self._other(char, found[-1])
        return found

    def _other(self, char: str, words: list[tuple[str, bool]]) -> None:
        self.at += 1
        if char in "'\"`":
            self._quoted(char)
        elif char == "-" and self.char == "-":
            self._comment()
        elif char == "[":
            self._bracket()
        elif char == "#" or (char == "/" and self.char in ("*", "/")):
            raise ScriptError("it holds a comment")
        elif char in "$@\\" or not char.isascii():
            raise ScriptError(f"it holds a `{char}`")
        elif char == "=":
            words.append(("=", False))

    def _quoted(self, char: str) -> None:
        inside = self.upto(char)
        if self.at > len(self.text):
            raise ScriptError(f"there is no `{char}` at the end of a text")
        if char == "`" and set(inside) - set(_WORD + " -"):
            raise ScriptError("it holds more than a name between backquotes")
        if char != "'":
            self._uncalled()

    def _comment(self) -> None:
        """`-- ` to the end of the line. Without the space, some databases compute with it."""
        if self.text[self.at + 1 : self.at + 2] not in ("", " ", "\t", "\n"):
            raise ScriptError("it holds `--` in front of a word")
        self.upto("\n")
        self._uncalled()

    def _uncalled(self) -> None:
        """What stood here is no name that a call hides behind."""
        self.take(_SPACE)
        if self.char == "(":
            raise ScriptError("what is called is no plain name")

    def _bracket(self) -> None:
        """A name to some databases, an index to others: no reading may hide what follows."""
        end = self.text.find("]", self.at)
        if end < 0 or set(self.text[self.at : end]) & set("'\"`;["):
            raise ScriptError("it holds a quote within `[…]`")
        if self.text[end + 1 :].lstrip(_SPACE).startswith("("):
            raise ScriptError("what is called is no plain name")

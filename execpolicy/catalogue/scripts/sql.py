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


_BEGINS = _set("select with values from explain show describe desc summarize table use pragma")
_QUERIES = _set("select with values table")
_EXPLAINS = _set(
    "analyze verbose costs settings generic_plan buffers serialize wal timing summary memory "
    "format = on off true false none text binary xml json yaml tree traditional"
)
"""What may stand between `explain` and the statement. CockroachDB's `debug` writes a file."""
_WRITES = _set(
    "insert update replace merge upsert create alter rename grant revoke into copy load import "
    "call do execute exec prepare set reset lock attach detach vacuum analyze reindex cluster "
    "refresh comment notify listen outfile dumpfile handler begin commit rollback savepoint "
    "start kill flush purge install uninstall returning uescape"
)
_LOSES = _set("delete drop truncate shutdown")
_HELD = _set(
    "insert update replace delete drop alter create into reindex analyze returning begin commit "
    "rollback savepoint set"
)
"""What SQLite refuses where the database was opened to be read only."""
_SECRETS = _set(
    "pg_authid pg_shadow pg_user_mapping pg_user_mappings rolpassword usepassword "
    "authentication_string umoptions subconninfo pg_subscription"
)
_CALLS = _set(
    "abs array_agg avg bit_length bool_and bool_or cast ceil ceiling char_length coalesce concat "
    "concat_ws count cume_dist current_date current_schema current_timestamp date date_add "
    "date_format date_part date_sub date_trunc datediff datetime dense_rank exp extract "
    "first_value floor format from_unixtime greatest group_concat hex ifnull iif instr json "
    "json_agg json_array_length json_each json_extract json_object json_type json_valid jsonb_agg "
    "julianday lag last_value lead least left length ln locate log lower lpad ltrim max md5 "
    "median min mod month now ntile nullif octet_length percent_rank percentile_cont position "
    "power printf quote rank regexp_replace repeat replace reverse right round row_number rpad "
    "rtrim sign split_part sqrt stddev strftime string_agg substr substring sum time to_char "
    "to_date to_timestamp total trim trunc typeof unicode unix_timestamp unnest upper variance "
    "version year generate_series pg_size_pretty pg_database_size pg_relation_size "
    "pg_total_relation_size pg_table_size pg_get_viewdef pg_get_indexdef obj_description "
    "col_description database user in and or not as on using over exists any all some from select "
    "where by then when else case filter within values union except intersect having limit offset "
    "distinct between like ilike join lateral is partition interval row array end with "
    "materialized recursive char varchar character decimal numeric float int bigint timestamp bit "
    "sqlite_version sqlite_source_id sqlite_compileoption_get sqlite_compileoption_used changes "
    "total_changes last_insert_rowid unhex soundex timediff likely unlikely random randomblob "
    "zeroblob json_array json_group_array json_group_object json_quote json_set json_insert "
    "json_replace json_remove json_patch json_tree json_error_position bm25 highlight snippet pi "
    "pow radians degrees sin cos tan asin acos atan atan2 log2 log10 div pg_get_functiondef "
    "pg_get_constraintdef pg_get_expr pg_get_userbyid pg_get_triggerdef pg_get_ruledef "
    "pg_get_serial_sequence pg_get_function_arguments pg_get_partkeydef pg_indexes_size "
    "pg_column_size pg_tablespace_size pg_backend_pid pg_blocking_pids pg_is_in_recovery "
    "pg_postmaster_start_time pg_conf_load_time pg_current_wal_lsn pg_last_wal_receive_lsn "
    "pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_wal_lsn_diff pg_table_is_visible "
    "pg_encoding_to_char pg_typeof format_type shobj_description inet_server_addr "
    "inet_server_port inet_client_addr current_setting current_schemas has_table_privilege "
    "has_schema_privilege has_database_privilege to_regclass to_regtype age make_date "
    "make_interval make_timestamp justify_days justify_hours clock_timestamp statement_timestamp "
    "transaction_timestamp to_number array_to_string string_to_array array_length array_position "
    "cardinality array_append json_build_object jsonb_build_object json_object_agg "
    "jsonb_object_agg row_to_json to_json to_jsonb json_array_elements jsonb_array_elements "
    "json_array_elements_text jsonb_array_elements_text json_each_text jsonb_each jsonb_each_text "
    "json_object_keys jsonb_object_keys json_typeof jsonb_typeof jsonb_array_length "
    "jsonb_extract_path json_extract_path_text jsonb_extract_path_text jsonb_pretty "
    "jsonb_path_query regexp_match regexp_matches regexp_split_to_table regexp_split_to_array "
    "regexp_count regexp_substr initcap overlay translate btrim starts_with encode decode sha256 "
    "hashtext grouping rollup cube sets every bool mode var_pop stddev_pop stddev_samp corr "
    "regr_slope width_bucket unistr gen_random_uuid localtime localtimestamp current_time "
    "isfinite ascii chr curdate curtime sysdate utc_timestamp timestampdiff timestampadd last_day "
    "str_to_date dayname monthname dayofweek dayofmonth dayofyear week weekday weekofyear hour "
    "minute second quarter makedate maketime to_days from_days time_to_sec sec_to_time addtime "
    "subtime if isnull field find_in_set elt conv bin oct ord space lcase ucase mid "
    "substring_index uuid inet_ntoa inet_aton connection_id current_user session_user system_user "
    "schema charset collation format_bytes any_value bit_and bit_or bit_xor std json_contains "
    "json_keys json_length json_unquote json_value json_depth json_search json_pretty "
    "json_arrayagg json_objectagg range list list_value struct_pack strptime epoch epoch_ms "
    "approx_quantile quantile arg_max arg_min histogram list_sort list_distinct list_aggregate "
    "string_split regexp_extract regexp_full_match regexp_extract_all regexp_contains levenshtein "
    "uniq uniqexact countif sumif avgif tostartofday tostartofhour tostartofmonth todate "
    "todatetime tostring formatreadablesize formatreadablequantity arrayjoin toyyyymm tohour "
    "todayofweek safe_cast try_cast struct array_concat approx_count_distinct timestamp_sub "
    "timestamp_add timestamp_trunc timestamp_diff datetime_diff datetime_trunc parse_date "
    "parse_timestamp format_date format_timestamp generate_array generate_date_array json_query "
    "json_extract_scalar ends_with safe_divide to_hex farm_fingerprint token ttl writetime dateof "
    "current_database current_catalog current_role pg_has_role has_any_column_privilege "
    "has_column_privilege has_foreign_data_wrapper_privilege has_function_privilege "
    "has_language_privilege has_parameter_privilege has_sequence_privilege has_server_privilege "
    "has_tablespace_privilege has_type_privilege quote_ident quote_literal quote_nullable "
    "array_remove array_upper array_lower array_ndims array_dims array_cat array_prepend "
    "array_replace array_positions array_to_json jsonb_set jsonb_insert jsonb_strip_nulls "
    "json_strip_nulls jsonb_path_exists jsonb_path_match jsonb_path_query_array "
    "jsonb_path_query_first date_bin to_tsvector to_tsquery plainto_tsquery phraseto_tsquery "
    "websearch_to_tsquery ts_rank ts_rank_cd ts_headline setweight similarity word_similarity "
    "nth_value percentile_disc sha224 sha384 sha512 gcd lcm factorial num_nulls num_nonnulls "
    "string_to_table regexp_like regexp_instr to_ascii parse_ident to_regproc to_regprocedure "
    "to_regnamespace to_regrole pg_relation_filepath pg_relation_filenode pg_filenode_relation "
    "pg_size_bytes pg_function_is_visible pg_type_is_visible pg_my_temp_schema "
    "pg_describe_object pg_identify_object pg_options_to_table pg_get_statisticsobjdef "
    "pg_collation_for pg_walfile_name pg_is_wal_replay_paused pg_current_wal_insert_lsn "
    "pg_current_wal_flush_lsn pg_safe_snapshot_blocking_pids txid_current_if_assigned "
    "pg_current_xact_id_if_assigned txid_current_snapshot pg_trigger_depth strcmp convert_tz "
    "period_diff period_add yearweek json_overlaps json_storage_size is_uuid bin_to_uuid "
    "uuid_to_bin inet6_ntoa is_ipv4 from_base64 to_base64 crc32 sha1 sha2 found_rows row_count "
    "unixepoch likelihood glob pragma_table_info pragma_table_xinfo pragma_table_list "
    "pragma_index_list pragma_index_info pragma_index_xinfo pragma_foreign_key_list "
    "date_diff list_contains list_transform list_filter struct_extract map_keys map_values "
    "product bit_count duckdb_tables duckdb_columns duckdb_views contains "
    "epoch_us count_if"
)
_PRAGMAS = _set(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list "
    "database_list compile_options integrity_check quick_check foreign_key_check function_list "
    "collation_list page_count page_size encoding freelist_count schema_version user_version "
    "journal_mode application_id version platform database_size show_tables show_tables_expanded "
    "show_databases storage_info"
)
_SETTINGS = _set("journal_mode user_version application_id schema_version encoding page_size")
_DOTS = _set(
    ".tables .schema .fullschema .indexes .indices .databases .headers .header .mode .show "
    ".dump .version .width .help .dbinfo .separator .nullvalue .timer .echo .quit .exit .stats "
    ".explain .eqp .binary .bail .changes .limit .sha3sum .vfsinfo .vfslist .vfsname .print "
    ".timeout .progress .scanstats .dbtotxt .lint"
)
_SHOWS = _set("\\l \\l+ \\list \\z \\conninfo \\x \\timing")
_SPACE = " \t\n\r\f\v"
_PLAIN = _WORD + " \t\r.,*%+-"
_REMARK = frozenset(_PLAIN + "\n:()=?")


def effects(text: str, held: frozenset[str] = frozenset()) -> list[Effect]:
    """What the statements do beyond selecting, where those that begin with `held` are refused."""
    try:
        return _statements(_without_commands(text), held)
    except ScriptError as error:
        return [("unknown", f"SQL that is not understood: {error}", None)]


def readonly(text: str) -> list[Effect]:
    """The same for a database of SQLite that was opened to be read only.

    A table for the session and `vacuum into` are written even so, with what they call.
    """
    return effects(text, _HELD)


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
    if any(map(_ends, lines)):
        raise ScriptError("a line ends the statement before it")
    return "\n".join(lines)


def _ends(line: str) -> bool:
    """Whether the line may be a `;` to SQLite's shell: `go` or `/`, and perhaps a comment."""
    word = line.strip().lower()
    if word.startswith("go"):
        return not word[2:3] or word[2] not in _WORD
    return word.startswith("/") and not word.startswith("/*")


def _describes(text: str) -> bool:
    """psql's `\\d` family and a few more, with nothing behind but a name."""
    first, _, rest = text.partition(" ")
    return (first[:2] == "\\d" or first in _SHOWS) and not set(rest + first[1:]) - set(
        _WORD + "+.*? "
    )


def _statements(text: str, held: frozenset[str]) -> list[Effect]:
    found: list[Effect] = []
    for words in _Words(text).statements():
        if words:
            found += _statement(words, held)
    return found


def _explained(words: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """The statement behind `explain (analyze, …)`, which is run, if it is a query."""
    at = 1
    while at < len(words) and words[at][0] in _EXPLAINS:
        at += 1
    query = words[0][0] == "explain" and at < len(words) and words[at][0] in _QUERIES
    return words[at:] if query else words


def _statement(words: list[tuple[str, bool]], held: frozenset[str]) -> list[Effect]:
    """`words` are the words of one statement, each with whether a parenthesis follows."""
    words = _explained(words)
    first = words[0][0]
    for word, called in words:
        if word in _LOSES - held:
            return [("destroy", f"`{word}` removes data", None)]
        if word in _WRITES - held and not (called and word in _CALLS):
            return [("write", f"`{word}` changes data", None)]
        if word in _SECRETS:
            return [("privilege", f"`{word}` holds passwords", None)]
    if first not in _BEGINS | held:
        return [("unknown", f"`{first}` is not known to only read", None)]
    if first == "pragma":
        return _pragma(words)
    for word, called in words:
        if called and word not in _CALLS:
            return [("unknown", f"what `{word}()` does is not known", None)]
    return []


def _pragma(words: list[tuple[str, bool]]) -> list[Effect]:
    names = [word for word, _ in words[1:]]
    called = [word.lstrip(".") for word, is_called in words[1:] if is_called]
    name = called[0] if called else names[-1] if names else ""
    if "=" in names or name not in _PRAGMAS or (called and name in _SETTINGS):
        return [("write", "a pragma may change the database", None)]
    return []


class _Words(Cursor):
    """Splits a text into statements and these into lower-case words.

    `last` is the word just read, `schema` the one in front of a dot that was read after it; blanks
    and comments change neither.
    """

    __slots__ = ("last", "schema")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.last = ""
        self.schema: str | None = None

    def statements(self) -> list[list[tuple[str, bool]]]:
        found: list[list[tuple[str, bool]]] = [[]]
        while self.char:
            char = self.char
            if char == ";":
                found.append([])
                self.at += 1
                self.last, self.schema = "", None
            elif char in _LETTERS:
                dotted = self.schema not in (None, "pg_catalog")
                word = self.last = self.take(_WORD).lower()
                self.schema = None
                self.take(_SPACE)
                found[-1].append((word, self.char == "("))
                if dotted and self.char == "(":  # `x.abs()` of somebody is not `abs()`
                    found[-1].append((f".{word}", True))
            else:
                self._other(char, found[-1])
        return found

    def _other(self, char: str, words: list[tuple[str, bool]]) -> None:
        self.at += 1
        if char in _SPACE:
            return
        if char + self.char not in ("--", "/*"):
            self.schema, self.last = (self.last if char == "." else None), ""
        if char in "'\"`":
            self._quoted(char)
        elif char == "-" and self.char == "-":
            self._comment()
        elif char == "[":
            self._bracket()
        elif char == "/" and self.char == "*":
            self._block()
        elif char == "#" or (char == "/" and self.char == "/"):
            raise ScriptError("it holds a comment")
        elif char in "$@\\" or not char.isascii():
            raise ScriptError(f"it holds a `{char}`")
        elif char == "=":
            words.append(("=", False))

    def _quoted(self, char: str) -> None:
        inside = self.upto(char)
        if self.at > len(self.text):
            raise ScriptError(f"there is no `{char}` at the end of a text")
        if char == "`" and (set(inside) - set(_WORD + " -.*") or "--" in inside):
            raise ScriptError("it holds more than a name between backquotes")
        if char != "'":
            if inside.lower() in _SECRETS:
                raise ScriptError(f"`{inside}` holds passwords")
            self._uncalled()

    def _comment(self) -> None:
        """`-- ` to the end of the line. Without the space, some databases compute with it."""
        if self.text[self.at + 1 : self.at + 2] not in ("", " ", "\t", "\n"):
            raise ScriptError("it holds `--` in front of a word")
        if "\r" in self.upto("\n").removesuffix("\r"):
            raise ScriptError("a comment holds a carriage return, which ends it for some")
        self._uncalled()

    def _block(self) -> None:
        """`/* … */` with plain words inside: MySQL runs `/*! … */`, and some databases nest."""
        end = self.text.find("*/", self.at + 1)
        if end < 0 or set(self.text[self.at : end]) - _REMARK or self.text[self.at + 1] == "+":
            raise ScriptError("it holds a comment of more than plain words")
        self.at = end + 2
        self._uncalled()

    def _uncalled(self) -> None:
        """What stood here is no name that a call hides behind."""
        self.take(_SPACE)
        if self.char == "(":
            raise ScriptError("what is called is no plain name")

    def _bracket(self) -> None:
        """A name to some databases, an index to others: no reading may hide what follows."""
        end = self.text.find("]", self.at)
        inside = self.text[self.at : max(end, self.at)]
        if end < 0 or set(inside) & set("'\"`;[") or "--" in inside or "/*" in inside:
            raise ScriptError("it holds a quote or a comment within `[…]`")
        if self.text[end + 1 :].lstrip(_SPACE).startswith("("):
            raise ScriptError("what is called is no plain name")

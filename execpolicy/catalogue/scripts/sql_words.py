"""The words of SQL that queries may hold: PostgreSQL, SQLite, MySQL and DuckDB, by their manuals.

What is a function, a type or an operator here is built in and computes; nothing else is called.
"""

from execpolicy.catalogue.scripts.effect import listed

QUERIES = listed("select with values table")
"""What a query begins with, and the body of a name that `with` gives to one."""
WINDOWS = listed("partition order rows range groups")
"""What stands in the parentheses of a window instead, which also follow an `as`."""
EXPLAINS = listed(
    "analyze verbose costs settings generic_plan buffers serialize wal timing summary memory "
    "format on off true false none text binary xml json yaml tree traditional"
)
"""What may stand between `explain` and the statement. CockroachDB's `debug` writes a file."""
SHOWN = listed(
    "full extended global session create tables databases schemas columns fields index indexes "
    "keys table status variables processlist engines warnings errors grants collation character "
    "charset triggers events plugins open count all function procedure view views functions "
    "settings dictionaries measurements series tag field retention continuous users roles time "
    "transaction"
)
"""What follows `show` where more words do."""
WRITES = listed(
    "insert update replace merge upsert create alter rename grant revoke copy load import call do "
    "execute exec prepare set reset lock attach detach vacuum analyze reindex cluster refresh "
    "comment notify listen handler begin commit rollback savepoint start kill flush purge install "
    "uninstall"
)
LOSES = listed("delete drop truncate shutdown")
"""Statements that change things, for the reason that is shown; what is not listed asks too."""
CLAUSES = listed("into for lock procedure outfile dumpfile returning uescape")
"""All clauses with which a query does more than read, or its text is not what it looks like. Where
a language has one, it is a reserved word there, which no name can be."""
PARTS = listed("substring overlay trim substr position")
"""Functions in whose parentheses a `for` says how far."""
HELD = listed(
    "insert update replace delete drop alter create into reindex analyze returning begin commit "
    "rollback savepoint set"
)
"""What SQLite refuses where the database was opened to be read only."""
SECRETS = listed(
    "pg_authid pg_shadow pg_user_mapping pg_user_mappings rolpassword usepassword "
    "authentication_string umoptions subconninfo pg_subscription"
)
"""Where servers keep passwords. Every other relation is the project's own."""
TYPES = listed(
    "int int2 int4 int8 integer smallint bigint tinyint mediumint hugeint ubigint uinteger "
    "usmallint utinyint serial bigserial real float float4 float8 float32 float64 double decimal "
    "numeric money bool boolean text varchar char character bpchar name string nchar nvarchar "
    "citext bytea blob binary varbinary bytes bit varbit date time timetz timestamp timestamptz "
    "datetime interval year uuid json jsonb xml inet cidr macaddr macaddr8 point line lseg box "
    "path polygon circle tsvector tsquery int4range int8range numrange daterange tsrange "
    "tstzrange oid regclass regtype regproc regprocedure regrole regnamespace regoper regconfig "
    "regdictionary pg_lsn xid cid tid unsigned signed national any none null geometry geography "
    "number"
)
"""Types of the database itself, into which a cast runs no code of anybody."""
BEFORE_TEXT = listed(
    "like ilike similar to escape in and or not then else when case select distinct by having "
    "where on from join as between limit offset is zone all any some regexp rlike glob match "
    "values union separator div mod end collate describe summarize with using over return e b x n"
)
"""Words that stand in front of a text and do not name its type."""
OPERATORS = listed(
    "+ - * / % ^ < > <= >= = <> != == || && & | ~ << >> -> ->> :: !~ ~* !~* ~~ !~~ ? ?| ?& ** |/ "
    "||/ <=> =>"
)
"""Operators of the languages themselves. One by another name is somebody's function."""
DATA = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".csv.gz", ".json.gz")
"""Files that DuckDB reads by their name without fetching an extension first."""
CALLS = listed(
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
    "pg_size_bytes pg_function_is_visible pg_type_is_visible pg_my_temp_schema pg_describe_object "
    "pg_identify_object pg_options_to_table pg_get_statisticsobjdef pg_collation_for "
    "pg_walfile_name pg_is_wal_replay_paused pg_current_wal_insert_lsn pg_current_wal_flush_lsn "
    "pg_safe_snapshot_blocking_pids txid_current_if_assigned pg_current_xact_id_if_assigned "
    "txid_current_snapshot pg_trigger_depth strcmp convert_tz period_diff period_add yearweek "
    "json_overlaps json_storage_size is_uuid bin_to_uuid uuid_to_bin inet6_ntoa is_ipv4 "
    "from_base64 to_base64 crc32 sha1 sha2 found_rows row_count unixepoch likelihood glob "
    "pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_list pragma_index_info "
    "pragma_index_xinfo pragma_foreign_key_list date_diff list_contains list_transform "
    "list_filter struct_extract map_keys map_values product bit_count duckdb_tables "
    "duckdb_columns duckdb_views contains epoch_us count_if"
)
PRAGMAS = listed(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list "
    "database_list compile_options integrity_check quick_check foreign_key_check function_list "
    "collation_list page_count page_size encoding freelist_count schema_version user_version "
    "journal_mode application_id version platform database_size show_tables show_tables_expanded "
    "show_databases storage_info"
)
SETTINGS = listed("journal_mode user_version application_id schema_version encoding page_size")
DOTS = listed(
    ".tables .schema .fullschema .indexes .indices .databases .headers .header .mode .show .dump "
    ".version .width .help .dbinfo .separator .nullvalue .timer .echo .quit .exit .stats .explain "
    ".eqp .binary .bail .changes .limit .sha3sum .vfsinfo .vfslist .vfsname .print .timeout "
    ".progress .scanstats .dbtotxt .lint"
)
SHOWS = listed("\\l \\l+ \\list \\z \\conninfo \\x \\timing")

"""SQL beyond the common rows of `test_scripts`: what shows secrets, and what is refused."""

import pytest

from execpolicy.catalogue.scripts import causes_of

ROWS = {
    "sql": [
        ("select count(*) from `project.data.events_*`", ""),
        ("select pg_get_functiondef(oid) from pg_proc", ""),
        ("select rolname, rolpassword from pg_authid", "privilege"),
        ("select * from pg_shadow", "privilege"),
        ('select * from "pg_authid"', "unknown"),
        ("select authentication_string from mysql.user", "privilege"),
        ("select pg_read_file('a')", "unknown"),
        ("select * from read_csv('https:' || '//example.com')", "unknown"),
        ("select pg_catalog.abs(1), t.a from x.t", ""),
        ("select x.abs(1)", "unknown"),
        ("select x. abs (1)", "unknown"),
        (".stats", ""),
        ("explain (analyze, buffers, format json) select count(*) from t", ""),
        ("explain analyze verbose with x as (select 1) table x", ""),
        ("explain analyze format=tree select 1", ""),
        ("explain (analyze) update t set a = 1", "write"),
        ("explain (analyze) with x as (delete from t returning *) select 1", "destroy"),
        ("explain analyze execute x", "write"),
        ("explain analyze (debug) select 1", "write"),
        ("explain analyze select lo_import('a')", "unknown"),
        ("explain analyze; analyze", "write write"),
        ("analyze select", "write"),
        ("select current_database(), has_table_privilege('a', 'b', 'select')", ""),
        ("select * from pragma_table_info('t')", ""),
        ("select txid_current()", "unknown"),
        (".log a", "unknown"),
        ("/* how many (all)? */ select count(*) /* of\n them */ from t", ""),
        ("select 1 /* x */; drop table t", "destroy"),
        ("select a/*x*/.b from t where 1/2 > 0", ""),
        ("select pg_read_file /* x */ ('a')", "unknown"),
        ("select 1 /*! into outfile 'a' */", "unknown"),
        ("select 1 /*M! into outfile */", "unknown"),
        ("select /*+ SET_VAR(a = 1) */ 1", "unknown"),
        ("select 1 /* 'a */, lo_export(1) --' */", "unknown"),
        ("select 1 /* a /* b */ c */", "unknown"),
        ("select 1 /* a", "unknown"),
        ("select 1 // a", "unknown"),
        ("select evil./**/abs(1)", "unknown"),
        ("select evil. -- x\n abs(1)", "unknown"),
        ("select pg_catalog/* x */.abs(1)", ""),
        ('select 1 as pg_catalog, "evil".abs(1)', "unknown"),
        ("select 1 as [-- ], '\n'; delete from a; --'", "unknown"),
        ("select 1 -- \r; delete from a", "unknown"),
        ("select 1 -- x\r\n from t", ""),
        ("select `-- x`'\n 1; drop table a; --'", "unknown"),
        ("select 1\ngo\npragma user_version = 5", "unknown"),
        ("select 1\nGO -- x\npragma optimize", "unknown"),
        ("select 1\n/ /* x */\npragma optimize", "unknown"),
        ("select 1\ngoal from t", ""),
        ("pragma incremental_vacuum(version)", "write"),
        ("pragma main.wal_checkpoint(page_count)", "write"),
        ("pragma table_info(t)", ""),
        ("pragma main.table_info(t)", ""),
        ("pragma main.user_version", ""),
        ("pragma user_version(5)", "write"),
        ("pragma", "write"),
        ("select 1\n / \nselect 2", "unknown"),
    ],
    "mysql": [
        ("/* x */ select 1", ""),
        ("select 1 /*!50000 into dumpfile 'a' */", "unknown"),
    ],
    "sqlite-readonly": [  # what SQLite 3.40 did when it was run
        ("drop table t", ""),
        ("delete from t; insert into t values (1)", ""),
        ("update t set a = 1 where b = lower('X')", ""),
        ("vacuum into 'a'", "write"),
        ("attach 'a' as b", "write"),
        ("create temp table x as select writefile('a', 'b')", "unknown"),
        ("delete from t; .shell ls", "unknown"),
        (".open a", "unknown"),
        (".shell ls", "unknown"),
        ("pragma user_version = 1", "write"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "text", "expected"), [(k, t, e) for k, rows in ROWS.items() for t, e in rows]
)
def test_what_statements_do(kind: str, text: str, expected: str) -> None:
    assert [effect for effect, _, _ in causes_of(kind, text)] == expected.split()

"""The small languages: which texts only print."""

import pytest

from execpolicy.catalogue.scripts import causes_of
from execpolicy.catalogue.scripts.template import commands, filled

ROWS = {
    "sed": [
        ("s/a/b/g", ""),
        ("1,5p", ""),
        ("$!N;s/\\n/ /;P;D", ""),
        (":a;N;$!ba;s/\\n/ /g", ""),
        ("/x/,/y/{s/a/b/;p}", ""),
        ("0,/x/s//y/", ""),
        ("2,+3p;1~2d", ""),
        ("\\,x,Ip", ""),
        ("s|[^/]*$||", ""),
        ("s/[^/]*$//", ""),
        ("s/[]/]x/y/2gp", ""),
        ("y/abc/xyz/", ""),
        ("y/a\nw out\n#/b/", "unknown"),  # behind `-e 'i\\'` its first line is a text
        ("s/[[:space:]]*[[:digit:]][[.-.]]$//", ""),
        ("5q1", ""),
        ("a hello; w x", ""),
        ("a\\\nhello; w x\\\nmore\np", ""),
        ("# w x\np", ""),
        ("s/a/b/w /dev/stdout", ""),
        ("r f", "read"),
        ("w out", "write"),
        ("/x/w out", "write"),
        ("s/a/b/gw out", "write"),
        ("p;W out", "write"),
        ("a x\nw out", "write"),
        ("e", "execute"),
        ("1e id", "execute"),
        ("s/a/b/e", "execute"),
        ("s/a/b/ge", "execute"),
        ("s,a,b,;e id", "execute"),
        ("s/a\\/b/c/e", "execute"),
        ("{{p};e}", "execute"),
        ("s/[\\]/]/e", "unknown"),
        ("s/a/b", "unknown"),
        ("s/a\nb/c/", "unknown"),
        ("s/a/b/x", "unknown"),
        ("p w x", "unknown"),
        ("--expression", "unknown"),
        ("1,p", "unknown"),
        ("\\", "unknown"),
    ],
    "awk": [
        ("{print $1}", ""),
        ("$1 > 5", ""),
        ("{print ($1 > 5)}", ""),
        ("NR==1||/x/", ""),
        ("!seen[$0]++", ""),
        ("{sum+=$1} END{print sum/NR}", ""),
        ('{gsub(/"/,""); print}', ""),
        ("{print ($3-$2)/60, a[1]/2, x++/2}", ""),
        ("length > 80 # system(x)", ""),
        ("$2 ~ /^a[/]b/", ""),
        ('{print "system(x) | y > z"}', ""),
        ('{print > "/dev/stderr"}', ""),
        ('{while((getline l < "f")>0) n++}', "read"),
        ("{getline; print}", ""),
        ('{print > "f"}', "write"),
        ("{print $1 > $2}", "write"),
        ('{print "a",\n$1 >> "log"}', "write"),
        ('{printf("%s", $1) > "f"}', "write"),
        ('{if(x)print>"f"}', "write"),
        ('BEGIN{system("id")}', "execute"),
        ('/"/; {system("id")}; /"/', "execute"),
        ('{print | "sort -n"}', "shell"),
        ('{printf("%s", $1) | "sort"\n}', "shell"),
        ('{"id"|getline x}', "shell"),
        ('BEGIN{while (("ls" | getline f) > 0) n++; close("ls")}', "shell"),
        ('{print | "sort" " -o x"}', "execute"),
        ('{print | "sort"' + " " * 120 + '" -o x"}', "execute"),
        ('{print | "sort -n" > "x"}', "execute write"),
        ('{print | "so\\162t"}', "execute"),
        ("{print | x}", "execute"),
        ('{"a" "id" | getline x}', "execute"),
        ('{x = "id" | getline y}', "execute"),
        ('{ENVIRON["PATH"] = "."; print | "sort"}', "execute"),
        ('{print > "/dev/null"' + " " * 120 + '"x"}', "write"),
        ('{print |& "sh"}', "execute"),
        ('BEGIN{f="system";@f("id")}', "execute"),
        ('@load "x"', "execute"),
        ('BEGIN{print 1system("id")}', "unknown"),
        ("{print 1e5, 0x1F, 2in a}", ""),
        ('BEGIN{case / 2; system("id") / 1}', "unknown"),  # a variable outside of gawk
        ('BEGIN{x=/[[.]/; system("id")} #.]]/', "unknown"),
        ('BEGIN{x=/[[:]/; system("id")} #:]]/', "unknown"),
        ('BEGIN{getline a[0] < "/inet/tcp/0/h/80"}', "unknown"),
        ('BEGIN{x=/[[.a.]/; system("id")} #]/', "unknown"),
        ('BEGIN{SYMTAB["ARGV"][1] = "/inet/tcp/0/h/80"}1', "unknown"),
        ('BEGIN{getline $NF++ < "/inet/tcp/0/h/80"}', "unknown"),
        ("{while ((getline line) > 0) n++; getline x # y\n}", ""),
        ("$1 ~ /^[[:space:]]*[/[:alpha:]]+/", ""),
        ('@include "x"', "execute"),
        ('{x=$/"/;system("id");y=$/"/}', "unknown"),
        ('{if(1)/"/}', "unknown"),
        ("{getline l < x}", "unknown"),
        ('{getline l < "/inet/tcp/0/h/80"}', "unknown"),
        ('BEGIN{ARGV[1]="x"}', "unknown"),
        ('{print "a}', "unknown"),
        ('{"a" \\ "id" | getline x}', "unknown"),
        ("{print $1, \\\n$2}", ""),
    ],
    "jq": [
        (".a[] | select(.b) | @sh", ""),
        ("env, input_filename", ""),
        ('system("x")', "execute"),
    ],
    "sql": [
        ("SELECT count(*) FROM t WHERE a = 'x; drop table t'", ""),
        ("with x as (select 1) select * from x;", ""),
        ("select replace(a, 'b', 'it''s') from \"t\" -- end", ""),
        ("explain select 1", ""),
        ("pragma table_info(t)", ""),
        (".tables", ""),
        (".headers on\nselect 1;", ""),
        ("\\d+ users", ""),
        ("insert into t values (1)", "write"),
        ("select 1; update t set a = 1", "write"),
        ("select a into b from c", "write"),
        ("copy t to program 'x'", "write"),
        ("pragma user_version = 5", "write"),
        ("drop table t", "destroy"),
        ("with x as (delete from t returning *) select * from x", "destroy"),
        ("explain analyze delete from t", "write destroy"),
        ("select load_extension('x')", "unknown"),
        ("select \"writefile\"('x', 'y')", "unknown"),
        ("select [a'], 'b'] from t; drop table u; select 'x'", "unknown"),
        ("select `; drop table t; select `", "unknown"),
        ("select 'a\\'; drop table t; -- '", "unknown"),
        ("select $$x$$", "unknown"),
        ("select 1 /*! drop table t */", "unknown"),
        (".shell id", "unknown"),
        ("select 1;\n.output x", "unknown"),
        ("\\! id", "unknown"),
        ("\\d `id`", "unknown"),
        ("call f()", "write"),
        ("flashback", "unknown"),
        (".headers on\n.mode list\nselect 1", ""),
        (".tables '%x'", ""),
        ("\\l", ""),
        ("\\lo_export 1 x", "unknown"),
        ("pragma user_version(5)", "write"),
        ("pragma main.schema_version(5)", "write"),
        ("select [load_extension](1)", "unknown"),
        ("select load_extension -- x\n(1)", "unknown"),
        ("select load_extension\f(1)", "unknown"),
        ("select U&\"a!005fb\" uescape '!' (1)", "write"),
        ("select 1 // '\n; drop table t; // '", "unknown"),
        ("select '\n.tables '; delete from t; select '\n'", "unknown"),
        ("select 1 from t where t\n.tables is null; delete from t", "unknown"),
        (".tables ; delete from t", "unknown"),
        (".tables '\nselect 1; -- ' ; delete from t", "unknown"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "text", "expected"), [(k, t, e) for k, rows in ROWS.items() for t, e in rows]
)
def test_scripts(kind: str, text: str, expected: str) -> None:
    found = {effect for effect, _, _ in causes_of(kind, text)}
    assert found <= {*expected.split()}
    assert bool(found) == bool(expected)


TEMPLATES = [
    ("head -5 {} | grep {q}", 'head -5 "$1" | grep "$1"'),
    ("ls", "ls"),
    ("echo {1} {2..} {-1} {n} {+}", 'echo "$1" "$1" "$1" "$1" "$@"'),
    ("echo '{}'", None),  # its own quotes would end these
    ('grep "x" {}', None),
    ("echo \\{}", None),
    ("echo {r}", None),  # as it is, without quotes
    ("echo {+r}", None),
    ("echo {sr2}", None),
    ("echo {2r}", None),
    ("echo {fzf:query}", None),
    ("echo $({})", 'echo $("$1")'),
]


@pytest.mark.parametrize(("text", "expected"), TEMPLATES)
def test_templates(text: str, expected: str | None) -> None:
    assert filled(text) == expected


BINDINGS = [
    ("esc:abort", []),
    ("ctrl-a:select-all,ctrl-d:deselect-all", []),
    ("ctrl-/:toggle-preview+top", []),
    ("a:execute(vim {})", ["vim {}"]),
    ("a:execute(f (x))+reload(ls),b:up", ["f (x)", "ls"]),
    ("a:execute-silent~x, y~,b:become[z]", ["x, y", "z"]),
    ("change:reload:rg --files {q}, x || true", ["rg --files {q}, x || true"]),
    ("focus:transform-header:echo {}", ["echo {}"]),
    ("a:transform(echo)", None),
    ("a:bg-transform:echo", None),
    ("a:EXECUTE(x)", None),
    ("a:execute(x", None),
    ("a", None),
    ("a:", None),
    ("a:up b:down", None),
]


@pytest.mark.parametrize(("text", "expected"), BINDINGS)
def test_bindings(text: str, expected: list[str] | None) -> None:
    assert commands(text) == expected

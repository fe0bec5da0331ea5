"""How much of a path a word has read, and what is read that no word names."""

import pytest

from execpolicy.catalogue import StandardInput, read
from execpolicy.catalogue.reading.nested_paths import Database, database
from execpolicy.model.operation import Access, Connect, Dynamic, Variable
from execpolicy.model.written.program import Form, Program
from tests.catalogue.build import catalogue, one, problems, reads, strongest, subjects, words

TOP = Access(":/", "read", extent="history")
"""All that git keeps of a repository."""
GLOB = Dynamic("*.env", "", False)


def content(path: str) -> Access:
    return Access(path, "read")


@pytest.mark.parametrize(
    ("kind", "word", "expected"),
    [
        ("file", "a", [content("a")]),
        ("path", "a", [Access("a", "read", extent="names")]),
        ("path", "-", []),
        ("dir", "a", [Access("a", "read", extent="names")]),
        ("tree", "a", [Access("a", "read", extent="tree")]),
        ("visible", "a", [Access("a", "read", extent="visible")]),
        ("visible", "-", []),
        ("member", ".env", [content(".env")]),
        ("member", "a:b", [content("a:b")]),
        ("member", "*.env", [Access(GLOB, "read")]),
        ("form-field", "a=b", []),
        ("form-field", "a=@.env", [content(".env")]),
        ("form-field", "a=<.env", [content(".env")]),
        ("form-field", "@.env", [content(".env")]),
        ("form-field", "a=@.env;type=x", [content(".env;type=x"), content(".env")]),
        ("form-field", "a=@x,.env", [content("x,.env"), content("x"), content(".env")]),
        ("object", "HEAD~3", []),
        ("object", "@", []),
        ("object", "HEAD.pem", [Access("HEAD.pem", "read", extent="revision")]),
        ("object", "@x", [Access("@x", "read", extent="revision")]),
        ("object", "src", [Access("src", "read", extent="revision")]),
        ("object", ":(top)src", [Access("src", "read", extent="revision"), TOP]),
        ("object", "HEAD:.env", [content(".env")]),
        ("object", "HEAD@{12:30}:.env", [content("30}:.env"), content(".env")]),
        ("object", ":0:.env", [content("0:.env"), content(".env")]),
        ("object", ":.env", [Access(".env", "read", extent="revision")]),
        ("object", ":/.env", [Access(".env", "read", extent="revision"), TOP]),
        ("object", ":(top,icase).ENV", [Access(".env", "read", extent="revision"), TOP]),
        ("object", ":!.env", []),
        ("object", ":^.env", []),
        ("object", ":(exclude).env", []),
        ("object", "1,5:.env", [content(".env")]),
        ("object", "*.env", [Access(GLOB, "read", extent="revision")]),
        ("object", "HEAD:$x", [Access(Dynamic("HEAD:$x", ""), "read")]),
        ("variable", "TOKEN", [Variable("TOKEN")]),
        ("resource", "a.mp4", [content("a.mp4")]),
        ("resource", "./a:b", [content("./a:b")]),
        ("resource", "a b:c", [content("a b:c")]),
        ("resource", "file:a", [content("a")]),
        ("resource", "file:///a", [content("/a")]),
        ("resource", "https://h.example/a", [Connect("h.example", "https")]),
        ("resource", "HTTP:h", [Connect(Dynamic("HTTP:h", "", True), "tcp")]),
        ("resource", "concat:a|b", [Connect(Dynamic("concat:a|b", "", True), "tcp")]),
        (
            "resource",
            "subfile,,start,0,:a",
            [Connect(Dynamic("subfile,,start,0,:a", "", True), "tcp")],
        ),
        ("resource", "./$x", [Access(Dynamic("./$x", "./"), "read")]),
        ("database", "a.db", [content("a.db"), Access("a.db", "write")]),
        ("database", ":memory:", []),
        ("database", "file:a.db?mode=ro", [content("a.db")]),
        ("database", "file:a.db", [content("a.db"), Access("a.db", "write")]),
    ],
)
def test_subjects(kind: str, word: str, expected: list[object]) -> None:
    found = subjects(reads(one("", kind), f"p {word}")) if " " not in word else None
    if found is None:
        found = subjects(read(("p", word), one("", kind)))
    assert [cause.subject for cause in found] == expected


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("jq", "$ENV.TOKEN", [Variable("TOKEN")]),
        ("jq", 'env["TOKEN"]', [Variable("TOKEN")]),
        ("jq", "$ENV", [Variable()]),
        ("jq", "env|keys", [Variable()]),
        ("jq", ".env", []),
        ("jq", '.["env"]', []),
        ("jq", '{"env":.a}', []),
        ("jq", 'import "s" as $s; $s', [content("s.jq"), content("s.json")]),
        ("awk", 'BEGIN{print ENVIRON["TOKEN"]}', [Variable("TOKEN")]),
        ("awk", "BEGIN{for(k in ENVIRON)print ENVIRON[k]}", [Variable(), Variable()]),
    ],
)
def test_a_script_shows_variables_and_modules(kind: str, text: str, expected: list[object]) -> None:
    assert [cause.subject for cause in subjects(read(("p", text), one("", kind)))] == expected


def test_a_computed_resource_may_be_both() -> None:
    found = [cause.subject for cause in subjects(reads(one("", "resource"), 'p "$x"'))]
    assert [type(subject) for subject in found] == [Access, Connect]


@pytest.mark.parametrize(
    ("word", "path", "created"),
    [
        ("", None, False),
        ("file:a?mode=ro", "a", False),
        ("file:a?mode=ro&cache=shared", "a", False),
        ("file:a?immutable=1", "a", False),
        ("file:a?mode=rw", "a", True),
        ("file:a?mode=ro&mode=rwc", "a", True),
        ("file:a?vfs=x&mode=ro", "a", True),
        ("file:a%3fmode=ro", "a?mode=ro", True),
        ("file:a#?mode=ro", "a", True),
        ("file:///a?mode=ro", "/a", False),
        ("file://localhost/a?mode=ro", "/a", False),
        ("file:x?mode=memory", None, False),
        ("FILE:a?mode=ro", "FILE:a?mode=ro", True),
    ],
)
def test_a_database_is_created_unless_it_says_otherwise(
    word: str, path: str | None, created: bool
) -> None:
    assert database(word) == (None if path is None else Database(path, created))


def test_a_database_is_a_write_only_where_it_is_missing() -> None:
    found = reads(one("", "database"), "p a.db").effects
    assert [(cause.effect, cause.if_missing) for cause in found] == [
        ("read", False),
        ("read", False),
        ("write", True),
    ]


SEARCH = Program(
    ("rg",),
    "-u/--hidden -C=cwd",
    "text visible*",
    forms=(Form("read", needs="-u", operands="text tree*"),),
)
HERE = {name: Access(".", "read", extent=name) for name in ("tree", "visible")}


@pytest.mark.parametrize(
    ("line", "piped", "expected"),
    [
        ("rg x", False, [HERE["visible"]]),
        ("rg x", True, []),
        ("rg -u x", False, [HERE["tree"]]),
        ("rg -u x", True, [HERE["tree"]]),
        ("rg x a", False, [Access("a", "read", extent="visible")]),
        ("rg x -", False, []),
        ("rg x $a", False, [Access(Dynamic("$a"), "read", extent="visible"), HERE["visible"]]),
        ('rg "$x"', False, [HERE["visible"]]),
    ],
)
def test_operands_left_out_mean_the_working_directory(
    line: str, piped: bool, expected: list[Access]
) -> None:
    found = subjects(read(words(line), catalogue(SEARCH), StandardInput(piped=piped)))
    assert [cause.subject for cause in found] == expected


def test_the_working_directory_is_the_one_changed_to() -> None:
    found = subjects(reads(catalogue(SEARCH), "rg -C x a"))
    assert [cause.subject for cause in found] == [Access("x/.", "read", extent="visible")]


def test_what_must_be_given_has_no_default() -> None:
    assert subjects(reads(one("", "text tree+"), "p a")) == []


@pytest.mark.parametrize(
    ("options", "line", "expected"),
    [
        ("-t/--show-token!secret", "p -t", "secret"),
        ("-t/--show-token!secret", "p", "read"),
        ("-t/--show-token!secret", "p $x", "secret"),
        ("-a!environment", "p -a", "environment"),
        ("-o={json}!secret|text", "p -o json", "secret"),
        ("-o={json}!secret|text", "p -o x", "read"),
    ],
)
def test_marks(options: str, line: str, expected: str) -> None:
    assert strongest(reads(one(options, "text*"), line)) == expected


def test_a_mark_of_the_whole_program_says_that_it_reads() -> None:
    reading = reads(one(effect="secret", why="shows your token"), "p")
    assert [(c.effect, c.why, c.secret) for c in reading.effects] == [
        ("read", "shows your token", True)
    ]
    assert problems(Program(("p",), effect="secrets"))

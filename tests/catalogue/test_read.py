"""What a reading holds besides effects: paths, subjects, commands inside, and why."""

import pytest

from execpolicy.catalogue import Inner, StandardInput, read
from execpolicy.model.operation import Access, Assignment, Connect, Dynamic
from execpolicy.model.written.program import Form, Program
from execpolicy.store import loader
from tests.catalogue.build import SHIPPED, catalogue, effects, one, reads, subjects, words

GIT = catalogue(
    Program(("git",), "-C=cwd -c=!execute -p/--paginate", origin=SHIPPED),
    Program(("git log",), "-n= --output=out", "text*"),
    Program(("git push",), "-f!destroy", "repo? text*", effect="network", why="sends commits"),
    Program(("git remote show", "git remote get-url"), "", "repo"),
    Program(("py{version} -m tool",), "", "file"),
    Program(("interp",), "-I -u -X= -i[=] -c*!execute -m*!execute", "text*", effect="execute"),
    Program(("interp -m",), "", "code text*", style="posix"),
    Program(("interp -m tool",), "", "file"),
)


@pytest.mark.parametrize(
    ("command", "path", "canonical", "expected"),
    [
        ("git log", "git log", "git log", ""),
        ("git -C x push -f", "git push", "git push -f", "network destroy"),
        ("git -c a=b -p log x", "git log", "git log x", "execute"),
        ("git remote show origin", "git remote show", "git remote show origin", ""),
        ("git remote", "git remote", "git remote", "unknown"),
        ("git remote -v", "git remote", "git remote", "unknown"),
        ("git", "git", "git", "unknown"),
        ("git -C x frob -y", "git", "git frob -y", "unknown"),
        ("git --version", "git", "git --version", ""),
        ("git log --help", "git log", "git log --help", ""),
        ("git log --help x", "git log", "git log --help x", "unknown"),
        ("py -m tool a", "py -m tool", "py -m tool a", ""),
        ("py3.12 -m tool a", "py3.12 -m tool", "py3.12 -m tool a", ""),
        ("py3 -m other a", "py3 -m", "py3 -m other a", "unknown"),
        ("pyx -m tool a", "pyx", "pyx -m tool a", "unknown"),
        ("interp -m tool a", "interp -m tool", "interp -m tool a", ""),
        ("interp -i -m tool a", "interp -m tool", "interp -m tool a", ""),
        ("interp -mtool a", "interp -m tool", "interp -m tool a", ""),
        ("interp -uIm tool a", "interp -m tool", "interp -m tool a", ""),
        ("interp -X m -Imtool a", "interp -m tool", "interp -m tool a", ""),
        ("interp -m tool.__main__ a", "interp -m tool", "interp -m tool a", ""),
        ("interp -Xm tool a", "interp", "interp tool a", "execute"),
        ("interp x -mtool a", "interp", "interp x -mtool a", "execute"),
        ("./git log", "./git", "./git log", "unknown"),
        ("git $x", "git", "git $x", "unknown execute"),
        ("git -C $x log", "git log", "git log", "unknown execute"),
        ('git -C "$x" log', "git log", "git log", ""),
    ],
)
def test_subcommands(command: str, path: str, canonical: str, expected: str) -> None:
    reading = reads(GIT, command)
    assert (" ".join(reading.path), reading.canonical) == (path, words(canonical))
    assert effects(reading) == {*expected.split()}


@pytest.mark.parametrize("program", ["git log", "/bin/git log", "git remote show", " git", "git "])
def test_a_file_whose_name_holds_a_path_of_the_catalogue_is_not_known(program: str) -> None:
    assert effects(read((program,), GIT)) == {"unknown"}


def test_a_reading_knows_the_line_of_its_entry() -> None:
    assert reads(GIT, "git").origin == SHIPPED
    assert reads(GIT, "hg").origin is None


@pytest.mark.parametrize(
    ("kind", "word", "expected"),
    [
        ("file", "a", Access("a", "read")),
        ("dir", "a", Access("a", "read", extent="names")),
        ("file", "-", None),
        ("out", "a", Access("a", "write", replaces=True)),
        ("opened", "/dev/stderr", None),
        ("opened", "/dev/fd/2", None),
        ("out", "/dev/null", Access("/dev/null", "write", replaces=True)),
        ("in-place", "a", Access("a", "write")),
        ("remove", "a", Access("a", "remove")),
        ("moved", "a", Access("a", "remove")),
        ("out", '"$x"', Access(Dynamic("$x", "", True), "write", replaces=True)),
        ("{of=*}out", '"of=$x"', Access(Dynamic("$x", "", True), "write", replaces=True)),
        ("url", "https://u:p@Host.example:8/x", Connect("Host.example", "https", port=8)),
        ("url", "host.example/x", Connect("host.example", "http")),
        ("url", "file:///etc/x", Access("/etc/x", "read")),
        ("url", "https://h.example/$x", Connect("h.example", "https")),
        ("url", "https://h$x", Connect(Dynamic("https://h$x", "https://h"), "https")),
        ("url", "http://{a,b}.x", Connect(Dynamic("http://{a,b}.x", "", True), "http")),
        ("url", "http://a@b@c/", Connect(Dynamic("http://a@b@c/", "", True), "http")),
        ("url", "http://a\\@b/", Connect(Dynamic("http://a\\@b/", "", True), "http")),
        ("local", "http://LocalHost:3000/x", Connect("LocalHost", "http")),
        ("local", "http://localhost/$x", Connect("localhost", "http")),
        ("host", "h.example:80", Connect("h.example", "tcp", port=80)),
        ("ssh", "me@h", Connect("h", "ssh")),
        ("ssh", "ssh://me@h:22", Connect("h", "ssh", port=22)),
        ("location", "me@h:x", Connect("h", "ssh")),
        ("location", "./a:b", Access("./a:b", "read")),
        ("location", "a", Access("a", "read")),
        ("location-out", "a", Access("a", "write", replaces=True)),
        ("repo", "origin", None),
        ("repo", "../x", None),
        ("repo", "git@h:x.git", Connect("h", "ssh")),
        ("repo", "https://h/x", Connect("h", "https")),
        ("slug", "me/repo", None),
        ("slug", "h.example/me/repo", Connect("h.example", "https")),
        ("slug", "https://h.example/me", Connect("h.example", "https")),
    ],
)
def test_subjects(kind: str, word: str, expected: object) -> None:
    found = subjects(reads(one("", kind), f"p {word}"))
    assert [cause.subject for cause in found] == ([] if expected is None else [expected])


def test_a_transport_program_is_run() -> None:
    assert effects(reads(one("", "repo"), "p ext::sh")) == {"execute"}


def test_paths_are_relative_to_the_directory_given() -> None:
    reading = reads(GIT, "git -C x -C y log --output=a")
    assert Access("x/y/a", "write", replaces=True) in [c.subject for c in reading.effects]
    reading = reads(GIT, 'git -C "$d" log --output=a')
    path = Dynamic("$d/a", "", True)
    assert Access(path, "write", replaces=True) in [c.subject for c in reading.effects]


WRAPPERS = catalogue(
    Program(("timeout",), "-k=", "number command", effect=""),
    Program(("env",), "-i -C=cwd -S=shell", "assignment* command?", effect=""),
    Program(("xargs",), "-0 -I=placeholder -J=placeholder...", "command+?", effect=""),
    Program(("find",), "-name= -exec=command; -execdir=command;.", "dir*", style="word"),
    Program(("fd",), "-x=command;+", "text*"),
    Program(("watch",), "-x", "shell...", forms=(Form("", needs="-x", operands="command"),)),
    Program(("retry",), "-t=", "command/shell...", effect=""),
    Program(("attach",), "-c= -q", "text command?", style="gnu"),
    Program(("mux new",), "-d", "shell? {;} self-command"),
    Program(("pack",), "-a={exec=*|cmd=*}shell|text", "text*"),
    Program(("bash",), "-c -o=", "<bash", "", (Form("", needs="-c", operands="bash text*"),)),
)


def hole(prefix: str = "", single: bool = True, source: str = "{}") -> Dynamic:
    return Dynamic(source, prefix, single)


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("timeout -k 1 5 git push", Inner("timeout -k 1 5", ("git", "push"))),
        ("timeout 5 -- ls", Inner("timeout 5", ("--", "ls"))),
        ("xargs -0 ls -l", Inner("xargs -0", ("ls", "-l", Dynamic("…")))),
        ("xargs -I% cp %/a b", Inner("xargs -I%", ("cp", hole("", source="…/a"), "b"))),
        ("xargs -J % cp a% % b", Inner("xargs -J %", ("cp", "a%", Dynamic("…"), "b"))),
        ("xargs -J % cp a% b", Inner("xargs -J %", ("cp", "a%", "b", Dynamic("…")))),
        ("xargs", None),
        ("find -exec rm {} ;", Inner("find -exec", ("rm", hole(".")))),
        ("find src -exec rm {} + -name x", Inner("find -exec", ("rm", hole("src", False)))),
        ("find a b -exec rm x{}y ;", Inner("find -exec", ("rm", hole("x", source="x{}y")))),
        (
            "find a -execdir rm {} ;",
            Inner("find -execdir", ("rm", hole("")), cwd=Dynamic("…", "a")),
        ),
        ("fd x -x wc -l", Inner("fd -x", ("wc", "-l", Dynamic("…")))),
        ("fd -x rm {.} ; x", Inner("fd -x", ("rm", hole(single=False, source="{.}")))),
        ("watch ls | wc", Inner("watch", None, "ls | wc", "sh")),
        ("watch -x ls -l", Inner("watch -x", ("ls", "-l"))),
        ("bash -c ls x", Inner("bash -c", None, "ls", "bash")),
        ("bash -o pipefail -c ls", Inner("bash -o pipefail -c", None, "ls", "bash")),
        ("env -S ls", Inner("env -S", None, "ls", "sh")),
        ("env A=b ls", Inner("env A=b", ("ls",), assignments=(Assignment("A", "b", True),))),
        ("env -C x ls", Inner("env -C x", ("ls",), cwd="x")),
        ("env A=b", None),
        (
            "attach -q pod -c x -- git push -q",
            Inner("attach -q pod -c x --", ("git", "push", "-q")),
        ),
        ("attach pod git log", Inner("attach pod", ("git", "log"))),
        ("attach pod -c x", None),
        ("pack -a exec=ls x", Inner("pack -a", script="ls", shell="sh")),  # noqa: S604
        ("pack -acmd=ls", Inner("pack -a", script="ls", shell="sh")),  # noqa: S604
        ("mux new -d ; new b", Inner("mux new -d ;", ("mux", "new", "b"))),
        ("pack -a dot", None),
    ],
)
def test_commands_inside(command: str, inner: Inner | None) -> None:
    reading = reads(WRAPPERS, command)
    assert reading.inner == (() if inner is None else (inner,))
    assert effects(reading) == set()


def test_a_name_of_several_tools_is_judged_as_each_would_run_it() -> None:
    words, script = reads(WRAPPERS, "retry -t 3 ls ; rm x").inner
    assert words == Inner("retry -t 3", ("ls", ";", "rm", "x"))
    assert script == Inner("retry -t 3", None, "ls ; rm x", "sh")


def test_a_wrapper_with_an_option_that_is_not_known_is_not_known() -> None:
    assert effects(reads(WRAPPERS, "timeout -z 5 ls")) != set()


def test_a_shell_runs_its_literal_input_and_nothing_else() -> None:
    known = read(("bash",), WRAPPERS, StandardInput("ls -l\n"))
    assert known.inner == (Inner("bash", None, "ls -l\n", "bash"),)
    assert effects(known) == set()
    assert effects(read(("bash",), WRAPPERS)) == {"execute"}


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("p -o out", "`-o` writes `out`"),
        ("p --out=x", "`--out` writes `x`"),
        ("p --frob", "what `--frob` does is not known"),
        ("p -az", "what `-z` (in `-az`) does is not known"),
        ("p --ou x", "`--ou` may be short for `--out`: write it in full"),
        ("p -o", "`-o` has no value"),
        ("p a b c", "what `p` does with one word more, `c`, is not known"),
        ("p $x", "`$x` may be an option such as `-o`; put `--` before it"),
        ("q", "what `q` does is not known"),
    ],
)
def test_a_reading_says_why(command: str, why: str) -> None:
    entries = one("-a -o/--out=out", "text? text?")
    assert why in [cause.why for cause in reads(entries, command).effects]


@pytest.mark.parametrize(
    ("options", "operands", "command", "expected"),
    [
        # an option can stand there, unless `--` came before or it begins otherwise
        ("-l", "file*", "p -l $x", ""),
        ("-o=out --run=program", "file*", "p $x", "write execute"),
        ("-o=out", "file*", 'p "$x"', "write"),
        ("-o=out", "file*", "p -- $x", ""),
        ("-o=out", "file*", "p src/$x", ""),
        ("-o=out -q", "file*", 'p -q"$x"', "write"),
        ("-o=out -n=", "file*", 'p -n"$x"', ""),
        ("-o=out -n=", "file*", "p -n$x", ""),
        ("-o=out --n=", "file*", 'p --n="$x"', ""),
        ("--o=out --n=", "file*", 'p --"$x"', "write"),
        ("-o=out", "file*", 'p -o "$x"', "write"),
        ("-n= --run=program", "file*", 'p -n "$x"', ""),
        ("-n= --run=program", "file*", "p -n $x", "execute"),
        # a value after its letter may be empty: then the next word is the value
        ("-o=out -n=", "file*", 'p -n"$x" a', ""),
        ("-o=out -n=", "file*", 'p -n"$x" -o a', "write"),
        ("-o=out -n=", "file*", 'p -n"$x" -n -o a', "write"),
        ("-n=", "command", 'p -n"$x" ls', "unknown"),
        ("-n= -m= -l= -k=", "file*", 'p -n"$x" -m"$x" -l"$x" -k"$x" a', "unknown"),
        ("if=file of=out", "", 'p of="$x"', "write"),
        ("if=file of=out", "", 'p if="$x"', ""),
        ("if=file of=out", "", 'p "$x"', "write unknown"),
        ("+x!write", "{+*}", 'p +"$x"', "write"),
        # and it can be more words than one
        ("", "file out?", "p -- $x", "write"),
        ("", "file out?", 'p -- "$x"', ""),
        ("", "file+ out", "p src/$x d", "write"),
        ("", "text text", "p -- $x", ""),
        ("", "{on|off}", 'p "$x"', "unknown"),
        ("", "{on}!system|text", 'p "$x"', "system"),
        ("-n=number", "", 'p -n "$x"', ""),
        ("-n=number|execute", "", 'p -n "$x"', "execute"),
        ("-v=name", "", 'p -v "$x"', "unknown"),
        ("", "number command", 'p "$x" ls', "execute"),
        ("", "number command", "p -- $x ls", "execute"),
        ("", "assignment* command", 'p A="$x" ls', ""),
        ("", "repo", 'p "$x"', "network execute"),
        ("", "repo", 'p https://"$x"', "network"),
        ("", "sed", 'p -- "$x"', "write execute"),
        ("-a={exec=*}shell|text", "", 'p -a "$x"', ""),
        ("", "{exec=*}sed|text", 'p -- "$x"', "write execute"),
        ("", "{exec=*}sed|text", 'p -- x"$x"', ""),
        ("", "{exec=*}sed|text", 'p -- exec="$x"', "write execute"),
        ("", "{exec=*}sed", 'p -- e"$x"', "write execute unknown"),
    ],
)
def test_dynamic_words(options: str, operands: str, command: str, expected: str) -> None:
    assert effects(reads(one(options, operands), command)) == {*expected.split()}


@pytest.mark.parametrize(
    ("operands", "command", "expected"),
    [
        ("file*", "p -c src/$x", ""),
        ("file*", "p -c src/$x b", ""),
        ("file*", "p src/$x", "write"),
        ("file+", "p -c src/$x", "write"),  # there may be none
        ("file?", "p -c src/$x", "write"),
        ("{a}*", "p -c src/$x", "write"),
        ("file*", "p -c $x", "write"),
    ],
)
def test_a_form_for_any_number_of_words_is_chosen(
    operands: str, command: str, expected: str
) -> None:
    check = (Form("read", needs="-c", operands=operands),)
    entries = one("-c -w!write", "file*", effect="write", forms=check)
    assert effects(reads(entries, command)) <= {*expected.split()}
    assert bool(effects(reads(entries, command))) == bool(expected)


def test_a_dynamic_word_counts_for_every_form_it_may_choose() -> None:
    forms = (Form("destroy", operands="{purge}"), Form("read", operands="{list}"))
    entries = one("", "text", effect="write", forms=forms)
    assert effects(reads(entries, "p purge")) == {"destroy"}
    assert effects(reads(entries, "p list")) == set()
    assert effects(reads(entries, 'p -- "$x"')) == {"destroy", "write"}


SEEK = catalogue(
    Program(("find",), "--!destroy -name= -delete!destroy -exec=command;", "dir*", style="word"),
)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ('find . -exec grep "$x" {} ;', set()),
        ('find . -exec grep "$x" -n {} ;', set()),
        ('find . -exec grep -e "$x" -name {} ;', {"destroy"}),
        # `$x` may be the `;`, and what follows is not grep's then
        ('find . -exec grep "$x" -delete -exec cat {} ;', {"destroy"}),
        ('find . -exec grep "$x" "$y" {} ;', {"destroy"}),
        ('find . -exec grep "./$x" -delete {} ;', set()),
        # GNU find reads an expression after `--` all the same
        ("find -- . -delete", {"destroy"}),
    ],
)
def test_where_a_command_of_find_ends(command: str, found: set[str]) -> None:
    assert effects(reads(SEEK, command)) - {"execute"} == found


def test_what_several_forms_say_of_a_computed_word_is_told_once() -> None:
    word = Dynamic("branch.$x.y", "branch.", single=True)
    found = read(("git", "config", "--get", word), loader.load(()).catalogue).effects
    assert len(found) == len({*found})

"""No text is too large, too deep or too odd to get an answer in time."""

import gc
import time

import pytest

from execpolicy.model.operation import Exec, Opaque
from tests.shell.reading import read
from tests.shell.shown import reasons

LIMIT = 40
"""How much longer than a yard any answer may take: some tenths of a second on a quiet machine."""

BEYOND = {
    "a word of a megabyte": "echo " + "A" * 1_000_000,
    "a quoted word of a megabyte": "echo '" + "A b" * 400_000 + "'",
    "open parentheses": "(" * 50_000,
    "open parentheses in pairs": "((" * 20_000,
    "open substitutions": "a " + "$(" * 10_000,
    "closed substitutions": "a " + "$(" * 60 + "b" + ")" * 60,
    "open parameters": "a " + "${" * 10_000,
    "nested defaults": "a " + "${x:-" * 10_000 + "}" * 10_000,
    "open arithmetic": "a " + "$((" * 10_000,
    "closed arithmetic": "a $((" + "(" * 20_000 + "1" + ")" * 20_000 + "))",
    "open groups": "{ " * 9_000,
    "open conditions": "if a; then " * 2_000,
    "open tests": "[[ " + "( " * 20_000,
    "negations": "! " * 5_000 + "a",
    "tests in parentheses": "[[ " + "( " * 2_000 + "a" + " )" * 2_000 + " ]]",
    "open cases": "case x in x) " * 3_000,
    "open process substitutions": "a " + "<(" * 10_000,
    "open functions": "f() { " * 3_000,
    "open arrays": "a=([$(b=(" * 3_000,
    "open subscripts": "a[" * 20_000,
    "open heredocs": "cat " + "<<E " * 9_000 + "\n",
    "nested heredocs": "cat <<E\n$(cat <<F\n" * 3_000,
    "quotes of both kinds": "'\"" * 30_001,
    "backquotes": "a " + "`" * 60_001,
    "commands": "a 'b';" * 10_000,
    "empty groups of commands": "{ a;};" * 1_001,
    "words": "a 'b' " + "c " * 20_000,
    "pipes": "a 'b'|" * 1_001 + "c",
    "redirections": "a " + ">b " * 15_000,
    "assignments": "a=1 " * 11_000,
    "continuations in words": "a\\\nb" * 10_000,
    "continuations in operators": "a $\\\n(b) " * 5_000,
    "array elements": "a=(" + "x " * 20_000 + ")",
    "functions": "".join(f"f{i}(){{ f{i + 1}|f{i + 2}& }};" for i in range(1_000)),
}
WITHIN = {
    "a long word": "echo 'a' " + "A" * 60_000,
    "a long heredoc": "cat <<E\n" + "x $y\n" * 10_000 + "E\nls",
    "a long quoted heredoc": "cat <<'E'\n" + "x $(y\n" * 8_000 + "E\nls",
    "many commands": "a 'b';" * 999,
    "many words": "a " + "'b' " * 9_000,
    "many comments": "#\n" * 30_000 + "a",
    "many newlines": "\n" * 60_000 + "a",
    "many groups": "{ a;};" * 450,
    "many backslashes": "a $'" + "\\\\" * 30_000 + "'",
    "many dollars": "a " + "$" * 60_000,
    "many variables": "a " + "$x" * 30_000,
    "many globs": "a " + "*[a]" * 15_000,
    "many tildes": "a=" + "~:" * 30_000,
    "an open bracket": "ls [" + "a" * 50_000,
    "open braces": "a " + "{a" * 20_000 + ",b}",
    "braces in braces": "a " + "{a," * 15_000 + "}" * 3_000,
    "a product of braces": "a " + "{b,c}" * 10_000,
    "a sequence without end": "a {1..999999999}",
    "equal signs": "a " + "=" * 60_000,
    "loops of loops": "for a in {1..4}; do for b in {1..4}; do c " + "$a$b" * 9_000 + ";done;done",
    "variables of variables": "".join(f"v{i + 1}=$v{i};" for i in range(900)) + "a $((v900))",
    "variables": "".join(f"v{i}=x;a $v{i};" for i in range(450)),
    "exports": "".join(f"export v{i}=x;" for i in range(400)) + "a 'b';" * 400,
    "a long pipeline": "a 'b'|" * 900 + "c",
    "a long sum": "a $((" + "b+" * 20_000 + "1))",
    "increments": "a $((" + "++b " * 9_000 + "1))",
}  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", None])
@pytest.mark.parametrize("name", [*BEYOND, *WITHIN])
def test_an_answer_in_time(name: str, shell: str | None) -> None:
    text = BEYOND.get(name) or WITHIN[name]
    read("if a; then b; fi", "bash")  # the import of bashlex is not what is measured
    assert any(_seconds(text, shell) < LIMIT * _yard() for _ in range(5))


def _yard() -> float:
    """The seconds that a fixed piece of work takes here and now."""
    started = time.thread_time()
    sum(number * number for number in range(200_000))
    return time.thread_time() - started


def _seconds(text: str, shell: str | None) -> float:
    """The seconds of a reading in this thread, without those of a collector that goes through other
    tests' values:
    a process that decides once has it off."""
    gc.disable()
    started = time.thread_time()
    read(text, shell)
    took = time.thread_time() - started
    gc.enable()
    return took


@pytest.mark.parametrize("name", BEYOND)
def test_beyond_the_bounds_nothing_is_taken_for_understood(name: str) -> None:
    assert reasons(BEYOND[name]) != []


@pytest.mark.parametrize("name", WITHIN)
def test_within_the_bounds_everything_is_read(name: str) -> None:
    assert reasons(WITHIN[name]) == [] or "variables of" in name


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a" * 65_537, "longer than 65536 characters"),
        ("a 'b'\n" * 1_001, "more than 1000 commands"),
        ("a " + "'b' " * 10_001, "more than 10000 words"),
        ("$(" * 51 + ")" * 51, "nested deeper than 50"),
        ("a\0b", "a NUL character"),
    ],
)
def test_the_bound_is_named_once(text: str, why: str) -> None:
    assert reasons(text) == [why]


def test_what_was_read_before_the_bound_is_told() -> None:
    found = read("git push\n" + "a 'b'\n" * 1_001, "bash")
    assert isinstance(found[0], Exec)
    assert found[0].argv == ("git", "push")
    assert isinstance(found[-1], Opaque)


@pytest.mark.parametrize("depth", [1, 10, 24])
def test_ordinary_depth_is_read(depth: int) -> None:
    assert reasons("( " * depth + "a" + " )" * depth) == []
    assert reasons("a " + "$(b " * depth + ")" * depth) == []
    assert reasons("if a; then " * depth + "b; " + "fi; " * depth) == []

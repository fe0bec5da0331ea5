"""The examples of the language card run, and what it says about names and limits is so."""

import os
import re
from collections.abc import Callable

import pytest

from execpolicy.language import limits
from execpolicy.language.builtins.environment import FORMER_NAMES
from execpolicy.language.builtins.table import BUILTINS
from execpolicy.language.compile import compile_text
from execpolicy.language.evaluate import child
from execpolicy.language.syntax.syntax import parse
from execpolicy.model.errors import PolicyError
from execpolicy.support.resources import grammar_text, rules_directory

HERE = os.path.dirname(os.path.abspath(__file__))
CARD = os.path.join(HERE, "..", "..", "grammar", "REFERENCE.md")

with open(CARD, encoding="utf-8") as file:
    TEXT = file.read()

BLOCKS = re.findall(r"^```starlark( refused)?\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
ACCEPTED = [block for refused, block in BLOCKS if not refused]
REFUSED = [block for refused, block in BLOCKS if refused]


@pytest.mark.parametrize("block", ACCEPTED)
def test_an_example_compiles_and_parses(block: str) -> None:
    compile_text(block)
    assert parse(block).rebuild() == block


@pytest.mark.parametrize("block", REFUSED)
def test_a_counterexample_is_refused_as_it_says(block: str) -> None:
    message = block.split("\n", 1)[0].removeprefix("# error: ")
    assert message in " ".join(problems(parse, block) or problems(compile_text, block))
    assert problems(compile_text, block)


def problems(read: Callable[[str], object], text: str) -> list[str]:
    """What a reader finds wrong with a text."""
    try:
        read(text)
    except PolicyError as error:
        return [d.message for d in error.diagnostics]
    return []


def test_every_fence_is_an_example_or_a_counterexample() -> None:
    assert TEXT.count("\n```") == 2 * len(BLOCKS)
    assert ACCEPTED
    assert REFUSED


@pytest.mark.parametrize("name", BUILTINS)
def test_a_signature_is_the_one_of_the_engine(name: str) -> None:
    builtin = BUILTINS[name].signature
    (shown,) = re.findall(rf"^`{builtin.builtin}\((.*)\)`$", TEXT, re.MULTILINE)
    before, _, after = shown.partition("*, ") if "*" in shown else (shown, "", "")
    positional = re.findall(r"\w+(?= =|,|$)(?! \w)", re.sub(r' = ("\w*"|\[.*?\]|\w+)', "", before))
    named = re.findall(r"\w+", re.sub(r' = ("\w*"|\[.*?\]|\w+)', "", after))
    parameters = [p.name for p in builtin.parameters if p.name not in FORMER_NAMES]
    assert parameters == positional + named
    assert len(positional) == builtin.positional


def test_every_builtin_has_a_section() -> None:
    sections = re.findall(r"^##+ (\w+)$", TEXT, re.MULTILINE)
    assert [name for name in BUILTINS if name not in sections] == []
    titles = {t.lower().replace(" ", "-") for t in re.findall(r"^##+ (.*)$", TEXT, re.MULTILINE)}
    assert set(re.findall(r"\(#([\w-]+)\)", TEXT)) <= titles


def words(after: str) -> list[str]:
    """The words in code of the paragraph that begins like this."""
    paragraph = TEXT[TEXT.index("\n" + after) + 1 :].split("\n\n", 1)[0]
    return " ".join(re.findall(r"`([^`]*)`", paragraph.replace("\n", " "))).split()


def test_every_listed_name_and_method_is_there() -> None:
    names = words("`None True")
    tests = [f"x = {name}" for name in names]
    tests += [f'x = "".{name}' for name in words("Strings: `cap")]
    tests += [f"x = [].{name}" for name in words("Lists: ")]
    tests += [f"x = {{}}.{name}" for name in words("Dicts: ")]
    assert len(tests) == 80
    compile_text("\n".join(tests))


@pytest.mark.parametrize("name", ["print", "set", "sum", "map", "filter", "open", "eval"])
def test_no_name_is_there_that_the_card_says_is_not(name: str) -> None:
    assert name in words("There is no `print`")
    with pytest.raises(PolicyError, match=f"variable `{name}` not found"):
        compile_text(f"x = {name}")


def test_the_limits_are_those_of_the_engine() -> None:
    table = dict(re.findall(r"^\| ([a-z -]+) \| ([^|]*) \|$", TEXT, re.MULTILINE))
    assert table["size of a file"] == f"{limits.MAX_BYTES >> 20} MiB"
    assert table["nesting of brackets"] == str(limits.MAX_NESTING)
    assert table["depth of calls"] == str(child.CALL_DEPTH)
    assert table["memory"] == f"{limits.MEMORY_BYTES >> 20} MiB"
    assert table["processor time"].startswith(f"{limits.CPU_SECONDS} s, and 1 s more")
    assert table["wall-clock time"] == f"{limits.WALL_SECONDS:.0f} s"
    size = f"{child.MAX_ANSWER_BYTES >> 20} MiB"
    counts = f"{child.MAX_CALLS:,} calls, {child.MAX_VALUES:,} values"
    assert table["recorded calls"] == f"{size}, {counts}"
    assert table["a list in a call"] == f"{child.MAX_LIST:,} values"
    assert table["depth of a value in a call"] == str(child.MAX_DEPTH)
    assert table["problems told of a file"] == str(limits.MAX_PROBLEMS)


def test_the_shipped_files_are_found() -> None:
    assert grammar_text().startswith("// The syntax of rules files")
    assert any(name.endswith(".rules") for name in os.listdir(rules_directory()))

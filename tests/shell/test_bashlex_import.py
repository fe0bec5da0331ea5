"""bashlex is imported in a light way, and is the same parser as ever."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from execpolicy.shell.second_reader import light_modules
from execpolicy.shell.second_reader.common_structures import common

ROOT = Path(__file__).parents[2]
TELLS = """
import json, sys
def told(text):
    try:
        return [tree.dump() for tree in parse(text)]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
print(json.dumps([told(text) for text in json.load(sys.stdin)]))
"""
PLAIN = "from bashlex import parse"
LIGHT = """
from execpolicy.shell.second_reader import bashlex_import
import marshal, sys
class Tables:
    kept = None
    def load(self, stamp):
        return self.kept and marshal.loads(self.kept)
    def save(self, stamp, tables):
        self.kept = marshal.dumps(tables, 2)
tables = Tables()
bashlex_import.parser(tables)
for name in [n for n in sys.modules if n.partition(".")[0] == "bashlex"]:
    del sys.modules[name]
before = set(sys.modules)
for name in ("re", "enum", "copy", "collections", "inspect", "types"):
    sys.modules.pop(name, None)
parse = bashlex_import.parser(tables)
parse("for a in b; do ( c <<<d ); done")
HEAVY = {"re", "enum", "copy", "collections", "inspect", "types"} & sys.modules.keys()
"""
ODD = [
    *("", "a", "a b|c", "a;", "a &", "a && ", "(", ")", "{ a; }", "$(", "`a`", "a `b", '"a', "'"),
    *("a <b >c 2>&1", "a <<E\nb\nE\n", "a <<E", "a=1 b", "a=(1 2)", "[[ a == b ]]", "((1+1))"),
    *("case a in b) c;; *) d;; esac", "select a in b; do c; done", "coproc a", "function f { a; }"),
    *("f() { a; }", "time -p a", "! a", "for ((;;)); do a; done", "a\nb", "a \\\n b", "a #b", "\0"),
    *(
        "echo $(a $(b)) ${c:-d} $e ~/f {1,2}",
        "if a; then b",
        "a |& b",
        "a &>> b",
        "é 日本",
        "a <(b)",
    ),
]


def said(setting: str, texts: list[str]) -> list[object]:
    command = [sys.executable, "-c", setting + TELLS]
    done = subprocess.run(
        command, input=json.dumps(texts), capture_output=True, text=True, cwd=ROOT, timeout=600
    )
    assert done.returncode == 0, done.stderr
    answers: list[object] = json.loads(done.stdout)
    return answers


def test_it_says_what_it_says_when_it_is_imported_as_it_is() -> None:
    structures = list(common())
    texts = [*ODD, *structures[:: len(structures) // 300]]
    for text, light, plain in zip(texts, said(LIGHT, texts), said(PLAIN, texts), strict=True):
        assert light == plain, text


def test_no_heavy_module_is_imported_for_it() -> None:
    setting = LIGHT.replace("HEAVY =", "parse = lambda text: [] if not HEAVY else HEAVY\nHEAVY =")
    assert said(setting, ["x"]) == [[]]


def test_a_version_that_needs_more_is_imported_as_it_is() -> None:
    broken = "from execpolicy.shell.second_reader import light_modules\n"
    broken += "light_modules._LIGHT['enum'] = light_modules._LIGHT['copy'] = object()\n"
    setting = broken + "from execpolicy.shell.second_reader import bashlex_import\n"
    setting += "parse = bashlex_import.parser(None)\n"
    assert said(setting, ODD) == said(PLAIN, ODD)


# --- the stand-ins --------------------------------------------------------------------------------


class Sign(light_modules._Enum):
    PLUS = "+"
    MINUS = 2


def test_an_enumeration_is_one_as_far_as_bashlex_knows() -> None:
    of_value: Any = Sign
    plus, two = of_value("+"), of_value(2)
    assert [sign.name for sign in of_value] == ["PLUS", "MINUS"]
    assert plus is Sign.PLUS
    assert (two.name, two.value, len(Sign), isinstance(two, Sign)) == ("MINUS", 2, 2, True)
    assert {plus: 1}[plus] == 1
    assert plus != two
    with pytest.raises(ValueError, match="is not a valid Sign"):
        of_value("*")
    with pytest.raises(AttributeError):
        of_value.PLUS = 3


def test_what_an_enumeration_here_cannot_be_is_refused() -> None:
    with pytest.raises(TypeError, match="aliases"):
        light_modules._EnumType("Twice", (light_modules._Enum,), {"A": 1, "B": 1})
    with pytest.raises(TypeError, match="methods"):
        light_modules._EnumType("Does", (light_modules._Enum,), {"act": lambda self: self})


class Plain:
    def __init__(self) -> None:
        self.names = ["a"]


class Hooked(Plain):
    def __copy__(self) -> str:
        return "a copy of its own"


def values() -> Iterator[object]:
    yield from ([1], {"a": 1}, "a", 3)


def test_a_copy_is_shallow_and_by_the_hooks_of_its_class() -> None:
    copied = light_modules._Copy.copy(plain := Plain())
    assert copied is not plain
    assert isinstance(copied, Plain)
    assert copied.names is plain.names
    assert light_modules._Copy.copy(Hooked()) == "a copy of its own"
    assert [light_modules._Copy.copy(value) for value in values()] == [*values()]

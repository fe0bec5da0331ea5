"""Texts of Python: which are known to do no more than they say, and what they open."""

import builtins
import json
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.catalogue.scripts.python.reader import effects
from execpolicy.support.resources import words_of
from tests import confined
from tests.waiting import HANG_SECONDS

READ = [
    ("print(1)", ""),
    ("import json, sys\nprint(json.load(sys.stdin)['a'])", ""),
    ("import json as j\nfor l in open(0): print(j.loads(l).get('x', {}))", ""),
    ("from collections import Counter as C\nprint(C('abc').most_common(1))", ""),
    ("import re\nprint(re.sub('a', lambda m: m.group(0).upper(), 'a'))", ""),
    ("from datetime import datetime\nprint(datetime.now().isoformat())", ""),
    ("import datetime\nprint(datetime.datetime.now())", ""),
    ("def f(x):\n  return x + 1\nprint(f(1), file=__import__)", None),
    ("try:\n  1/0\nexcept ZeroDivisionError as e:\n  print(type(e).__name__, e.args)", ""),
    ("print('{:>4} {0!r}'.format(1))", ""),
    ("import sys\nsys.exit(0 if sys.argv[1] == 'a' else 1)", ""),
    ("def f(id, object):\n  print(id)\nf(1, 2)\nprint(id(1))", ""),
    ("if __name__ == '__main__':\n  print(1)", ""),
    ("import os.path\nprint(os.path.join('a', 'b'))", ""),
    ("print(open('a.txt').read())", "read a.txt"),
    ("print(open('a.txt', 'rb', 0).read())", "read a.txt"),
    ("with open('a', encoding='utf-8') as f:\n  print(len(f.readlines()))", "read a"),
    ("p = 'a/b'\ns = open(p).read()\nopen(p, 'w').write(s)", "read a/b, write a/b"),
    ("p = 'a'\nopen(f'{p}/b' + '.txt', mode='a').write('x')", "write a/b.txt"),
    ("for p in ['a', 'b']:\n  open(p)", "read a, read b"),
    ("ps = ['a', 'b']\nfor p in ps:\n  open(p)", "read a, read b"),
    ("for p, m in [('a', 1), ('b', 2)]:\n  open(p)", "read a, read b"),
    ("x = [open(p).read() for p in ('a', 'b')]", "read a, read b"),
    ("open('a' if 1 else 'b', 'x')", "write a, write b"),
    ("open('a', 'r+')", "read a, write a"),
    ("import io\nio.open('a', 'w')", "write a"),
    ("from pathlib import Path\nprint(Path('a').read_text())", "read a"),
    ("import pathlib\np = pathlib.Path('a') / 'b'\np.write_text('x')", "write a/b"),
    ("from pathlib import Path\nPath('a', 'b').open('w').write('x')", "write a/b"),
    ("import os\nprint(os.path.exists('a'), os.listdir('b'))", "read a, read b"),
    ("import os\nprint(os.listdir())", "read ."),
    ("import os\nprint(os.environ['A'], os.environ.get('B'), os.getenv('C'))", "A, B, C"),
]
"""Texts, and what they open or show; None where they are code."""

ESCAPES = [
    "import os\nos.system('id')",
    "import os as o\no.system('id')",
    "from os import system",
    "from os import *",
    "import subprocess",
    "import json.tool",
    "import x",
    "from . import json",
    "__import__('os').system('id')",
    "exec('x')",
    "eval('1')",
    "compile('1', '', 'eval')",
    "getattr(1, 'x')",
    "globals()",
    "vars()",
    "input()",
    "breakpoint()",
    "().__class__.__base__.__subclasses__()",
    "(lambda: 0).__globals__",
    "(x for x in ()).gi_frame.f_builtins['exec']",
    "try:\n  1/0\nexcept Exception as e:\n  e.__traceback__.tb_frame",
    "import json\njson.codecs.open('a', 'w')",
    "import json\nx = json\nx.codecs",
    "import json\n[json][0].codecs",
    "import json\n(j := json).codecs",
    "import json\nf = lambda m=json: m.codecs",
    "import re\nre.enum.sys.modules['os'].system('id')",
    "import sys\nsys.modules['os'].system('id')",
    "import sys\nsys.path.insert(0, 'x')",
    "import sys\nsys.stdin.buffer.raw",
    "type(open('a', 'rb', 0))('b', 'w')",
    "type('A', (), {})",
    "t = type\nt(open('a', 'rb', 0))('b', 'w')",
    "f = open\nf('a', 'w')",
    "list(map(open, ['a'], ['w']))",
    "sorted(['a'], key=open)",
    "from collections import defaultdict\ndefaultdict(open)['x']",
    "open('a', opener=print)",
    "open('a', 'r', -1, None, None, None, True, print)",
    "open(*['a', 'w'])",
    "open(**{'file': 'a', 'mode': 'w'})",
    "m = 'w'\nm = m\nopen('a', m)",
    "p = 'a'\np += 'b'\nopen(p)",
    "def f(p='a'):\n  open(p)\nf('b')",
    "p = 'a'\ndef f(p):\n  open(p)\nf('b')",
    "p = 'a'\nfor p in x():\n  open(p)",
    "ps = ['a']\nps.append('b')\nfor p in ps:\n  open(p)",
    "ps = qs = ['a']\nqs.append('b')\nfor p in ps:\n  open(p)",
    "import sys\nopen(sys.argv[1], 'w')",
    "open(input())",
    "open(3, 'w')",
    "open(True)",
    "'{0.__class__}'.format(1)",
    "'{0[a]}'.format({})",
    "x = '{0.__class__}'\nx.format(1)",
    "'{x.y}'.format_map({})",
    "from operator import attrgetter",
    "from operator import methodcaller",
    "import operator\noperator.methodcaller('x')",
    "class A:\n  pass",
    "@print\ndef f(): pass",
    "async def f(): pass",
    "import json\njson.load = print",
    "import sys\nsys.stdout = 1",
    "__builtins__ = {}",
    "def __build_class__(): pass",
    "import json as __builtins__",
    "match 1:\n  case x: open(x)",
    "def f():\n  open = 1\nopen('a', 'w')",
    "def f():\n  from json import load as open\nopen('a', 'w')",
    "def f(file): pass\nfile('a', 'w')",
    "from pathlib import Path\nPath('a').unlink()",
    "from pathlib import Path\nfor p in Path('a').iterdir():\n  p.read_text()",
    "from pathlib import Path\nPath('a').parent.joinpath('b').write_text('x')",
    "from pathlib import Path\nx = [Path('a')]\nx[0].write_text('x')",
    "import os\nos.remove('a')",
    "import os\nprint(os.environ)",
    "import os\nos.environ['A'] = 'b'\nos.execv('a', [])",
    "import os\nx = os.environ\nprint(x)",
    "import os\nos.environ[__import__('os').system('id')]",
    "import os\nos.environ.get(exec('x'))",
    "import os\nos.getenv(exec('x'))",
    "import os\nos.stat('a', dir_fd=3)",
    "import xml.etree.ElementTree as E\nE.parse('a').write('b')",
    "import yaml\nyaml.load('x', yaml.Loader)",
    "import uuid\nuuid.uuid1()",
    "import ctypes",
    "import socket",
    "import sqlite3\nsqlite3.connect('a')",
    "print 1",
    "print(1",
    "\0",
    "-" * 30 + "1",
    "(" * 50 + "1" + ")" * 50,
    "a = 1\nb = a + a\n" + "x" * 20_001,
]
"""Texts that get at more than they say, or may; each is code of which nothing is known."""


def _said(text: str) -> str | None:
    found = effects(text)
    return None if found is None else ", ".join(map(_of, found))


def _of(effect: object) -> str:
    subject = effect.subject  # type: ignore[attr-defined]
    return f"{effect.effect} {subject.path}" if hasattr(subject, "path") else str(subject.name)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("text", "said"), READ)
def test_what_a_text_opens(text: str, said: str | None) -> None:
    found = _said(text)
    assert (found if found is None else ", ".join(sorted(found.split(", ")))) == said


@pytest.mark.parametrize("text", ESCAPES)
def test_what_gets_at_more_is_code(text: str) -> None:
    assert effects(text) is None


BINDING = [
    "def f({0}): pass\n{0}('x')",
    "def f():\n  {0} = 1\n{0}('x')",
    "def f():\n  def {0}(): pass\n{0}('x')",
    "def f():\n  import json as {0}\n{0}('x')",
    "def f():\n  from json import load as {0}\n{0}('x')",
    "[{0} for {0} in ()]\n{0}('x')",
    "lambda {0}: 1\n{0}('x')",
    "try: pass\nexcept OSError as {0}: pass\n{0}('x')",
    "{0} = 1\ndel {0}\n{0}('x')",
    "def f():\n  ({0} := 1)\n{0}('x')",
    "def f():\n  for {0} in (): pass\n{0}('x')",
    "def f():\n  with print() as {0}: pass\n{0}('x')",
]
"""Ways to give a name a value in a scope of its own, or for a time."""


@pytest.mark.parametrize("binding", BINDING)
def test_a_name_of_another_scope_is_still_the_built_in_one(binding: str) -> None:
    harmless = words_of("python")["builtins"]
    names = [name for name in dir(builtins) if name.isidentifier() and name not in harmless]
    assert {"open", "exec", "eval", "getattr", "vars", "type"} <= {*names}
    assert [name for name in names if effects(binding.format(name)) is not None] == []


def test_names_for_each_other_end() -> None:
    chain = "\n".join(f"a{n} = a{n + 1} + a{n + 1}" for n in range(30))
    assert effects(f"{chain}\na30 = 'x'\nopen(a0)") is None
    assert effects("p = q\nq = p\nopen(p)") is None


def test_what_is_nested_is_read_on_a_small_stack() -> None:
    """What is nested as deep as texts may be does not end the process."""
    done: list[tuple[Effect, ...] | None] = []
    pieces = ("-", "not ", "(", "[", "{1:", "lambda:", "a**", "f(", "x[", "a if b else ", "(\n-")
    close = {"(": ")", "[": "]", "{": "}"}

    def nested() -> None:
        rng = random.Random(1)  # noqa: S311
        for _ in range(300):
            piece = "".join(rng.choices(pieces, k=rng.randint(1, 3)))
            count = rng.choice((7, 20, 39, 60, 500, 5000))
            end = "".join(close[char] for char in reversed(piece * count) if char in close)
            done.append(effects(f"{piece * count}1{end}"))

    before = threading.stack_size(1 << 18)
    try:
        thread = threading.Thread(target=nested)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(done) == 300


VALUES = """
import ast, base64, binascii, collections, csv, datetime, decimal, difflib, fractions, functools
import hashlib, heapq, html, io, itertools, json, math, operator, os.path, pathlib, pprint
import random, re
import shlex, statistics, string, struct, sys, textwrap, time, tomllib, unicodedata
import urllib.parse, uuid
import xml.etree.ElementTree as ET, zlib
v = ["canary", "new", b"canary", 0, 1, 2.5, [1, "a"], {"a": 1}, {1}, (1, "b"), None, print]
v += [len, str, list, dict]
v += [int, bytes, lambda *a, **k: a[0] if a else 1, open("canary"), open("canary", "rb")]
v += [open("canary", "rb", 0)]
v += [sys.stdin, sys.stdout, sys.stderr, sys.version_info, sys.flags, sys.implementation]
v += [io.StringIO("a")]
v += [io.BytesIO(b"a"), re.compile("a"), re.match("a", "a"), datetime.datetime.now()]
v += [datetime.date.today()]
v += [datetime.timedelta(1), datetime.timezone.utc, decimal.Decimal(1)]
v += [fractions.Fraction(1, 2)]
v += [hashlib.md5(b"a"), collections.Counter("a"), collections.deque([1])]
v += [collections.defaultdict(list)]
v += [csv.reader(["a"]), csv.DictReader(["a", "b"]), csv.writer(io.StringIO())]
v += [json.JSONDecoder()]
v += [csv.DictWriter(io.StringIO(), ["a"]), difflib.SequenceMatcher(None, "a", "b")]
v += [ET.fromstring("<a/>")]
v += [operator.itemgetter(0), uuid.UUID(int=1), urllib.parse.urlparse("http://a/b")]
v += [pathlib.PurePath("a"), pathlib.Path("canary"), ast.parse("1"), time.gmtime(0)]
v += [random.random, range(3)]
v += [Exception("a"), OSError(1, "a", "b"), sys.argv, time.time, slice(1), iter([1])]
v += [(x for x in [1]), zip([1])]
"""
"""One of each sort of what texts can get at."""


def _program(rng: random.Random) -> str:
    """A random text of the names that texts may have: what they give is given to others."""
    lists = words_of("python")
    members = sorted(n for n in lists["members"] if n[:2] != "__" and n not in _LEFT_OUT)
    members = [n.replace("xml.etree.ElementTree", "ET") for n in members if n[:5] != "yaml."]
    builtins = sorted(lists["builtins"] - {"exit", "quit"})
    attributes = sorted(lists["attributes"])
    lines = []
    for _ in range(60):
        given = ", ".join(f"v[{rng.randrange(300)} % len(v)]" for _ in range(rng.randint(0, 3)))
        base = f"v[{rng.randrange(300)} % len(v)]"
        made = rng.choice(
            (
                *(f"{base}.{rng.choice(attributes)}({given})",) * 4,
                f"{base}.{rng.choice(attributes)}",
                f"{rng.choice(members)}({given})",
                f"{rng.choice(builtins)}({given})",
                rng.choice(members),
            )
        )
        lines.append(f"try:\n  v.append({made})\nexcept BaseException: pass")
    return "\n".join((VALUES, *lines))


_LEFT_OUT = {"time.sleep", "sys.exit", "itertools.count", "itertools.cycle", "itertools.repeat"}


def accepted(seed: int, count: int) -> list[str]:
    """So many random texts, each of which is known."""
    rng = random.Random(seed)  # noqa: S311
    texts = [_program(rng) for _ in range(count)]
    assert all(effects(text) is not None for text in texts)
    return texts


def beyond(text: str, events: list[list[str]], directory: Path) -> list[list[str]]:
    """What the interpreter saw that the reader did not say."""
    found = effects(text)
    assert found is not None
    said = {(e.effect, str(directory / getattr(e.subject, "path", ""))) for e in found}
    return [each for each in events if (each[0], str(directory / each[1])) not in said]


def run(texts: list[str], directory: Path) -> list[list[list[str]]]:
    """What the interpreter sees of each text, in a sandbox."""
    (directory / "canary").write_text("a")
    driver = Path(__file__).with_name("python_audit.py")
    words = [*confined.words(directory), sys.executable, "-I", str(driver)]
    done = subprocess.run(
        words, input=json.dumps(texts), capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.returncode == 0, done.stderr[-500:]
    events: list[list[list[str]]] = json.loads(done.stdout)
    return events


def test_the_interpreter_sees_no_more(tmp_path: Path) -> None:
    """Random texts do nothing beside what is said of them, as the audit hooks of Python see it."""
    texts = accepted(1, 150)
    for text, events in zip(texts, run(texts, tmp_path), strict=True):
        assert beyond(text, events, tmp_path) == [], text


def test_the_interpreter_sees_what_is_no_read(tmp_path: Path) -> None:
    """Texts that are code are seen by the same hooks, so that the test above can fail."""
    texts = ["import os\nos.system('true')", "open('new', 'w')", "open('canary')", "exec('1')"]
    seen = [{each[0] for each in events} for events in run(texts, tmp_path)]
    assert seen[0] >= {"os.system"}
    assert seen[1:3] == [{"write"}, {"read"}]

"""Which key a command uses, by its entry, and why it gets none."""

import pytest

from execpolicy import Engine, Request
from execpolicy.catalogue.grammar.credentials import credentials
from execpolicy.catalogue.grammar.notation import NotationError
from execpolicy.engine.rules.credentials import ALONE, key_use, runs_more, sentence
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.program import HostsOf
from execpolicy.shell.single import Single, single

USES = [
    # a text, and why no key is opened; None where it uses none
    ("git fetch", ""),
    ("git fetch -q origin main", ""),
    ("git -C sub ls-remote", ""),
    ("git status", None),
    ("git clone https://example.com/x", None),
    ("gh pr view 4", ""),
    ("gh pr create --fill", None),
    ("gh pr comment 4 -b notes", "it may read a file beside the key"),
    ("gh api /x --input notes", "it may read a file beside the key"),
    ("npm whoami", ""),
    ("npm install", None),
    ("npm run build", None),
    ("true && git fetch", ALONE),
    ("timeout 5 git fetch", ALONE),
    ("git fetch $x", "a word of it is computed"),
    ("X=1 git fetch", "`X` is set in front of it"),
    ("cat ~/.npmrc", None),
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.mark.parametrize(("text", "why"), USES)
def test_what_uses_a_key(engine: Engine, text: str, why: str | None) -> None:
    use = key_use(unwrap(Request(text=text, cwd="/"), engine.snapshot), engine.snapshot)
    assert (use is None) == (why is None)
    if use is not None and why is not None:
        assert use.refusal.startswith(why)
        assert bool(use.refusal) == bool(why)
        assert sentence(use)


MORE = ["git -c a.b=c fetch", "git fetch --upload-pack=x", "npm --userconfig x whoami"]


@pytest.mark.parametrize("text", MORE)
def test_a_word_may_make_it_run_more(engine: Engine, text: str) -> None:
    use = key_use(unwrap(Request(text=text, cwd="/"), engine.snapshot), engine.snapshot)
    assert use is not None
    assert runs_more(use, engine.snapshot)


def test_a_project_says_nothing_about_keys(engine: Engine) -> None:
    steps = unwrap(Request(text="git fetch", cwd="/"), engine.snapshot)
    entry = engine.snapshot.catalogue.entry("git")
    assert entry is not None
    origin = entry.origin
    engine.snapshot.catalogue._loaded["git"] = entry.replace(origin=origin.replace(layer="project"))
    try:
        assert key_use(steps, engine.snapshot) is None
    finally:
        engine.snapshot.catalogue._loaded["git"] = entry


def test_the_notation() -> None:
    found = credentials("file=~/a host=x host=y:8 hosts=keys set=A=b=c settings=.s apart packed=p")
    assert found is not None
    assert (found.files, found.hosts) == (("~/a",), (("x", 443), ("y", 8)))
    assert (found.hosts_of, found.variables) == (HostsOf.KEYS, (("A", "b=c"),))
    assert (found.settings, found.apart, found.packed) == ((".s",), True, ("p",))
    assert credentials("") is None


@pytest.mark.parametrize(
    "text", ["file=/etc/x", "host=x", "x", "file=~/a hosts=x", "file=~/a set=x"]
)
def test_what_is_no_notation(text: str) -> None:
    with pytest.raises(NotationError, match="in credentials: "):
        credentials(text)


SINGLE: list[tuple[str, Single | None]] = [
    ("git fetch", Single("git fetch")),
    ("git 'fetch'; # x\n", Single("git 'fetch'")),
    ("git fetch 2>&1", Single("git fetch", joined=True)),
    ("git fetch 2>&1 | tail -5 > x", Single("git fetch", True, "tail -5 > x")),
    ("a | b |& c", Single("a", rest="b |& c")),
    *((text, None) for text in ("a |& b", "! a", "! a | b", "a &", "(a)", "a <<< x", "a > x")),
    *((text, None) for text in ("a 1>&2", "a 2>&1 b", "a <<X\nX\n", "a && b", "a | (b)", "x=1 a")),
]


@pytest.mark.parametrize(("text", "found"), SINGLE)
def test_one_command(text: str, found: Single | None) -> None:
    assert single(text) == found

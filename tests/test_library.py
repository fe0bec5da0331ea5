"""What an embedder may pass wrongly: an error that says what to do, or what was meant; never a
verdict about something else."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import execpolicy
from execpolicy import Access, Connect, Decision, Engine, Exec, Opaque, Request, RequestError
from execpolicy.model.operation import Assign, Assignment

ALLOW, PROMPT, FORBIDDEN = Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


def words(*texts: str) -> Iterator[str]:
    yield from texts


REQUESTS: list[tuple[dict[str, Any], str]] = [
    ({}, "there is no command"),
    ({"argv": ()}, "there is no command"),
    ({"operations": ()}, "there is no command"),
    ({"argv": ("",)}, "the program name is empty"),
    ({"argv": ("ls", "a\0b")}, "contains a NUL"),
    ({"argv": ("ls", "\ud800")}, "is not valid UTF-8"),
    ({"text": "ls", "argv": ("rm", "-rf", "/")}, "give one of `text`, `argv` and `operations`"),
    ({"text": "", "argv": ("rm", "-rf", "/")}, "give one of `text`"),
    ({"text": "ls", "operations": (Access("/etc/shadow", "write"),)}, "give one of `text`"),
    ({"argv": ("ls",), "operations": ()}, "give one of `text`"),
    ({"argv": "ls"}, "`argv` must be a tuple of texts, and is of type `str`"),
    ({"argv": ["git", "status"]}, "`argv` must be a tuple of texts, and is of type `list`"),
    ({"argv": ("ls", 5)}, "`argv[1]` must be a text, and is of type `int`"),
    ({"argv": ("ls", b"-l")}, "`argv[1]` must be a text"),
    ({"argv": ("ls", None)}, "`argv[1]` must be a text"),
    ({"argv": {"rm": 1}}, "`argv` must be a tuple"),
    ({"argv": words("ls")}, "`argv` must be a tuple"),
    ({"text": b"ls"}, "`text` must be a text, and is of type `bytes`"),
    ({"text": ["rm", "-rf", "/"]}, "`text` must be a text"),
    ({"text": Path("x")}, "`text` must be a text"),
    ({"text": "ls", "shell": "fish"}, "is not a shell that is read: use `bash`, `sh` or `zsh`"),
    ({"text": "ls", "shell": "Bash"}, "`Bash` is not a shell that is read"),
    ({"text": "ls", "shell": "/bin/bash"}, "is not a shell that is read"),
    ({"text": "ls", "shell": ""}, "is not a shell that is read"),
    ({"argv": ("ls",), "shell": "powershell"}, "is not a shell that is read"),
    ({"text": "ls", "cwd": b"/"}, "`cwd` must be a text, and is of type `bytes`"),
    ({"text": "ls", "cwd": Path("/")}, "`cwd` must be a text"),
    ({"text": "ls", "cwd": "/a\0b"}, "`cwd` contains a NUL"),
    ({"text": "ls", "root": 1}, "`root` must be a text"),
    ({"text": "ls", "root": "/a\0"}, "`root` contains a NUL"),
    ({"text": "ls", "roots": "/srv"}, "`roots` must be a tuple of texts, and is of type `str`"),
    ({"text": "ls", "roots": (1,)}, "`roots[0]` must be a text"),
    ({"text": "ls", "effects": "read"}, "`effects` must be a tuple of texts"),
    ({"text": "ls", "agent": 1}, "`agent` must be a text"),
    ({"text": "ls", "session": 1}, "`session` must be a text"),
    ({"operations": [Access("x", "read")]}, "`operations` must be a tuple"),
    ({"operations": Access("x", "read")}, "`operations` must be a tuple"),
    ({"operations": (1,)}, "`operations[0]`: of type `int` is not an operation"),
    ({"operations": ("rm",)}, "is not an operation: use `Exec`, `Access`, `Connect`, `Opaque`"),
    ({"operations": (Access("x", "write!"),)}, "`write!` is not a mode: use `read`, `write`"),  # type: ignore[arg-type]
    ({"operations": (Access("x", "w"),)}, "`w` is not a mode"),  # type: ignore[arg-type]
    ({"operations": (Access("x", "read", extent="all"),)}, "`all` is not an extent"),  # type: ignore[arg-type]
    ({"operations": (Connect("a.example", "https", port="80"),)}, "`port` must be a number"),  # type: ignore[arg-type]
    ({"operations": (Access(Path("x"), "read"),)}, "`path` must be a text"),  # type: ignore[arg-type]
    ({"operations": (Access("", "read"),)}, "`path` must be a text"),
    ({"operations": (Access("a\0", "write"),)}, "`path` must be a text"),
    ({"operations": (Exec("rm"),)}, "`argv` must be a tuple of words"),  # type: ignore[arg-type]
    ({"operations": (Exec(()),)}, "there is no command"),
    ({"operations": (Exec((1,)),)}, "`argv` must be a tuple of words"),  # type: ignore[arg-type]
    ({"operations": (Connect("h", ""),)}, "`protocol` must be a text"),
    ({"operations": (Connect(1, "https"),)}, "`host` must be a text"),  # type: ignore[arg-type]
    ({"operations": (Opaque(b"x", "why"),)}, "`text` must be a text"),  # type: ignore[arg-type]
    ({"operations": (Assign("x=1"),)}, "`assignment` must be an `Assignment`"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("fields", "message"), REQUESTS)
def test_what_is_no_request(fields: dict[str, Any], message: str, engine: Engine) -> None:
    for _ in (1, 2):  # the second is looked up in what is kept
        with pytest.raises(RequestError) as caught:
            engine.decide(Request(**fields))
        assert message in str(caught.value)
        assert str(caught.value)[:1] in "`agthi"


@pytest.mark.parametrize("given", ["ls", b"ls", {"text": "ls"}, ("ls",), None, Exec(("ls",))])
def test_what_is_in_the_place_of_a_request(given: object, engine: Engine) -> None:
    with pytest.raises(RequestError, match="a request is a `Request`, and no"):
        engine.decide(given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [b"ls", bytearray(b"ls"), {"rm": "-rf"}, {"rm", "-rf"}, Path("/bin/ls"), 7, None, [1], [b"ls"],
     ["ls", None], ["ls", ["-l"]], [], (), [""], Request(text="ls")],
)  # fmt: skip
def test_what_is_no_command(given: object, engine: Engine) -> None:
    with pytest.raises(RequestError):
        engine.check(given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "decision"),
    [
        ("ls", ALLOW),
        ("", ALLOW),  # a script without commands
        (["ls"], ALLOW),
        (("rm", "-rf", "/"), FORBIDDEN),
        (words("rm", "-rf", "/"), FORBIDDEN),
        (["rm", "-rf", Path("/")], FORBIDDEN),
        ("ls\0; rm -rf /", PROMPT),
    ],
)
def test_what_is_a_command(given: Any, decision: Decision, engine: Engine) -> None:
    assert engine.check(given).decision is decision


def test_a_directory_may_be_a_path_object(engine: Engine, tmp_path: Path) -> None:
    assert engine.check("ls", cwd=tmp_path).decision is ALLOW
    with pytest.raises(RequestError, match="`cwd` must be a text"):
        engine.check("ls", cwd=b"/")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["x", b"x", Path("a.rules")])
def test_rules_that_are_no_list(given: Any) -> None:
    with pytest.raises(RequestError, match="`rules` is a list of files: write"):
        Engine.load(rules=given)


@pytest.mark.parametrize("given", [[1], [b"a.rules"], [None], [""], ["a\0"], [["a.rules"]]])
def test_rules_that_are_no_paths(given: Any) -> None:
    with pytest.raises(RequestError, match="`rules` "):
        Engine.load(rules=given)


def test_commands_are_a_list(engine: Engine) -> None:
    with pytest.raises(RequestError, match="write `\\[command\\]`"):
        engine.check_many("ls")


@pytest.mark.parametrize("decision", Decision)
def test_a_decision_reads_as_its_word(decision: Decision) -> None:
    assert str(decision) == f"{decision}" == decision.word
    assert f"{decision:>10}" == decision.word.rjust(10)


def test_operations_are_made_with_public_names(engine: Engine) -> None:
    operations = (
        Exec(("git", "status")), Access("/etc/passwd", "write"), Connect("x.example", "https"),
        Opaque("?", "not known"), Assign(Assignment("x", "1")),
    )  # fmt: skip
    assert {"Access", "Connect", "Exec", "Opaque"} <= set(execpolicy.__all__)
    assert engine.decide(Request(operations=operations)).decision is PROMPT


def test_an_answer_that_is_no_answer_lets_nothing_through(engine: Engine) -> None:
    async def tool(command: str) -> str:
        return command

    async def unsure(_verdict: execpolicy.Verdict) -> Any:
        return "no"

    guarded: Callable[[str], Any] = execpolicy.guard(tool, engine, ask=unsure)
    with pytest.raises(TypeError, match="`ask` must say yes or no"):
        asyncio.run(guarded("git push"))


def test_a_guard_takes_no_words_that_are_no_texts(engine: Engine) -> None:
    guarded = execpolicy.guard(lambda command: command, engine)
    with pytest.raises(RequestError, match="`argv\\[1\\]` must be a text"):
        guarded(["cat", b".env"])

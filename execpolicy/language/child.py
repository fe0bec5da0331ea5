"""Evaluates rules text. Runs as a process of its own, under limits, and knows nothing of policy.

Reads frames from stdin and answers each on stdout: a decimal length, a newline, that many bytes of
JSON. A request is `{"text": …, "cpu": seconds}`, an answer `{"calls": […], "errors": […]}`.

Starlark has no limit on memory or time that it keeps by itself: a single native call can allocate
until the process dies, or run for minutes without a chance to interrupt it. So it runs here, where
the operating system can end it.
"""

import gc
import json
import re
import resource
import sys

import starlark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = "rules"
CALL_DEPTH = 50
MAX_ERRORS = 20
_MISSING = re.compile(r"^error: Variable `(\w+)` not found", re.MULTILINE)

# How the binding complains that the value of a file's last expression is a function. Nobody asked
# for that value. An error of the file itself begins with `error:` or `Traceback`.
UNPRINTABLE = "Operation `serde::serialize`"

# Evaluated in the module of the rules file itself before its text, so that a file may redefine the
# builtins as it may in Codex. `call_stack` and `_record` are gone when the text runs. A tuple would
# reach Python as a list and a function not at all: `encode` tags what JSON has no word for.
PRELUDE = """
def _builtins(record, stack):
    def encode(v):
        t = type(v)
        if t == "tuple":
            return {"@": t, "v": [encode(e) for e in v]}
        if t == "list":
            return [encode(e) for e in v]
        if t == "dict":
            return {"@": t, "v": [[encode(k), encode(e)] for k, e in v.items()]}
        return v if t in ("string", "bool", "NoneType", "int", "float") else {"@": t}
    def make(name):
        def call(*args, **kwargs):
            shown = repr(kwargs.values())
            if args:
                shown += repr(list(args))
            if "(" in shown or "<" in shown or "{" in shown:
                args = [encode(v) for v in args]
                kwargs = {k: encode(v) for k, v in kwargs.items()}
            record(name, stack(strip_frames = 1), args, kwargs)
        return call
    return make
_make = _builtins(_record, call_stack)
def bytes(value):
    return (value,)
def form(effect = "", needs = "", without = "", operands = None, options = "", why = ""):
    return {
        "effect": effect, "needs": needs, "without": without,
        "operands": operands, "options": options, "why": why,
    }
"""


def dialect() -> "starlark.Dialect":
    """The dialect of Codex: everything Starlark extends to, f-strings, statements at top level."""
    chosen = starlark.Dialect.extended()
    chosen.enable_f_strings = True
    chosen.enable_top_level_stmt = True
    return chosen


def evaluate(text: str, names: list[str]) -> "dict[str, Any]":
    """The calls that `text` makes, in order, and its errors.

    An unknown name keeps a whole file from running. It is reported, replaced by a function that
    does nothing, and the file is tried again, so that one run tells of every such name.
    """
    calls: list[Any] = []

    def record(name: str, stack: str, args: "list[Any]", kwargs: "dict[str, Any]") -> None:
        frame = stack.rsplit("\n  * ", 1)[-1]
        line = frame[len(FILE) + 1 : frame.index(",")]
        calls.append([name, args, kwargs, int(line)])

    errors: list[str] = []
    unknown: list[str] = []
    while True:
        calls.clear()
        error = _attempt(text, _module(record, names, unknown))
        if error is None:
            break
        errors.append(error)
        missing = _MISSING.search(error)
        if missing is None or len(errors) >= MAX_ERRORS:
            break
        unknown.append(missing[1])
    return {"calls": calls, "errors": errors}


def _module(record: "Any", names: list[str], unknown: list[str]) -> "starlark.Module":
    """A module with the builtins, and a stand-in for each name already reported as unknown."""
    stubs = "".join(f"{n} = lambda *args, **kwargs: None\n" for n in unknown)
    made = "".join(f"{n} = _make({n!r})\n" for n in names)
    prelude = PRELUDE + made + "_record = None\n_make = None\n" + stubs
    module = starlark.Module()
    module.add_callable("_record", record)
    extended = starlark.Globals.extended_by([starlark.LibraryExtension.CallStack])
    starlark.eval(module, starlark.parse("@prelude", prelude, dialect()), extended)
    return module


def _attempt(text: str, module: "starlark.Module") -> str | None:
    """The error of evaluating `text`, or None."""
    options = starlark.EvalOptions(max_callstack_size=CALL_DEPTH)
    try:
        program = starlark.parse(FILE, text, dialect())
        starlark.eval_with(options, module, program, starlark.Globals.standard())
    except BaseException as error:  # a native panic is not an `Exception`
        message = str(error)
        return None if message.startswith(UNPRINTABLE) else message
    return None


def answer(result: "dict[str, Any]") -> bytes:
    """A result as JSON; an integer too large to print is reported, not printed."""
    try:
        body = json.dumps(result).encode()
    except ValueError as error:
        body = json.dumps({"calls": [], "errors": [f"error: {error}"]}).encode()
    return b"%d\n%b" % (len(body), body)


def limit_cpu(seconds: int) -> None:
    """Allow this process `seconds` more of processor time, counted from now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + 0.5) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def main() -> None:
    memory = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    names = sys.argv[2:]
    gc.disable()  # the process is short and what it makes is kept
    while header := sys.stdin.buffer.readline():
        request = json.loads(sys.stdin.buffer.read(int(header)))
        limit_cpu(request["cpu"])
        sys.stdout.buffer.write(answer(evaluate(request["text"], names)))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

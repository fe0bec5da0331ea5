"""Evaluates rules text. Runs as a process of its own, under limits, and knows nothing of policy.

Reads frames from stdin and answers each on stdout: a decimal length, a newline, that many bytes of
JSON. A request is `{"text": …, "cpu": seconds}`, an answer `{"calls": […], "errors": […]}`.

Starlark has no limit on memory or time that it keeps by itself: a single native call can allocate
until the process dies, or run for minutes without a chance to interrupt it. So it runs here, where
the operating system can end it.
"""

import gc
import json
import os
import re
import resource
import sys

if __name__ == "__main__":  # isolated, so where the parent found starlark is not in the path
    sys.path.append(sys.argv[1])

from _collections_abc import Callable

import starlark

LIBRARY = os.path.dirname(os.path.dirname(starlark.__file__))
"""The directory that starlark is in: also the child's, if it finds none by itself."""
FILE = "rules"
CALL_DEPTH = 50
MAX_ERRORS = 20
MAX_ERROR_LENGTH = 4096
MAX_ANSWER_BYTES = 8 * 1024 * 1024
MAX_CALLS = 100_000
MAX_VALUES = 500_000
MAX_LIST = 10_000
MAX_DEPTH = 50
_MISSING = re.compile(r"^error: Variable `(\w+)` not found", re.MULTILINE)

# How the binding complains that the value of a file's last expression is a function. That value
# was not asked for. An error of the file itself begins with `error:` or `Traceback`.
UNPRINTABLE = "Operation `serde::serialize`"

# Evaluated in the module of the rules file itself before its text, so that a file may redefine the
# builtins as it may in Codex. What only the prelude needs is gone when the text runs. Every value
# that crosses to Python is turned into JSON and back by the binding, so a call crosses as one text.
# JSON has no word for a tuple or a function: `tag` has, where the cheap `repr` shows one.
PRELUDE = """
def _builtins(record, stack, encode):
    def tag(v):
        t = type(v)
        if t == "tuple":
            return {"@": t, "v": [tag(e) for e in v]}
        if t == "list":
            return [tag(e) for e in v]
        if t == "dict":
            return {"@": t, "v": [[tag(k), tag(e)] for k, e in v.items()]}
        return v if t in ("string", "bool", "NoneType", "int", "float") else {"@": t}
    def make(name):
        def call(*args, **kwargs):
            shown = repr(kwargs.values())
            if args:
                shown += repr(list(args))
            if "(" in shown or "<" in shown or "{" in shown:
                args = [tag(v) for v in args]
                kwargs = {k: tag(v) for k, v in kwargs.items()}
            place = stack(strip_frames = 1).rsplit("\\n  * rules:", 1)[1]
            line = int(place[:place.index(",")])
            record(encode([name, args, kwargs, line]))
        return call
    return make
_make = _builtins(_record, call_stack, json.encode)
def bytes(value):
    return (value,)
def form(effect = "", needs = "", without = "", operands = None, options = "", why = "",
         prints = ""):
    return {
        "effect": effect, "needs": needs, "without": without,
        "operands": operands, "options": options, "why": why, "prints": prints,
    }
"""


def dialect() -> "starlark.Dialect":
    """The dialect of Codex: everything Starlark extends to, f-strings, statements at top level."""
    chosen = starlark.Dialect.extended()
    chosen.enable_f_strings = True
    chosen.enable_top_level_stmt = True
    return chosen


class Record:
    """The calls of one file, each as JSON. Raises `ValueError` where a file makes too much.

    The parent judges each value that it is given, with no limit of its own, so they are counted
    here, where the line that makes too many is known.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._bytes = 0
        self._values = 0

    def add(self, call: str) -> None:
        """Keep a call."""
        self._bytes += len(call) if call.isascii() else len(call.encode())
        if self._bytes > MAX_ANSWER_BYTES:
            raise ValueError(f"the calls of this file hold more than {MAX_ANSWER_BYTES} bytes")
        if len(self.calls) >= MAX_CALLS:
            raise ValueError(f"this file makes more than {MAX_CALLS} calls")
        self._values += _size(call)
        if self._values > MAX_VALUES:
            raise ValueError(f"the calls of this file hold more than {MAX_VALUES} values")
        self.calls.append(call)


def _size(call: str) -> int:
    """How many values a call holds, of a short one at most. Raises `ValueError` for a huge list."""
    commas, brackets = call.count(","), call.count("[") + call.count("{")
    if commas < MAX_LIST and brackets < MAX_DEPTH:
        return commas + brackets
    try:
        return _counted(json.loads(call, parse_int=len), 0)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


_TOO_DEEP = f"an argument is nested deeper than {MAX_DEPTH}"


def _counted(value: object, depth: int) -> int:
    if not isinstance(value, (list, dict)):
        return 1
    if depth > MAX_DEPTH:
        raise ValueError(_TOO_DEEP)
    if len(value) > MAX_LIST:
        raise ValueError(f"a list holds {len(value)} values, the limit is {MAX_LIST}")
    inside = value.values() if isinstance(value, dict) else value
    return 1 + sum([_counted(item, depth + 1) for item in inside])


def evaluate(text: str, names: list[str]) -> dict[str, list[str]]:
    """The calls that `text` makes, each as JSON `[name, args, kwargs, line]`, and its errors.

    An unknown name keeps a whole file from running. It is reported, replaced by a function that
    does nothing, and the file is tried again, so that one run tells of every such name.
    """
    errors: list[str] = []
    unknown: list[str] = []
    while True:
        record = Record()
        error = _attempt(text, _module(record.add, names, unknown))
        if error is None:
            break
        errors.append(_shortened(error))
        missing = _MISSING.search(error)
        if missing is None or len(errors) >= MAX_ERRORS:
            break
        unknown.append(missing[1])
    return {"calls": record.calls, "errors": errors}


def _shortened(error: str) -> str:
    """An error without the middle of the long lines that it quotes: the places stand around it."""
    if len(error) <= MAX_ERROR_LENGTH:
        return error
    lines = error.split("\n")
    kept = "\n".join(line[:300] for line in lines)
    half = MAX_ERROR_LENGTH
    return kept if len(kept) <= 2 * half else f"{kept[:half]}\n{kept[-half:]}"


def _module(
    record: "Callable[[str], None]", names: list[str], unknown: list[str]
) -> "starlark.Module":
    """A module with the builtins, and a stand-in for each name already reported as unknown."""
    made = "".join(f"{n} = _make({n!r})\n" for n in names)
    prelude = PRELUDE + made + "_record = None\n_make = None\n_builtins = None\n"
    module = starlark.Module()
    module.add_callable("_record", record)
    library = starlark.LibraryExtension
    extended = starlark.Globals.extended_by([library.CallStack, library.Json])
    starlark.eval(module, starlark.parse("@prelude", prelude, dialect()), extended)
    stubs = "".join(f"{n} = lambda *args, **kwargs: None\n" for n in unknown)
    starlark.eval(module, starlark.parse("@stubs", stubs + "None\n", dialect()), extended)
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


def answer(result: "dict[str, list[str]]") -> bytes:
    """A result as JSON, with its length in front. The calls are JSON already."""
    errors = json.dumps(result["errors"])
    body = f'{{"calls": [{",".join(result["calls"])}], "errors": {errors}}}'.encode()
    return b"%d\n%b" % (len(body), body)


def limit_cpu(seconds: int) -> None:
    """Allow this process `seconds` more of processor time, counted from now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + 0.5) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def main() -> None:
    """Answer requests until stdin ends. Arguments: a directory, bytes of memory, builtins."""
    memory = int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    names = sys.argv[3:]
    gc.disable()  # the process is short and what it makes is kept
    while header := sys.stdin.buffer.readline():
        request = json.loads(sys.stdin.buffer.read(int(header)))
        limit_cpu(request["cpu"])
        sys.stdout.buffer.write(answer(evaluate(request["text"], names)))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

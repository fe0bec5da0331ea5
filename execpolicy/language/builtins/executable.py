"""`host_executable`: the absolute paths that may stand for the bare name of a program."""

from execpolicy.language.builtins.signature import Given, Parameter, Signature, strings
from execpolicy.language.problems import Reporter
from execpolicy.model.rule import HostExecutable, Origin
from execpolicy.model.split import normal

EXECUTABLE = Signature(
    "host_executable",
    (Parameter("name", ("string",), required=True), Parameter("paths", ("list",), required=True)),
    positional=2,
)


def host_executable(given: Given, origin: Origin, report: Reporter) -> HostExecutable | None:
    """The declaration, or None after a problem was reported."""
    name = str(given["name"])
    if not name.strip() or name in (".", "..") or "/" in name:
        report("executable", f"`{name}` is not a bare program name", "leave out the path", name)
        return None
    paths: dict[str, None] = {}
    values = strings(given["paths"])
    if values is None:
        report("executable", "`paths` must hold strings only", at="paths")
        return None
    for value in values:
        path = normal(value)
        if not value.startswith("/"):
            report("executable", f"`{value}` is not an absolute path", "begin it with `/`", value)
        elif path.rpartition("/")[2] != name:
            report("executable", f"`{value}` does not end in `{name}`", at=value)
        else:
            paths[path] = None
    return HostExecutable(name, tuple(paths), origin)

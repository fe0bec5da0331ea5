"""The options of `check`, most of which `explain` has, too."""

import sys

from execpolicy.commands.arguments import (
    COMMAND,
    DIRECTORY,
    RULES,
    Kind,
    Needs,
    OptionSyntax,
    Parsed,
    Syntax,
    Takes,
    parse,
)
from execpolicy.model.errors import RequestError, UsageError
from execpolicy.model.operation import SHELLS
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from execpolicy.engine.engine import Engine
    from execpolicy.model.scope import Scope


class CheckOptions(Value):
    """What the command line of `check` says."""

    argv: tuple[str, ...] = ()
    text: str | None = None
    rules: tuple[str, ...] | None = None
    cwd: str | None = None
    host: str | None = None
    mode: str | None = None
    scope: str | None = None
    shell: str | None = None
    format: str = "text"
    builtin: bool = True
    jsonl: bool = False
    pretty: bool = False
    resolve: bool = False
    session: str | None = None
    approval_policy: str | None = None
    sandbox_policy: str | None = None
    sandbox_permissions: str | None = None
    prefix_rule: str | None = None


CODEX_USAGE = 2
"""What `codex execpolicy check` ends with where its command line is wrong."""

FORMATS = ("text", "json", "codex", "requirement")
POLICIES = ("never", "on-failure", "on-request", "unless-trusted", "granular")
SANDBOXES = ("read-only", "workspace-write", "danger-full-access", "external-sandbox")
PERMISSIONS = ("use_default", "require_escalated", "with_additional_permissions")
MAX_BYTES = 4 * 1024 * 1024


def hosts() -> "Iterable[str]":
    """The names of the hosts."""
    from execpolicy.hosts.protocols import AGENTS

    return AGENTS


def _modes() -> "Iterable[str]":
    """The modes of all hosts: which one is meant, the completion does not ask."""
    from execpolicy.hosts.protocols import AGENTS, load

    return dict.fromkeys(mode for name in AGENTS for mode in load(name).MODES)


_OWN = (Needs("format", (None, "text", "json")),)
_VERDICT = (Needs("format", (None, "text", "json", "requirement")),)
_CODEX = (Needs("format", ("codex",)),)
_REQUIREMENT = (Needs("format", ("requirement",)),)

SHARED = (
    OptionSyntax(("-c",), "text", Takes("script"), needs=_VERDICT),
    OptionSyntax(("-r", "--rules"), "rules", RULES, joined=True, repeats=True),
    OptionSyntax(("--no-builtin",), "builtin", value=False),
    OptionSyntax(("--cwd",), "cwd", DIRECTORY, needs=_VERDICT),
    OptionSyntax(("--shell",), "shell", Takes("shell", Kind.WORD, SHELLS), needs=_OWN),
)
SYNTAX = Syntax(
    "check",
    (
        *SHARED,
        OptionSyntax(("--jsonl",), "jsonl", needs=(Needs("format", (None, "json")),)),
        OptionSyntax(("--host",), "host", Takes("host", Kind.OPEN, load=hosts), needs=_OWN),
        OptionSyntax(("--mode",), "mode", Takes("mode", Kind.OPEN, load=_modes), needs=_OWN),
        OptionSyntax(("--scope",), "scope", DIRECTORY, needs=_OWN),
        OptionSyntax(("--format",), "format", Takes("format", Kind.WORD, FORMATS)),
        OptionSyntax(("--pretty",), "pretty", needs=_CODEX),
        OptionSyntax(("--resolve-host-executables",), "resolve", needs=_CODEX),
        OptionSyntax(("--session",), "session", Takes("session"), needs=_OWN),
        OptionSyntax(
            ("--approval-policy",),
            "approval_policy",
            Takes("policy", Kind.OPEN, POLICIES),
            needs=_REQUIREMENT,
        ),
        OptionSyntax(
            ("--sandbox-policy",),
            "sandbox_policy",
            Takes("sandbox", Kind.OPEN, SANDBOXES),
            needs=_REQUIREMENT,
        ),
        OptionSyntax(
            ("--sandbox-permissions",),
            "sandbox_permissions",
            Takes("permissions", Kind.WORD, PERMISSIONS),
            needs=_REQUIREMENT,
        ),
        OptionSyntax(("--prefix-rule",), "prefix_rule", Takes("prefix"), needs=_REQUIREMENT),
    ),
    COMMAND,
    leads=True,
    lenient=("format", "codex"),
)


def read(arguments: "Sequence[str]") -> CheckOptions:
    """Read the command line up to the first word that is not an option; the rest is the command.

    Raises `UsageError`. With `--format codex` an unknown option is the command's first word, as
    there.
    """
    found: dict[str, object] = {}
    try:
        parsed = parse(SYNTAX, arguments, found)
        if found.get("format") != "codex":
            parsed = with_stdin(parsed)
    except UsageError as error:
        if found.get("format") == "codex":
            raise UsageError(str(error), CODEX_USAGE) from None
        raise
    return CheckOptions(parsed.operands, **parsed.fields)  # type: ignore[arg-type]


def with_stdin(parsed: Parsed) -> Parsed:
    """The same with the script from standard input where `-` stands for it.

    Raises `UsageError` where a terminal is there: nothing is piped in, and waiting for it
    looks as if the program hung.
    """
    alone = parsed.operands[:1] == ("-",) and not parsed.dashes
    if not alone and parsed.fields.get("text") != "-":
        return parsed
    if parsed.fields.get("jsonl") or len(parsed.operands) > alone:
        raise UsageError("`-` is a whole script from stdin: give no words and no `--jsonl` with it")
    if alone and "text" in parsed.fields:
        raise UsageError("give words, `-c TEXT` or `-`, only one of them")
    if sys.stdin.isatty():
        raise UsageError("`-` reads a script from stdin: `execpolicy check - < script.sh`")
    return Parsed((), {**parsed.fields, "text": _script(sys.stdin.buffer.read(MAX_BYTES + 1))})


def _script(data: bytes) -> str:
    """The text of a script, with bytes that are not UTF-8 as they are in arguments."""
    if len(data) > MAX_BYTES:
        raise RequestError(f"the script on stdin is longer than {MAX_BYTES} bytes")
    return data.decode("utf-8", "surrogateescape")


def scope_of(engine: "Engine", folder: str | None, cwd: str | None) -> "Scope | None":
    """The scope for `--scope`. Raises `UsageError` for a folder that is not below the root."""
    if folder is None:
        return None
    from execpolicy.commands.scoping import by_option

    return by_option(folder, cwd or "/", engine.resolver)

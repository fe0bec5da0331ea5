"""What Codex remembers: approvals for the session, each under keys of its own.

A request is skipped only if all its keys are known; an approval stores each alone, so that two
separate ones answer a joint request.
"""

from collections.abc import Callable, Sequence

from execpolicy.approvals.codex.split import commands, script
from execpolicy.support.record import Value

SCRIPT = "__codex_shell_script__"
SHELL, EXEC = "shell", "unified_exec"
FOR_SESSION = "approved_for_session"
LOCAL = "local"

Key = dict[str, object]


class KeyedCall(Value):
    """What is about to be done, as far as keys need it. `tool` is `shell`, `unified_exec`,
    `apply_patch` or `network`; `one_shot` calls have no keys."""

    tool: str
    command: tuple[str, ...] = ()
    cwd: str | None = None
    permissions: str = "use_default"
    additional: object = None
    tty: bool = False
    paths: tuple[str, ...] = ()
    host: str = ""
    protocol: str = ""
    port: int = 0
    environment: str = LOCAL
    one_shot: bool = False


def canonical(argv: Sequence[str]) -> tuple[str, ...]:
    """The words by which a command is known: those of the one plain command in a shell call, else
    a marker, the flag and the exact script.

    >>> canonical(["zsh", "-lc", "ls -la"]), canonical(["bash", "-c", "ls > x"])
    (('ls', '-la'), ('__codex_shell_script__', '-c', 'ls > x'))
    """
    text = script(argv)
    if text is None:
        return tuple(argv)
    plain = commands(text)
    return plain[0] if len(plain) == 1 else (SCRIPT, argv[1], text)


def keys(call: KeyedCall) -> tuple[Key, ...]:
    """All keys of a call; none where nothing is remembered."""
    if call.one_shot:
        return ()
    if call.tool == "network":
        host = call.host.lower()
        where: Key = {"host": host, "protocol": call.protocol, "port": call.port}
        return ({"environment": call.environment, **where},)
    if call.tool == "apply_patch":
        return tuple({"environment": call.environment, "path": path} for path in call.paths)
    key: Key = {"command": list(canonical(call.command)), "cwd": call.cwd}
    if call.tool == EXEC:
        key["tty"] = call.tty
    key["sandbox_permissions"] = call.permissions
    key["additional_permissions"] = call.additional
    return ({"environment": call.environment, **key} if call.tool == SHELL else key,)


class SessionCache:
    """The approvals of one session, in memory."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def settle(self, wanted: Sequence[object], ask: Callable[[], str]) -> tuple[bool, str]:
        """Whether `ask` was called, and the answer. Only an approval for the session is kept."""
        names = [_text(key) for key in wanted]
        if names and self._known.issuperset(names):
            return False, FOR_SESSION
        answer = ask()
        if answer == FOR_SESSION:
            self._known.update(names)
        return True, answer


def _text(key: object) -> str:
    import json

    return json.dumps(key, separators=(",", ":"))

"""When Codex asks: five policies, of which `granular` has a flag for each kind of question.

`never` refuses in place of asking. What the others ask about is in `requirement.py`.
"""

from collections.abc import Mapping

from execpolicy.model.approval import ASK, NEVER_ASK, REFUSE, Asking
from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.model.split import (
    EXTERNAL,
    FULL,
    OUTER,
    READ_ONLY,
    RESTRICTED,
    UNRESTRICTED,
    WORKSPACE,
)
from execpolicy.support.record import Value

NEVER, ON_FAILURE, ON_REQUEST = "never", "on-failure", "on-request"
UNLESS_TRUSTED, GRANULAR = "unless-trusted", "granular"
NAMES = (NEVER, ON_FAILURE, ON_REQUEST, UNLESS_TRUSTED, GRANULAR)
FLAGS = ("sandbox_approval", "rules", "skill_approval", "request_permissions", "mcp_elicitations")

FILESYSTEMS = (RESTRICTED, UNRESTRICTED, EXTERNAL)
"""The kinds of file system policy: Codex's sandbox restricts, nothing does, another program does.
"""

SANDBOXES = {
    READ_ONLY: RESTRICTED,
    WORKSPACE: RESTRICTED,
    FULL: UNRESTRICTED,
    OUTER: EXTERNAL,
}
"""The kind of file system policy that each of Codex's sandbox modes is."""

USE_DEFAULT, ESCALATED = "use_default", "require_escalated"
ADDITIONAL = "with_additional_permissions"
"""What a call asks of the sandbox: nothing, to leave it, or to be given more inside it."""


class AskingPolicy(Value):
    """A policy by its name, one of `NAMES`. The flags count under `granular` alone: a false flag
    turns that kind of question into a refusal."""

    name: str
    sandbox_approval: bool = True
    rules: bool = True
    skill_approval: bool = True
    request_permissions: bool = True
    mcp_elicitations: bool = True

    @property
    def refuses_sandbox(self) -> bool:
        """Whether a question is refused that comes of the sandbox, or of what Codex holds a command
        to be (`heuristics.py`), and not of a rule."""
        return self.name == NEVER or (self.name == GRANULAR and not self.sandbox_approval)

    @property
    def asking(self) -> Asking:
        """The same for our own flow: which kinds of questions are put to the user at all.

        Skills, permissions and MCP servers ask in Codex alone: their flags change nothing here.
        """
        if self.name == NEVER:
            return NEVER_ASK
        rule = ASK if self.name != GRANULAR or self.rules else REFUSE
        other = REFUSE if self.refuses_sandbox else ASK
        return Asking(rule, posture=other, path=other, host=other, sandbox=other)

    @classmethod
    def of(cls, given: Mapping[str, object]) -> "AskingPolicy":
        """The policy from a table with `policy` and the flags. Raises `ExecPolicyError`.

        Under the older name `reject` a flag says what is refused, so that it counts the other way.
        """
        flags = {name: given[name] for name in FLAGS if name in given}
        for name, value in flags.items():
            if not isinstance(value, bool):
                raise ExecPolicyError(f"`{name}` of the approval policy is not true or false")
        return _named(
            str(given.get("policy", "")), {n: value is True for n, value in flags.items()}
        )

    @classmethod
    def parse(cls, text: str) -> "AskingPolicy":
        """A name, or `granular:rules=false,sandbox_approval=false`. Raises `ExecPolicyError`.

        >>> AskingPolicy.parse("granular:rules=false").rules
        False
        >>> AskingPolicy.parse("reject:rules=true").rules
        False
        """
        name, _, rest = text.partition(":")
        flags: dict[str, bool] = {}
        for part in filter(None, rest.split(",")):
            flag, _, value = part.partition("=")
            if flag not in FLAGS or value not in ("true", "false"):
                shown = printable(part, 40)
                raise ExecPolicyError(
                    f"`{shown}` is not a flag: write one of {', '.join(FLAGS)}=false"
                )
            flags[flag] = value == "true"
        return _named(name, flags)


def _named(name: str, flags: dict[str, bool]) -> AskingPolicy:
    if name == "reject":
        flags = {flag: not flags.get(flag, False) for flag in FLAGS}
        name = GRANULAR
    if name == "untrusted":  # the spelling of `config.toml`
        name = UNLESS_TRUSTED
    if name not in NAMES:
        shown = printable(name, 40)
        raise ExecPolicyError(f"unknown approval policy `{shown}`: write one of {', '.join(NAMES)}")
    if flags and name != GRANULAR:
        raise ExecPolicyError(f"`{name}` takes no flags: only `granular` does")
    return AskingPolicy(name, **flags)


def filesystem(name: str) -> str:
    """The kind of file system policy, of a sandbox mode or by its own name.

    Raises `ExecPolicyError`.
    """
    kind = SANDBOXES.get(name, name)
    if kind not in FILESYSTEMS:
        shown = printable(name, 40)
        raise ExecPolicyError(f"unknown sandbox `{shown}`: write one of {', '.join(SANDBOXES)}")
    return kind

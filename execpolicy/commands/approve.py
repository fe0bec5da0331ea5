"""`execpolicy approve`: let a call pass that waits for the user."""

from _collections_abc import Sequence

from execpolicy.approvals import signatures
from execpolicy.approvals.questions.questions import Replied
from execpolicy.approvals.signatures import MAX_BYTES
from execpolicy.commands.arguments import Kind, OptionSyntax, Syntax, Takes, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.approval import REQUEST, Confinement, Life, Question
from execpolicy.model.errors import ExecPolicyError, UsageError, printable

SYNTAX = Syntax(
    "approve",
    (
        OptionSyntax(("--for",), "time", Takes("time")),
        OptionSyntax(("--session",), "session"),
        OptionSyntax(("--uses",), "uses", Takes("number")),
        OptionSyntax(("--always",), "always"),
        OptionSyntax(("--sign",), "key", Takes("key", Kind.FILE)),
        OptionSyntax(("--statement",), "statement"),
        OptionSyntax(("--signed",), "signed", Takes("file", Kind.FILE)),
    ),
    Takes("code"),
    most=1,
)
MAX_USES = 100
_UNITS = {"s": 1, "m": 60, "h": 3600}


def main(arguments: Sequence[str]) -> ExitCode:
    """Do it. Raises `ExecPolicyError` where no such question waits."""
    parsed = parse(SYNTAX, arguments)
    fields = parsed.fields
    if "signed" in fields:
        if parsed.operands or len(fields) > 1:
            raise UsageError("a signed answer says all: leave everything else out")
        return _signed(str(fields["signed"]))
    chosen = [name for name in ("time", "session", "always") if fields.get(name)]
    if len(chosen) > 1 or ("always" in chosen and fields.get("uses")):
        raise UsageError("choose one of `--for`, `--session` and `--always`")
    from execpolicy.commands import replying

    question = replying.asked(parsed.operands)
    proven = "key" in fields or "statement" in fields
    if "always" in chosen and not proven:
        return _always(question)
    uses = None if "uses" not in fields else _number(str(fields["uses"]))
    seconds = None if "time" not in fields else _seconds(str(fields["time"]))
    life = _fitting(question, _life(chosen), uses)
    if not proven:
        return _approved(question, replying.answer(question, life, seconds=seconds, uses=uses))
    return _sign(question, life, seconds, uses, str(fields.get("key", "")))


def _life(chosen: Sequence[str]) -> Life:
    lives = {"time": Life.TIMED, "session": Life.SESSION, "always": Life.USER}
    return lives.get("".join(chosen), Life.ONCE)


def _fitting(question: Question, life: Life, uses: int | None) -> Life:
    """How long the answer holds for this question. Raises where it may not hold so long."""
    if life in (Life.TIMED, Life.SESSION) and not question.remembered:
        raise ExecPolicyError(
            f"`{question.code}` is asked each time it comes: leave `--for` and `--session` out"
        )
    counts = life is Life.ONCE and uses is not None and not question.whole
    return Life.TIMED if counts else life


def _sign(
    question: Question, life: Life, seconds: float | None, uses: int | None, key: str
) -> ExitCode:
    """Sign the answer and give it, or print what is to be signed."""
    from execpolicy.approvals.clock import now
    from execpolicy.commands import replying

    given = replying.answer_to(question, life).replace(seconds=seconds, uses=uses)
    text = signatures.statement(question, given, now().wall)
    if not key:
        print(text, end="")
        return ExitCode.ALLOW
    return _approved(*replying.answer_signed(signatures.sign(text, key)))


def _signed(path: str) -> ExitCode:
    from execpolicy.commands import replying

    with open(0 if path == "-" else path, encoding="utf-8", errors="replace") as file:
        question, replied = replying.answer_signed(file.read(MAX_BYTES + 1))
    first = replied.settled[0]
    if first.word != "allowed":
        print(printable(f"rejected: {question.request}", 500))
        return ExitCode.ALLOW
    return _approved(question, replied)


def _approved(question: Question, replied: Replied) -> ExitCode:
    print(printable(f"approved: {question.request}", 500))
    print(replied.diff, end="")
    for approval in replied.approvals:
        if approval.reach.kind == REQUEST:
            uses = approval.bounds.uses
            times = "once" if uses == 1 else f"{uses} times"
            lifted = approval.bounds.confinement is Confinement.LIFTED
            where = ", outside of every sandbox, in this session" if lifted else ""
            print(
                f"when the agent makes this call again it passes, {times}, within 24 hours{where}"
            )
        else:
            print(f"`execpolicy approvals revoke {approval.id}` takes it back")
    return ExitCode.ALLOW


def _always(question: Question) -> ExitCode:
    """Show the rule that would allow it, and the line that writes it: a person does."""
    from execpolicy.commands.amend import AmendOptions, offer

    offer(question, AmendOptions(dry=True))
    print(f"to write it: execpolicy amend {question.code}")
    return ExitCode.ALLOW


def _seconds(text: str) -> float:
    """A time such as `90s`, `10m` or `2h`, in seconds. Raises `UsageError`."""
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not number.isdecimal() or not int(number):
        raise UsageError(f"`{printable(text, 20)}` is not a time: write `90s`, `10m` or `2h`")
    return float(int(number) * _UNITS[unit])


def _number(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MAX_USES:
        raise UsageError(f"`{printable(text, 20)}` is not a number from 1 to {MAX_USES}")
    return int(text)

"""A list beside which git may not write, part by part: each in a sandbox of its own."""

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.run_job import report
from execpolicy.model.decision import Decision
from execpolicy.sandbox.look.git import TWO_CALLS, GitUse
from execpolicy.sandbox.ruling import ruling
from execpolicy.shell.parts import parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.commands.run import Decided, Options
    from execpolicy.shell.parts import TextPart

    Part = tuple[TextPart, Options, Decided]


def allowed_parts(
    whole: "Decided", options: "Options", decide: "Callable[[Options], Decided]"
) -> "list[Part]":
    """The parts of a text with what is decided about each; none unless all that runs is allowed, as
    a whole and one by one."""
    if options.text is None or options.dry or whole.use.refusal != TWO_CALLS:
        return []
    ruled = ruling(whole.verdict, whole.settings, options.confined, GitUse())
    if ruled.decision is not Decision.ALLOW:
        return []
    texts = parts_of(options.text)
    alone = [options.replace(text=one.text, status=None) for one in texts]
    made = [(one, each, decide(each)) for one, each in zip(texts, alone, strict=True)]
    runs = all(d.ruling.decision is Decision.ALLOW and not d.use.refusal for _, _, d in made)
    return made if runs and len(made) > 1 else []


def run_parts(
    parts: "list[Part]", status: str | None, go: "Callable[[Decided, Options], int]"
) -> int:
    """Run them as a shell does; the exit code of the last that ran, which `status` is told."""
    code = 0
    for part, options, decided in parts:
        if part.runs_after(code):
            code = go(decided, options)
    backend = parts[0][-1].settings.backend
    report(status, {"exit": code, "timed_out": code == ExitCode.TIMED_OUT, "backend": backend})
    return code

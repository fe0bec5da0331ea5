"""Makes the question of a verdict: what is asked, why, and which widths may be chosen."""

import os
from _collections_abc import Iterator

from execpolicy.approvals.memory import never, never_whole
from execpolicy.approvals.questions.widths import offered
from execpolicy.approvals.subject import Here, whole_key
from execpolicy.model.approval import Question, code_of
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Access, Connect, Exec, Opaque, Operation, Request
from execpolicy.model.verdict import JudgedOperation, Verdict, written
from execpolicy.support import digest
from execpolicy.support.redact import joined, redacted

SECONDS = 600.0
"""How long a question waits for which a process waits."""
LEFT_SECONDS = 24 * 3600.0
"""How long one waits whose call was refused meanwhile."""
MAX_SHOWN = 2000


def question_about(
    request: Request,
    verdict: Verdict,
    here: Here,
    agent: str = "",
    *,
    seconds: float = SECONDS,
    whole: str = "",
) -> Question:
    """The question about a request that a verdict prompts for. The session must be known.

    `whole` is given where the caller does not wait for the answer (`subject.whole_key`).
    """
    pairs = [
        (judged, subject)
        for judged, subject in zip(verdict.judged, here.subjects, strict=False)
        if judged.decision is Decision.PROMPT
    ]
    amendments = verdict.amendments
    widths = tuple(offered(j, s, amendments, here.project) for j, s in pairs)
    judged = [j for j, _ in pairs]
    name = os.urandom(16).hex()
    asking = dict.fromkeys(m.sentence for j in judged for m in j.matches if m.decision)
    assert here.session is not None  # noqa: S101
    return Question(
        id=name,
        code=code_of(name),
        key=_key(request, verdict, here),
        request=printable(redacted(_shown(request)), MAX_SHOWN),
        asking=tuple(printable(redacted(sentence), 300) for sentence in asking),
        reaches=widths,
        session=here.session,
        project=here.project or "",
        at=here.now,
        until=here.now.after(seconds),
        policy=verdict.digest,
        confinement=here.confinement,
        agent=agent,
        parents=here.parents,
        scope=here.scope,
        cwd=request.cwd,
        remembered=all(widths) and _may_be_remembered(verdict, judged),
        prefixes=tuple(a.pattern for a in amendments),
        below=any(a.below for a in amendments),
        whole=whole,
        marked=tuple(dict.fromkeys(_marked(request, judged))),
        held=verdict.confined is Decision.ALLOW,
    )


def _marked(request: Request, asking: "list[JudgedOperation]") -> "Iterator[str]":
    """The parts of a text that ask, as they are shown."""
    for operation in (judged.operation for judged in asking):
        span = operation.span if isinstance(operation, (Exec, Opaque)) else None
        if request.text is not None and span is not None:
            yield printable(redacted(request.text[slice(*span)]), MAX_SHOWN)


def _may_be_remembered(verdict: Verdict, asking: "list[JudgedOperation]") -> bool:
    """Whether an answer may hold for more than this one time."""
    if not asking or never_whole(verdict):
        return False
    return all(never(judged) is None for judged in asking)


def _shown(request: Request) -> str:
    """What is asked about, in words."""
    if request.text is not None:
        return request.text
    if request.argv is not None:
        return joined(request.argv)
    return "\n".join(map(_operation, request.operations or ()))


def _operation(operation: Operation) -> str:
    if isinstance(operation, Access):
        return f"{operation.mode} {written((operation.path,), 400)}"
    if isinstance(operation, Connect):
        return f"{operation.protocol} to {written((operation.host,), 400)}"
    return written(operation.argv, 400) if isinstance(operation, Exec) else "something else"


def _key(request: Request, verdict: Verdict, here: Here) -> str:
    """The same for the same request of the same session."""
    parts = (here.session or "", whole_key(request, verdict, here))
    return digest.of_parts(part.encode("utf-8", "surrogatepass") for part in parts)

"""Who is asked before the user: a command or a callable that may answer `once` or refuse.

A reviewer that errs, takes too long or says anything else has no opinion, and the next one is
asked. None is ever asked about what memory may not answer.
"""

from _collections_abc import Callable, Iterable, Sequence

from execpolicy.model.approval import Question
from execpolicy.support.record import Value

Opinion = Callable[[Question], str | None]

ONCE, REFUSE = "once", "refuse"
SECONDS = 10.0
MAX_OUTPUT = 4096


class Reviewer(Value):
    """A reviewer by its name. Its opinion is `once`, `refuse` or anything else for none."""

    name: str
    opinion: "Opinion"
    seconds: float = SECONDS


class Review(Value):
    """An opinion, and whose it is (`reviewer:NAME`)."""

    opinion: str
    by: str


def review(question: Question, reviewers: "Iterable[Reviewer]") -> Review | None:
    """The first opinion; None where no reviewer has one."""
    if not question.remembered:
        return None
    for reviewer in reviewers:
        opinion = _opinion(reviewer, question)
        if opinion in (ONCE, REFUSE):
            return Review(opinion, f"reviewer:{reviewer.name}")
    return None


def _opinion(reviewer: Reviewer, question: Question) -> str:
    """What a reviewer says in its time; empty for an error, a doubt or no answer."""
    from threading import Thread

    said: list[str | None] = []

    def run() -> None:
        try:
            said.append(reviewer.opinion(question))
        except Exception:
            said.append(None)

    thread = Thread(target=run, daemon=True, name=f"reviewer {reviewer.name}")
    thread.start()
    thread.join(reviewer.seconds)
    answer = said[0] if said else None
    return answer if isinstance(answer, str) else ""


def command(name: str, argv: "Sequence[str]", seconds: float = SECONDS) -> Reviewer:
    """A reviewer that is a program: it gets the question as JSON on its standard input, and the
    first word it prints is its opinion. It ends with its time, and with another exit code than 0 it
    has none."""

    def opinion(question: Question) -> str | None:
        import subprocess

        from execpolicy.store.ledger.questions import encode

        done = subprocess.run(
            list(argv),
            input=encode(question).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            start_new_session=True,
        )
        words = done.stdout[:MAX_OUTPUT].decode("utf-8", "replace").split()
        return words[0] if words and done.returncode == 0 else None

    return Reviewer(name, opinion, seconds + 1.0)

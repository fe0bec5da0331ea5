"""Signed answers: what proves that a person gave one (`ssh-keygen -Y`, OpenSSH's SSHSIG).

A statement is one line: the question by its digest, and the answer. The keys that may sign stand in
`guard.SIGNERS`, which the administrator alone writes. Where `guard.ONLY_SIGNED` is there, an
approval counts only with a signature, whatever else stands in the ledger: it is verified when used.
"""

import json
import os
import shutil
import subprocess
import tempfile
from _collections_abc import Sequence

from execpolicy.approvals.questions.granting import granted
from execpolicy.model.approval import Answer, Approval, Life, Question
from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.store.ledger import guard
from execpolicy.store.ledger.ledger import Ledger
from execpolicy.store.ledger.questions import encode
from execpolicy.support import digest
from execpolicy.support.record import Value

NAMESPACE = "execpolicy"
MAX_BYTES = 65536
SECONDS = 5.0
CLOCKS = 60.0
"""Seconds by which the clock of the device that signed may be ahead."""
_PATH = "/usr/bin:/bin:/usr/local/bin"
_ARMOUR = "-----BEGIN SSH SIGNATURE-----"


class SignatureError(ExecPolicyError):
    """A signed answer that does not count. `question` is what it says that it answers."""

    def __init__(self, why: str, question: str = "") -> None:
        super().__init__(why)
        self.question = question


class Signed(Value):
    """What a statement says. Who signed it stands in the answer."""

    answer: Answer
    digest: str
    at: float


def digest_of(question: Question) -> str:
    """The digest of a question with all that is asked."""
    return digest.of(encode(question).encode("utf-8", "surrogatepass"))


def statement(question: Question, answer: Answer, at: float) -> str:
    """What is signed: a line that says which question is answered, and how."""
    said = {
        "question": question.id,
        "digest": digest_of(question),
        "request": question.request[:400],
        "answer": answer.life.word,
        "seconds": answer.seconds,
        "uses": answer.uses,
        "because": answer.feedback,
        "again": answer.again,
        "at": at,
    }
    return f"{json.dumps(said)}\n"


def sign(text: str, key: str) -> str:
    """The statement with its signature by this key, which may want a touch or a passphrase."""
    words = [_program(), "-Y", "sign", "-q", "-n", NAMESPACE, "-f", key]
    done = subprocess.run(words, input=text.encode(), stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise ExecPolicyError(f"`{printable(key, 200)}` signs nothing: see what ssh-keygen says")
    return text + done.stdout.decode("ascii", "replace")


def verified(given: str) -> Signed:
    """What a signed statement says. Raises `SignatureError` where it is none of a known key's."""
    text, signature = _parts(given)
    said = _read(text)
    why_not_own = _unsafe()
    if why_not_own:
        raise SignatureError(why_not_own, said.answer.question)
    with tempfile.NamedTemporaryFile(prefix="signature-") as file:
        file.write(signature.encode("ascii", "replace"))
        file.flush()
        who = _keygen("find-principals", "-s", file.name).strip().splitlines()
        if not who:
            why = f"no key of `{guard.SIGNERS}` made this signature"
            raise SignatureError(why, said.answer.question)
        if not _keygen("verify", "-n", NAMESPACE, "-I", who[0], "-s", file.name, text=text):
            raise SignatureError("the signature is not of this answer", said.answer.question)
    by = f"signed:{who[0]}"
    return said.replace(answer=said.answer.replace(by=by))


def hold(ledger: Ledger, used: Sequence[Approval]) -> bool:
    """Whether each of these is signed; so it is where no signature is needed."""
    return not os.path.lexists(guard.ONLY_SIGNED) or all(
        _is_signed(ledger, approval) for approval in used
    )


def _is_signed(ledger: Ledger, approval: Approval) -> bool:
    """Whether the signed answer of the approval's question gives just this approval."""
    waiting = ledger.question(approval.question) if approval.signed else None
    if waiting is None:
        return False
    question = waiting.question
    try:
        said = verified(approval.signed)
        made = granted(question, said.answer, approval.at)
    except ExecPolicyError:
        return False
    if said.answer.question != question.id or said.digest != digest_of(question):
        return False
    if not said.at - CLOCKS <= approval.at.wall <= question.until.wall:
        return False
    return any(_is_same(approval, one) for one in made)


def _is_same(approval: Approval, made: Approval) -> bool:
    """Whether they open the same; of one that counts its uses some may be gone."""
    bounds = approval.bounds
    most, left = made.bounds.uses, bounds.uses
    if (most is None) is not (left is None) or (left or 0) > (most or 0):
        return False
    return approval.reach == made.reach and bounds.replace(uses=most) == made.bounds


def _parts(given: str) -> tuple[str, str]:
    text, mark, rest = given.partition(_ARMOUR)
    if not mark or len(given) > MAX_BYTES:
        raise SignatureError("not a signed answer: `execpolicy approve --sign KEY` makes one")
    return text, mark + rest


def _read(text: str) -> Signed:
    try:
        said = json.loads(text)
        life = Life.parse(said["answer"])
        answer = Answer(
            str(said["question"]),
            life,
            seconds=_number(said["seconds"]),
            uses=None if said["uses"] is None else int(said["uses"]),
            feedback=None if said["because"] is None else str(said["because"]),
            again=said["again"] is True,
        )
        return Signed(answer, str(said["digest"]), float(said["at"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SignatureError("the text before the signature is not an answer") from error


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _unsafe() -> str:
    """Why the list of keys cannot be believed; empty where the administrator alone writes it."""
    try:
        for path in (os.path.dirname(guard.SIGNERS), guard.SIGNERS):
            status = os.lstat(path)
            if status.st_uid != 0 or status.st_mode & 0o022:
                return f"`{path}` must belong to root, and be written by root alone"
    except OSError:
        return f"no key may sign answers: `{guard.SIGNERS}` lists them (ssh-keygen(1))"
    return ""


def _program() -> str:
    found = shutil.which("ssh-keygen", path=_PATH)
    if found is None:
        raise SignatureError("there is no `ssh-keygen`: install OpenSSH's client")
    return found


def _keygen(action: str, *words: str, text: str = "") -> str:
    """What `ssh-keygen -Y` prints; nothing where it fails."""
    command = [_program(), "-Y", action, "-f", guard.SIGNERS, *words]
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""

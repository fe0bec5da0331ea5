"""Signed answers: what counts, and what is refused and noted."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.approvals import signatures
from execpolicy.commands import notifying, replying
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.engine.audit import log_path
from execpolicy.model.approval import Life, Question
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store.ledger import guard
from execpolicy.store.ledger.ledger import APPROVED, REFUSED, Ledger
from execpolicy.store.log_lines import newest
from tests.approvals.test_left import call, left, passes, project, waiting

__all__ = ["project"]

pytestmark = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None or os.geteuid() != 0,
    reason="NOT TESTED: no ssh-keygen, or no list of keys that root alone may write",
)


def key(path: Path) -> Path:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(path)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    return path


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A key that may sign answers."""
    system = tmp_path / "etc"
    system.mkdir(mode=0o755)
    made = key(tmp_path / "mine")
    signers = system / "signers"
    signers.write_text(f"me {made.with_suffix('.pub').read_text()}")
    monkeypatch.setattr(guard, "SIGNERS", str(signers))
    monkeypatch.setattr(guard, "ONLY_SIGNED", str(system / "only-signed"))
    return made


@pytest.fixture
def only(mine: Path) -> Path:
    """The same where no other answer is kept."""
    Path(guard.ONLY_SIGNED).touch()
    return mine


def signed(question: Question, by: Path, life: Life = Life.ONCE, at: float | None = None) -> str:
    answer = replying.answer_to(question, life)
    text = signatures.statement(question, answer, question.at.wall if at is None else at)
    return signatures.sign(text, str(by))


def refused() -> list[str]:
    with Ledger.open() as ledger:
        assert ledger.broken() is None
        return [event.data for event in ledger.events() if event.kind == REFUSED]


def test_a_signed_answer_lets_the_call_pass_once(project: Path, only: Path) -> None:
    question = left(project, "git push")
    replying.answer_signed(signed(question, only))
    assert passes(project, "git push")
    assert not passes(project, "git push")


def test_by_the_command_line(
    project: Path, only: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = left(project, "git push").code
    assert run(dispatch, ["approve", "--sign", str(only), code]) == ExitCode.ALLOW
    assert "approved: git push" in capfd.readouterr().out
    assert passes(project, "git push")
    code = left(project, "git push --tags").code
    assert run(dispatch, ["approve", "--statement", code]) == ExitCode.ALLOW
    given = tmp_path / "given"
    given.write_text(signatures.sign(capfd.readouterr().out, str(only)))
    assert run(dispatch, ["approve", "--signed", str(given)]) == ExitCode.ALLOW
    assert passes(project, "git push --tags")


def test_a_signature_may_give_what_holds_for_good(
    project: Path, mine: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = left(project, "npm publish").code
    assert run(dispatch, ["approve", "--always", "--sign", str(mine), code]) == ExitCode.ALLOW
    assert '+prefix_rule(["npm", "publish"]' in capfd.readouterr().out
    assert passes(project, "npm publish")
    assert passes(project, "npm publish")


Wrong = Callable[[Question, Path, Path], str]


def changed(question: Question, mine: Path, _other: Path) -> str:
    return signed(question, mine).replace('"answer": "once"', '"answer": "user"')


def of_another(question: Question, mine: Path, _other: Path) -> str:
    return signed(question.replace(request="ls"), mine)


def elsewhere(question: Question, mine: Path, _other: Path) -> str:
    text = signatures.statement(question, replying.answer_to(question, Life.ONCE), 0.0)
    words = ["ssh-keygen", "-Y", "sign", "-q", "-n", "git", "-f", str(mine)]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
    return text + done.stdout


WRONG: dict[str, tuple[Wrong, str]] = {
    "foreign": (lambda q, _mine, other: signed(q, other), "no key of"),
    "changed": (changed, "the signature is not of this answer"),
    "of another question": (of_another, "the question is another one now"),
    "for another purpose": (elsewhere, "the signature is not of this answer"),
    "cut off": (lambda q, mine, _other: signed(q, mine)[:-60], "no key of"),
    "without a signature": (lambda q, m, _o: signed(q, m).split("-----")[0], "not a signed answer"),
    "empty": (lambda *_: "", "not a signed answer"),
    "no statement": (lambda *_: "{}\n-----BEGIN SSH SIGNATURE-----\n", "is not an answer"),
}  # fmt: skip


@pytest.mark.parametrize("way", WRONG)
def test_what_is_wrong_is_refused_and_noted(
    way: str, project: Path, only: Path, tmp_path: Path
) -> None:
    question = left(project, "git push")
    make, why = WRONG[way]
    with pytest.raises(ExecPolicyError, match=why):
        replying.answer_signed(make(question, only, key(tmp_path / "other")))
    assert any(why in data for data in refused())
    shown = next(newest(log_path()))
    assert (shown["signature"], shown["reason"]) == ("refused", refused()[-1])
    assert shown["question"] in ("", question.code)
    assert waiting() == [question]
    assert not passes(project, "git push")


def test_a_signature_is_good_for_one_answer(project: Path, only: Path) -> None:
    given = signed(left(project, "git push"), only)
    replying.answer_signed(given)
    assert passes(project, "git push")
    left(project, "git push")
    with pytest.raises(ExecPolicyError, match="waits"):
        replying.answer_signed(given)
    assert len(refused()) == 1
    assert not passes(project, "git push")


@pytest.mark.parametrize("by", ["terminal", "user", "signed:me", "reviewer:x"])
def test_no_other_answer_is_kept_where_only_signed_ones_are(
    by: str, project: Path, only: Path
) -> None:
    """Whoever calls what `approve` calls, or writes the ledger's file, has no signature."""
    replying.answer(left(project, "git push"), Life.ONCE, by=by)
    assert not passes(project, "git push")


@pytest.mark.parametrize("life", [Life.ONCE, Life.SESSION])
def test_a_signature_is_good_for_what_was_signed(life: Life, project: Path, only: Path) -> None:
    """An approval that somebody writes into the ledger, with the signature of another one."""
    replying.answer_signed(signed(left(project, "git push origin a"), only, life))
    with Ledger.open() as ledger:
        (mine,) = ledger.every()
    question = left(project, "git push origin b")
    made = replying.answer(question, life).approvals[0]
    forged = [
        made.replace(id="1" * 16, signed=mine.signed),
        made.replace(id="2" * 16, signed=mine.signed, question=mine.question),
        made.replace(id="3" * 16, signed=mine.signed, question=mine.question, at=mine.at),
        mine.replace(id="4" * 16, reach=made.reach),
        mine.replace(id="5" * 16, reach=made.reach, bounds=made.bounds.replace(uses=99)),
    ]
    for approval in forged:
        with Ledger.open() as ledger, ledger.writing():
            ledger.approve(approval, mine.at.wall)
        assert not passes(project, "git push origin b")
    assert passes(project, "git push origin a")


def test_nor_for_longer(project: Path, only: Path) -> None:
    replying.answer_signed(signed(left(project, "git push"), only))
    with Ledger.open() as ledger:
        (mine,) = ledger.every()
        ledger.revoke([mine.id], 0.0)
        later = mine.at.after(25 * 3600.0)
        assert mine.bounds.until is not None
        bounds = mine.bounds.replace(until=mine.bounds.until.after(25 * 3600.0))
        for number, approval in enumerate(
            (mine.replace(bounds=bounds), mine.replace(bounds=bounds, at=later))
        ):
            with ledger.writing():
                ledger.approve(approval.replace(id=f"{number}" * 16), 0.0)
    assert not passes(project, "git push")


def test_the_list_of_keys_is_the_administrators(project: Path, mine: Path) -> None:
    given = signed(left(project, "git push"), mine)
    os.chmod(guard.SIGNERS, 0o666)  # noqa: S103
    with pytest.raises(ExecPolicyError, match="written by root alone"):
        replying.answer_signed(given)


def test_the_notify_command_hands_a_signature_on(
    project: Path, home: Path, only: Path, tmp_path: Path
) -> None:
    """As a phone does: it gets what is to be signed, and gives it back signed."""
    program = home / "tell"
    sign = f"ssh-keygen -Y sign -q -n execpolicy -f {only}"
    program.write_text(
        "#!/usr/bin/env python3\nimport json, subprocess, sys\n"
        "text = json.load(sys.stdin)['statements']['once']\n"
        f"done = subprocess.run({sign.split()!r}, input=text, text=True, capture_output=True)\n"
        "print(json.dumps({'signed': text + done.stdout}))\n"
    )
    program.chmod(0o700)
    question = left(project, "git push")
    settings = home / ".config/execpolicy"
    settings.mkdir(parents=True)
    (settings / "config.toml").write_text(f'notify = "{program}"\n')
    notifying.main(question.id)
    assert passes(project, "git push")


def test_who_signed_is_in_the_ledger(project: Path, mine: Path) -> None:
    replying.answer_signed(signed(left(project, "git push"), mine))
    with Ledger.open() as ledger:
        (event,) = [event for event in ledger.events() if event.kind == APPROVED]
    assert "signed:me" in event.data
    assert "approved by signed:me" in call(project, "git push")

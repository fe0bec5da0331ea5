"""`execpolicy learn`: the fewest rules that settle most of what a log asks."""

import os
import sys
from _collections_abc import Iterator, Mapping, Sequence

from execpolicy.commands.arguments import Kind, OptionSyntax, Syntax, Takes, counted, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.policy_sources import load
from execpolicy.commands.proving import side
from execpolicy.commands.replay import LOG_OPTIONS, ReplayedLog, read_log
from execpolicy.model.errors import UsageError, printable
from execpolicy.places.disk import Disk
from execpolicy.prove.side import command
from execpolicy.replay.judge import Judge
from execpolicy.replay.learn import write
from execpolicy.replay.learn.holdout import halves, measure
from execpolicy.replay.learn.learner import Learned, Learner
from execpolicy.replay.learn.proof import NEVER, prove
from execpolicy.replay.learn.rules import with_rules
from execpolicy.replay.learn.write import examples_of
from execpolicy.replay.unused import unused
from execpolicy.support.record import Value

SYNTAX = Syntax(
    "learn",
    (
        OptionSyntax(("-o",), "output", Takes("file", Kind.FILE, ending=".rules")),
        OptionSyntax(("--most",), "most", Takes("number")),
        OptionSyntax(("--holdout",), "holdout"),
        OptionSyntax(("--no-proof",), "proof", value=False),
        *LOG_OPTIONS,
    ),
    Takes("file", Kind.FILE),
)
DAYS_UNUSED = 90


def main(arguments: Sequence[str]) -> ExitCode:
    """Write the rules. PROMPT where the set is not proved, ERROR where nothing could be read."""
    parsed = parse(SYNTAX, arguments)
    fields = parsed.fields
    most = str(fields.get("most", "20"))
    if not most.isdecimal() or not int(most):
        raise UsageError(f"`--most` takes a number of rules, not `{printable(most, 20)}`")
    if {"holdout", "output"} <= fields.keys():
        raise UsageError("`--holdout` writes no rules: leave out `-o`")
    log = read_log(parsed.operands, fields)
    sys.stderr.writelines(f"{line}\n" for line in log.unknown())
    if log.is_unread:
        return ExitCode.ERROR
    judge = log.judge(str(fields.get("rules", "layers")))
    found = _found(log, judge, int(most), fields)
    if "holdout" in fields:
        sys.stdout.writelines(f"{line}\n" for line in _holdout(log, judge, found))
        return found.code
    return _written(log, judge, found, fields)


class _Found(Value):
    """What was learned and from which calls, and what to say of the proof."""

    learned: Learned
    learner: Learner
    code: ExitCode = ExitCode.ALLOW
    told: str = ""


def _found(log: ReplayedLog, judge: Judge, most: int, fields: Mapping[str, object]) -> _Found:
    """Learn, and leave out what is not proved."""
    calls = halves(log.calls)[0] if "holdout" in fields else log.calls
    learner = Learner(judge, calls, Disk())
    learned = learner.learn(most)
    if fields.get("proof") is False:  # `--no-proof`
        return _Found(learned, learner)
    return _proved(judge, _Found(learned, learner), log.field)


def _holdout(log: ReplayedLog, judge: Judge, made: _Found) -> Iterator[str]:
    unseen = Learner(judge, halves(log.calls)[1], Disk())
    found = measure(made.learned, made.learner, unseen)
    if made.told:
        yield made.told
    yield f"calls that ask, by `{log.field}`: {found.seen} in the sessions that were learned from,"
    yield f"{found.unseen} in those that were not"
    yield "rules   settled   of those unseen"
    for row in found.rows:
        shares = [_share(row.seen, found.seen), _share(row.unseen, found.unseen)]
        yield f"{row.rules:5}  {shares[0]:>8}  {shares[1]:>16}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _written(
    log: ReplayedLog, judge: Judge, found: _Found, fields: Mapping[str, object]
) -> ExitCode:
    learned = found.learner.split(found.learned)
    catalogue = with_rules(judge.snapshot, learned.rules).catalogue
    text = write.text(learned, log.calls, log.field, catalogue)
    notes = [
        f"{counted(len(learned.steps), 'rule')} settle {learned.settled} of"
        f" {counted(learned.asked, 'call')} that ask ({_share(learned.settled, learned.asked)})"
    ]
    notes += [found.told] if found.told else []
    notes += _unused(judge, log)
    if "output" in fields:
        path = str(fields["output"])
        name = os.path.basename(path)
        _write(path, text)
        _write(f"{path}_test", write.cases(_cases(judge, learned), name))
    else:
        sys.stdout.write(text)
    sys.stderr.writelines(f"{note}\n" for note in notes)
    return found.code


def _proved(judge: Judge, found: _Found, field: str) -> _Found:
    """The same without the words of which it is not proved that they let nothing more pass."""
    learned, learner = found.learned, found.learner
    what = f"{', '.join(NEVER[:-1])} or {NEVER[-1]}"
    proof = prove(judge.snapshot, learned.rules, side, field)
    kept = proof.without(learned.rules)
    if kept is None:
        listed = "; ".join(printable(each, 100) for each in (*proof.loosened, *proof.unknown)[:6])
        return found.replace(code=ExitCode.PROMPT, told=f"not proved for {what}: {listed}")
    if kept != learned.rules:
        learned = learner.again(learned, kept)
    return _Found(learned, learner, told=f"proved no looser for what has the effect {what}")


def _cases(judge: Judge, learned: Learned) -> Iterator[tuple[tuple[str, ...], str]]:
    """Commands that the rules name, as they are decided with the shipped rules and these."""
    snapshot = with_rules(load("-"), learned.rules)
    judged = side(snapshot).judge
    for rule in learned.rules:
        for words in examples_of(rule, snapshot.catalogue):
            yield words, judged(command(words)).decision.word


def _unused(judge: Judge, log: ReplayedLog) -> Iterator[str]:
    """Rules in force that nothing in the log's last days used, where it goes back so far."""
    for origin in unused(judge, log.calls, DAYS_UNUSED):
        yield f"{printable(origin, 100)}: nothing used this rule in {DAYS_UNUSED} days"


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)

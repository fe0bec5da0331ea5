"""`execpolicy approvals`: show what was approved, take it back, write it out."""

import os
import sys
from collections.abc import Sequence

from execpolicy.commands.arguments import Kind, OptionSyntax, Syntax, Takes, one_of, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.approval import REQUEST, Approval, Moment
from execpolicy.model.errors import UsageError, printable
from execpolicy.store.ledger.codec import unpack
from execpolicy.store.ledger.ledger import Ledger
from execpolicy.support.record import Value

ACTIONS = ("list", "revoke", "export")
SYNTAX = Syntax(
    "approvals",
    (
        OptionSyntax(("--json",), "json"),
        OptionSyntax(("--all",), "everything"),
        OptionSyntax(("--session",), "session", Takes("session")),
        OptionSyntax(("--project",), "project", Takes("directory", Kind.DIRECTORY)),
    ),
    Takes("action", Kind.OPEN, ACTIONS),
)


class ApprovalsOptions(Value):
    """What the command line says."""

    action: str = "list"
    ids: tuple[str, ...] = ()
    json: bool = False
    everything: bool = False
    session: str | None = None
    project: str | None = None


def main(arguments: Sequence[str]) -> ExitCode:
    """Do it. Raises `LedgerError` where the ledger is not to be believed."""
    parsed = parse(SYNTAX, arguments)
    action, *ids = parsed.operands or ("list",)
    options = _valid(ApprovalsOptions(action, tuple(ids), **parsed.fields))  # type: ignore[arg-type]
    try:
        with Ledger.open() as ledger:
            return _done(ledger, options)
    except FileNotFoundError:
        if action == "list" and not options.json:
            print("no approvals")
        return _revoked((), options) if action == "revoke" else ExitCode.ALLOW


def _valid(options: ApprovalsOptions) -> ApprovalsOptions:
    if options.action not in ACTIONS:
        shown = printable(options.action, 40)
        raise UsageError(f"unknown action `{shown}`: use {one_of(ACTIONS)}")
    if options.ids and options.action != "revoke":
        raise UsageError(f"`{options.action}` takes no names")
    chosen = bool(options.ids) + bool(options.session or options.project) + options.everything
    if options.action == "revoke" and chosen != 1:
        raise UsageError("say what to revoke: names, `--session`, `--project` or `--all`")
    if options.action == "revoke" and options.json:
        raise UsageError("`revoke` takes no `--json`")
    if options.action == "export" and (chosen or options.json):
        raise UsageError("`export` takes no options: it writes everything")
    return options


def _done(ledger: Ledger, options: ApprovalsOptions) -> ExitCode:
    from execpolicy.approvals.clock import now

    moment, code = now(), ExitCode.ALLOW
    if options.action == "export":
        _export(ledger)
    elif options.action == "revoke":
        chosen = [a.id for a in ledger.every() if _takes(a, options)]
        ledger.revoke(chosen, moment.wall)
        code = _revoked(chosen, options)
    else:
        _list(ledger.every(), moment, options)
    broken = ledger.broken()
    if broken is None:
        return code
    print(
        f"the chain of events is broken at {broken}: the ledger was edited",
        file=sys.stderr,
    )
    return ExitCode.ERROR


def _list(approvals: Sequence[Approval], moment: Moment, options: ApprovalsOptions) -> None:
    lines = [
        _line(approval, moment, over, options.json)
        for approval, over in ((a, _is_over(a, moment)) for a in approvals)
        if _takes(approval, options) and (options.everything or not over)
    ]
    if not lines and not options.json:
        lines = ["no approvals"]
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _revoked(ids: Sequence[str], options: ApprovalsOptions) -> ExitCode:
    """Say how many approvals were taken back, and which names are none. ERROR if any is none."""
    print(f"{len(ids)} taken back")
    unknown = [f"`{printable(name, 40)}`" for name in options.ids if name not in ids]
    if unknown:
        advice = "`execpolicy approvals --all` lists them"
        print(f"execpolicy: no approval {one_of(unknown)} ({advice})", file=sys.stderr)
    return ExitCode.ERROR if unknown else ExitCode.ALLOW


def _takes(approval: Approval, options: ApprovalsOptions) -> bool:
    bounds = approval.bounds
    if options.ids:
        return approval.id in options.ids
    if options.session and not is_of(approval, options.session):
        return False
    return options.project is None or os.path.realpath(options.project) == bounds.project


def is_of(approval: Approval, session: str) -> bool:
    """Whether an approval is for the session with this id of the host's."""
    name = approval.bounds.session
    return name is not None and session in unpack(name)[:2]


def _is_over(approval: Approval, now: Moment) -> bool:
    until = approval.bounds.until
    return until is not None and now.passed(until, approval.at)


def _line(approval: Approval, now: Moment, over: bool, as_json: bool) -> str:
    fields = _fields(approval, now, over)
    if as_json:
        from execpolicy.support.json_encode import encode

        return encode(fields)
    left = "over" if over else f"{fields['seconds']} s left" if fields["seconds"] else "no end"
    uses = f", {fields['uses']} uses" if fields["uses"] is not None else ""
    where = fields["project"] or "any project"
    return printable(
        f"{approval.id}  {_coverage(approval)}  in {where}  {left}{uses}  {approval.by}"
    )


def _fields(approval: Approval, now: Moment, over: bool) -> dict[str, object]:
    bounds, reach = approval.bounds, approval.reach
    seconds = None if bounds.until is None else max(0, int(bounds.until.wall - now.wall))
    more = {n: getattr(reach, n) for n in type(reach).__fields__}
    return {
        "id": approval.id,
        "by": approval.by,
        "project": bounds.project,
        "session": bounds.session,
        "scope": bounds.scope,
        "confinement": bounds.confinement.name.lower(),
        "seconds": seconds,
        "uses": bounds.uses,
        "over": over,
        "reach": {name: value for name, value in more.items() if value not in ("", (), None)},
    }


def _coverage(approval: Approval) -> str:
    """What it covers, in words."""
    reach = approval.reach
    if reach.kind == REQUEST:
        return "one call, when it is made again"
    if reach.exact:
        return f"one command, as it was asked ({reach.exact[:12]})"
    if reach.prefix:
        return f"`{' '.join(reach.prefix)} …` ({', '.join(reach.effects)})"
    if reach.path:
        return f"{' and '.join(reach.modes)} `{reach.path}`{' and below' if reach.under else ''}"
    return f"{reach.protocol} to {reach.host}"


def _export(ledger: Ledger) -> None:
    from execpolicy.support.json_encode import encode

    for event in ledger.events():
        fields = {name: getattr(event, name) for name in type(event).__fields__}
        sys.stdout.write(encode(fields) + "\n")

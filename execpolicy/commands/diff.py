"""`execpolicy diff`: what other rules would decide otherwise."""

import sys
from _collections_abc import Iterator, Sequence

from execpolicy.commands.arguments import (
    RULES,
    Kind,
    Needs,
    OptionSyntax,
    Parsed,
    Syntax,
    Takes,
    counted,
    parse,
)
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.engine.engine import Engine
from execpolicy.model.errors import Diagnostic, PolicyError, RequestError, UsageError, printable
from execpolicy.store.snapshot import Snapshot

FIELDS = ("decision", "confined")


_PROVES = (Needs("prove", (True,)),)
SYNTAX = Syntax(
    "diff",
    (
        OptionSyntax(("--prove",), "prove"),
        OptionSyntax(("--equal",), "equal", needs=_PROVES),
        OptionSyntax(("--against",), "against", Takes("revision"), needs=_PROVES),
        OptionSyntax(("--field",), "field", Takes("field", Kind.WORD, FIELDS), needs=_PROVES),
        OptionSyntax(("--no-builtin",), "builtin", value=False),
    ),
    RULES,
)


def main(arguments: "Sequence[str]") -> ExitCode:
    """Print what is decided otherwise. ERROR if anything is."""
    parsed = parse(SYNTAX, arguments)
    builtin = "builtin" not in parsed.fields
    if "against" in parsed.fields:
        return _proved_against(str(parsed.fields["against"]), parsed, builtin)
    if len(parsed.operands) != 2:
        raise UsageError("give two rules files: the old one and the new one")
    if "prove" in parsed.fields:
        from execpolicy.commands.policy_sources import load

        old, new = (load(each, builtin) for each in parsed.operands)
        return _prove((old, new), parsed)
    return _compare(parsed.operands, builtin)


def _proved_against(revision: str, parsed: "Parsed", builtin: bool) -> ExitCode:
    from execpolicy.commands.policy_sources import against

    if not parsed.operands:
        raise UsageError("give the rules files to compare")
    return _prove(against(revision, parsed.operands, builtin), parsed)


def _prove(snapshots: "tuple[Snapshot, Snapshot]", parsed: "Parsed") -> ExitCode:
    """FORBIDDEN if the new policy is looser, or other where it should be equal; PROMPT where that
    cannot be told."""
    from execpolicy.commands.proving import side
    from execpolicy.commands.render.proof import comparison_lines
    from execpolicy.prove.compare import compare

    field = parsed.fields.get("field")
    fields = (str(field),) if field else FIELDS
    old, new = map(side, snapshots)
    proofs = [compare(old, new, fields)]
    if "equal" in parsed.fields:
        proofs.append(compare(new, old, fields).reversed())
    print("\n".join(comparison_lines(*proofs)))
    if any(proof.witnesses for proof in proofs):
        return ExitCode.FORBIDDEN
    return ExitCode.PROMPT if any(proof.unknown for proof in proofs) else ExitCode.ALLOW


def _compare(paths: "Sequence[str]", builtin: bool) -> ExitCode:
    old, new = _loaded(paths, builtin)
    commands = (line.rstrip("\r\n") for line in sys.stdin)
    different = total = 0
    for line in _compared(old, new, commands):
        total += 1
        different += bool(line)
        sys.stdout.write(line)
    print(f"{counted(total, 'command')}, {different} decided otherwise")
    return ExitCode.ERROR if different else ExitCode.ALLOW


def _loaded(paths: "Sequence[str]", builtin: bool) -> list[Engine]:
    """An engine for each file. Raises `PolicyError` with the problems of all of them."""
    engines: list[Engine] = []
    problems: list[Diagnostic] = []
    for path in paths:
        try:
            engines.append(Engine.load([path], builtin=builtin))
        except PolicyError as error:
            problems += error.diagnostics
    if problems:
        raise PolicyError(tuple(problems))
    return engines


def _compared(old: Engine, new: Engine, commands: "Iterator[str]") -> "Iterator[str]":
    """For each command what changes, or an empty text."""
    for command in filter(str.strip, commands):
        try:
            before, after = old.check(command), new.check(command)
        except RequestError as error:
            yield f"{printable(command, 200)}\n  {error}\n"
            continue
        if before.decision is after.decision:
            yield ""
        else:
            shown = printable(command, 200)
            first = f"  - {before.decision.word}: {before.reason}\n"
            yield f"{shown}\n{first}  + {after.decision.word}: {after.reason}\n"

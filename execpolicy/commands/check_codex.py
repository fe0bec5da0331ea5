"""`check --format codex`: rules alone, printed and judged as `codex execpolicy check` does.

No layers, no catalogue, no unwrapping. The exit code is 0 whatever the decision, 1 for a policy
that cannot be used, 2 for a wrong command line.
"""

import json
import sys

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.options import CODEX_USAGE, CheckOptions
from execpolicy.language.builtins.examples import absolute
from execpolicy.language.limits import MAX_BYTES
from execpolicy.model.errors import PolicyError, UsageError
from execpolicy.model.rule import PrefixRule
from execpolicy.policy.policy import Policy
from execpolicy.store.compiled.compiler import compile_files
from execpolicy.store.sources.files import read_rules


def main(options: CheckOptions) -> ExitCode:
    """Print the rules that match, as JSON."""
    if not options.rules:
        raise UsageError("`--rules FILE` is required", CODEX_USAGE)
    if not options.argv:
        raise UsageError("a command is required", CODEX_USAGE)
    files = tuple(read_rules("user", path, MAX_BYTES) for path in options.rules)
    compiled = compile_files(files, codex=True)
    problems = tuple(d for c in compiled for d in c.diagnostics)
    if problems:
        raise PolicyError(problems)
    policy = Policy(r for c in compiled for r in c.rules)
    reply = evaluate(policy, options.argv, options.resolve)
    indent = 2 if options.pretty else None
    separators = None if options.pretty else (",", ":")
    sys.stdout.write(json.dumps(reply, ensure_ascii=False, indent=indent, separators=separators))
    sys.stdout.write("\n")
    return ExitCode.ALLOW


def evaluate(policy: Policy, argv: tuple[str, ...], resolve: bool) -> "dict[str, object]":
    """The object that Codex prints for these words."""
    program = ""
    matched = policy.matching(argv)
    if not matched and resolve:
        program, matched = policy.resolved(argv, absolute)
        argv = (program.rpartition("/")[2], *argv[1:])
    reply: dict[str, object] = {"matchedRules": [_match(r, argv, program) for r in matched]}
    if matched:
        reply["decision"] = max(r.decision for r in matched).word
    return reply


def _match(rule: PrefixRule, argv: tuple[str, ...], program: str) -> "dict[str, object]":
    match: dict[str, object] = {
        "matchedPrefix": list(argv[: len(rule.pattern)]),
        "decision": rule.decision.word,
    }
    if program:
        match["resolvedProgram"] = program
    if rule.justification is not None:
        match["justification"] = rule.justification
    return {"prefixRuleMatch": match}

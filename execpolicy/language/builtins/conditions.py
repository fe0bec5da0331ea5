"""The arguments of `prefix_rule` that say more than its words: effects, places, hosts."""

import re
from collections.abc import Mapping

from execpolicy.language.builtins.arguments import normal_host
from execpolicy.language.builtins.signature import strings
from execpolicy.language.calls import Plain
from execpolicy.language.problems import Reporter
from execpolicy.model.decision import Decision
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import ANY_INPUT, BASES, CONFIGURED, INPUT_DIGEST, Conditions

NAMES = ("effects", "options", "places", "hosts", "stdin")
_DIGEST = re.compile("[0-9a-f]{64}")
_INSTEAD = {
    "places": "a `path_rule` decides about paths, whatever program names them",
    "hosts": "a `network_rule` decides about hosts, whatever program reaches them",
    "stdin": "such a rule holds whatever the program reads",
}


def conditions_of(
    given: Mapping[str, Plain], decision: Decision, report: Reporter
) -> Conditions | None:
    """The conditions of a call, None where it has none. What is wrong with them is reported."""
    if not any(given.get(name) for name in NAMES):
        return None
    found = Conditions(
        _known("effects", given, EFFECTS, report),
        _options(given, report),
        _known("places", given, BASES, report),
        _hosts(given, report),
        _inputs(given, report),
    )
    _fitting(found, decision, bool(given.get("exact")), report)
    return found


def _listed(name: str, given: Mapping[str, Plain], report: Reporter) -> tuple[str, ...]:
    found = strings(given.get(name, []))
    if found is None:
        report("condition", f"`{name}` must hold strings only", at=name)
    return tuple(dict.fromkeys(found or ()))


def _known(
    name: str, given: Mapping[str, Plain], known: tuple[str, ...], report: Reporter
) -> tuple[str, ...]:
    found = _listed(name, given, report)
    for word in found:
        if word not in known:
            hint = "write some of " + ", ".join(f"`{each}`" for each in known)
            report("condition", f"unknown {name[:-1]} `{word}` in `{name}`", hint, word)
    return found


def _options(given: Mapping[str, Plain], report: Reporter) -> tuple[str, ...]:
    found = _listed("options", given, report)
    for word in found:
        if word[:1] not in ("-", "+") or word in ("-", "--", "+") or "=" in word:
            hint = "write it as the program's manual does, without its value: `--force`, `-f`"
            report("condition", f"`{word}` in `options` is not an option", hint, word)
    return found


def _hosts(given: Mapping[str, Plain], report: Reporter) -> tuple[str, ...]:
    found = []
    for word in _listed("hosts", given, report):
        try:
            found.append(word if word == CONFIGURED else normal_host(word))
        except ValueError as error:
            is_wildcard = word[:1] == "*"
            why = "it is a wildcard" if is_wildcard else str(error)
            wide = "; a `network_rule` takes wildcards" if is_wildcard else ""
            hint = f"write a bare host name, or `{CONFIGURED}`{wide}"
            report("condition", f"invalid host `{word}` in `hosts`: {why}", hint, word)
    return tuple(found)


def _inputs(given: Mapping[str, Plain], report: Reporter) -> tuple[str, ...]:
    found = _listed("stdin", given, report)
    for word in found:
        digits = word.removeprefix(INPUT_DIGEST)
        if word != ANY_INPUT and not (word != digits and _DIGEST.fullmatch(digits)):
            hint = f"write `{INPUT_DIGEST}` and the 64 hexadecimal digits, or `{ANY_INPUT}`"
            report("condition", f"`{word}` in `stdin` is not a digest of a text", hint, word)
    return found


def _fitting(found: Conditions, decision: Decision, exact: bool, report: Reporter) -> None:
    """Report conditions that do not go with the decision or with each other."""
    if decision is Decision.ALLOW:
        if found.options:
            hint = "name the option in `pattern`, or what it does in `effects`"
            report("condition", "`options` has no meaning in an allow rule", hint, "options")
        if "unknown" in found.effects and not exact:
            message = "`unknown` is lifted only with `exact = True`"
            hint = "what other words do is not known: name the whole command"
            report("condition", message, hint, "unknown")
        return
    for name, instead in _INSTEAD.items():
        if getattr(found, name):
            message = f"`{name}` has no meaning in a rule that says {decision.word}"
            report("condition", message, instead, name)

"""A verdict as the JSON that programs read (`grammar/verdict.schema.json` describes it)."""

from execpolicy.catalogue.services import lacking
from execpolicy.model.operation import Access, Assign, Connect, Exec, Operation, Word
from execpolicy.model.rule import Origin
from execpolicy.model.verdict import Amendment, JudgedOperation, Match, Verdict

SCHEMA = "execpolicy.verdict/1"


def to_wire(verdict: Verdict, request_id: object = None) -> "dict[str, object]":
    """The verdict as a JSON object. `request_id` is given back as `id` if there is one."""
    wire: dict[str, object] = {"schema": SCHEMA}
    if request_id is not None:
        wire["id"] = request_id
    wire["decision"] = verdict.decision.word
    wire["confined"] = verdict.confined.word
    if verdict.backend:
        wire["backend"] = verdict.backend
    wire["reason"] = verdict.reason
    missing = lacking(verdict)
    if missing:
        wire["lacking"] = list(missing)
    wire["operations"] = operations_to_wire(verdict)
    wire["floor"] = verdict.floor
    wire["amendment"] = _amendment(verdict.amendments)
    if verdict.instead:
        wire["instead"] = verdict.instead
    wire["policy"] = {"digest": verdict.digest, "layers": list(verdict.layers)}
    return wire


def operations_to_wire(verdict: Verdict) -> "list[dict[str, object]]":
    """Each operation of the verdict with its matches, as JSON objects."""
    return [_judged(judged) for judged in verdict.operations]


def _judged(judged: JudgedOperation) -> "dict[str, object]":
    wire = _operation(judged.operation)
    if judged.place:
        wire["place"] = judged.place
    wire["decision"] = judged.decision.word
    wire["confined"] = judged.confined.word
    wire["matches"] = [_match(m) for m in judged.matches]
    return wire


def _operation(operation: Operation) -> "dict[str, object]":
    wire: dict[str, object]
    if isinstance(operation, Exec):
        wire = {"kind": "exec", "argv": [_word(w) for w in operation.argv]}
        if operation.env:
            wire["env"] = {
                a.name: None if a.value is None else _word(a.value) for a in operation.env
            }
    elif isinstance(operation, Access):
        wire = {"kind": "access", "path": _word(operation.path), "mode": operation.mode}
    elif isinstance(operation, Connect):
        wire = {"kind": "connect", "host": _word(operation.host), "protocol": operation.protocol}
    elif isinstance(operation, Assign):
        wire = {"kind": "assign", "name": operation.assignment.name}
    else:
        wire = {"kind": "opaque", "text": operation.text}
    if operation.via:
        wire["via"] = list(operation.via)
    return wire


def _word(word: Word) -> "str | dict[str, str]":
    return word if isinstance(word, str) else {"dynamic": word.source}


def _match(match: Match) -> "dict[str, object]":
    wire: dict[str, object] = {"source": match.source, "decision": match.decision.word}
    wire["confined"] = match.in_sandbox.word
    if match.prefix:
        wire["matched_prefix"] = list(match.prefix)
    if match.justification is not None:
        wire["justification"] = match.justification
    if match.effects:
        wire["effects"] = list(match.effects)
    if match.places:
        wire["places"] = list(match.places)
    if match.undo:
        wire["undo"] = True
    wire["why"] = match.why
    if match.origin is not None:
        wire["origin"] = _origin(match.origin)
    return wire


def _origin(origin: Origin) -> "dict[str, object]":
    return {"layer": origin.layer, "file": origin.file, "line": origin.line}


def _amendment(amendments: tuple[Amendment, ...]) -> "dict[str, object] | None":
    """The proposal: its first rule's pattern, and all its rules as text, one a line."""
    if not amendments:
        return None
    rules = "\n".join(a.rule for a in amendments)
    grants = [a.grants for a in amendments]
    return {"pattern": list(amendments[0].pattern), "rule": rules, "grants": grants}

"""Questions as JSON text. Only asking and answering read them, never a plain decision."""

from execpolicy.model.approval import Confinement, Moment, Question, Reach


def encode(question: Question) -> str:
    """A question as one line of JSON."""
    import json

    return json.dumps(as_dict(question), separators=(",", ":"), ensure_ascii=False)


def as_dict(question: Question) -> "dict[str, object]":
    """A question as JSON has it."""
    fields = {name: getattr(question, name) for name in type(question).__fields__}
    for name in ("at", "until"):
        moment = fields[name]
        fields[name] = [moment.wall, moment.running, moment.boot]
    fields["confinement"] = question.confinement.name
    fields["reaches"] = [[_reach(reach) for reach in widths] for widths in question.reaches]
    return fields


def _reach(reach: Reach) -> "dict[str, object]":
    every = {name: getattr(reach, name) for name in type(reach).__fields__}
    return {name: value for name, value in every.items() if value not in ("", (), False, None)}


def decode(text: str) -> Question:
    """The question again. Raises `ValueError` for a text that is not valid."""
    import json

    fields = json.loads(text)
    try:
        for name in ("at", "until"):
            fields[name] = Moment(*fields[name])
        fields["confinement"] = Confinement[fields["confinement"]]
        fields["reaches"] = tuple(tuple(map(_read_reach, widths)) for widths in fields["reaches"])
        fields["prefixes"] = tuple(map(tuple, fields["prefixes"]))
        for name in ("asking", "parents", "marked"):
            fields[name] = tuple(fields.get(name, ()))
        return Question(**fields)
    except (KeyError, TypeError) as error:
        raise ValueError("a question is damaged") from error


def _read_reach(given: "dict[str, object]") -> Reach:
    fields = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    return Reach(**fields)  # type: ignore[arg-type]

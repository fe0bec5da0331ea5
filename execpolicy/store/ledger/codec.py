"""Approvals as text: every field with its length, so that nothing in one can pass for another.

A process that asks pays for reading these; importing `json` would cost it more.
"""

from _collections_abc import Iterable

from execpolicy.model.approval import Approval, Bounds, Confinement, Moment, Reach


def pack(parts: "Iterable[str | None]") -> str:
    """The parts as one text.

    >>> pack(["ab", None, ""])
    '2:ab-0:'
    """
    return "".join("-" if part is None else f"{len(part)}:{part}" for part in parts)


def unpack(text: str) -> tuple[str | None, ...]:
    """The parts again. Raises `ValueError` for a text that is not valid.

    >>> unpack("2:ab-0:")
    ('ab', None, '')
    """
    found: list[str | None] = []
    at = 0
    while at < len(text):
        if text[at] == "-":
            found.append(None)
            at += 1
            continue
        colon = text.index(":", at)
        end = colon + 1 + int(text[at:colon])
        if end > len(text) or not text[at:colon].isdigit():
            raise ValueError("a part is cut off")
        found.append(text[colon + 1 : end])
        at = end
    return tuple(found)


def encode(approval: Approval) -> str:
    """An approval as text, without the digest of its event."""
    reach, bounds = approval.reach, approval.bounds
    return pack(
        (
            approval.id,
            approval.by,
            approval.question,
            approval.policy,
            _moment(approval.at),
            pack(_reach(reach)),
            bounds.confinement.name,
            bounds.session,
            bounds.project,
            bounds.scope,
            _moment(bounds.until),
            _number(bounds.uses),
            *([approval.signed] if approval.signed else []),
        )
    )


def decode(text: str, event: str = "") -> Approval:
    """The approval again. Raises `ValueError` for a text that is not valid."""
    name, by, question, policy, at, reach, confinement, *bound = unpack(text)
    session, project, scope, until, uses, *signed = bound
    made = _instant(at)
    if made is None:
        raise ValueError("an approval has no time")
    bounds = Bounds(
        _confinement(confinement),
        session,
        project,
        scope,
        _instant(until),
        None if uses is None else int(uses),
    )
    found = _decode_reach(_text(reach))
    texts = (_text(by), made, _text(question), _text(policy))
    signature = _text(signed[0]) if signed else ""
    return Approval(_text(name), found, bounds, *texts, event, signature)


def _reach(reach: Reach) -> tuple[str | None, ...]:
    lists = (reach.prefix, reach.effects, reach.places, reach.modes)
    texts = (reach.kind, reach.exact, reach.path, reach.host, reach.protocol)
    return (*texts, *map(pack, lists), "1" if reach.under else "", _number(reach.port))


def _decode_reach(text: str) -> Reach:
    kind, exact, path, host, protocol, prefix, effects, places, modes, under, port = unpack(text)
    return Reach(
        _text(kind),
        _text(exact),
        _texts(prefix),
        _texts(effects),
        _texts(places),
        _text(path),
        under == "1",
        _texts(modes),
        _text(host),
        _text(protocol),
        None if port is None else int(port),
    )


def _texts(text: str | None) -> tuple[str, ...]:
    return tuple(map(_text, unpack(_text(text))))


def _text(text: str | None) -> str:
    if text is None:
        raise ValueError("a part is missing")
    return text


def _confinement(name: str | None) -> Confinement:
    for one in Confinement:
        if one.name == name:
            return one
    raise ValueError("a confinement is not known")


def _number(number: int | None) -> str | None:
    return None if number is None else str(number)


def _moment(moment: Moment | None) -> str | None:
    if moment is None:
        return None
    return pack((repr(moment.wall), repr(moment.running), moment.boot))


def _instant(text: str | None) -> Moment | None:
    if text is None:
        return None
    wall, running, boot = unpack(text)
    return Moment(float(_text(wall)), float(_text(running)), _text(boot))

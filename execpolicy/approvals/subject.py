"""An operation as approvals see it: where it really happens, and the one key of all of it."""

from _collections_abc import Iterable

from execpolicy.model.approval import ACCESS, CONNECT, EXEC, Confinement, Moment, Reach
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Connect, Exec, Operation, Request
from execpolicy.model.verdict import JudgedOperation, Verdict
from execpolicy.policy.network_hosts import PORTS
from execpolicy.store.ledger.codec import unpack
from execpolicy.support import digest
from execpolicy.support.record import Value


class Subject(Value):
    """Where an operation really happens.

    `directories` are the real ones it may run in, none where that cannot be told. `path` is the
    real place of a path that is accessed, or None. `stamps` are digests of the files of the
    workspace that it executes. `planted`: the program itself is in a place where agents write, so
    that its name says nothing. `context` is the whole request where that decides which of several
    directories it is (`cd a && make`), and empty elsewhere.
    """

    directories: tuple[str, ...] = ()
    path: str | None = None
    stamps: tuple[str, ...] = ()
    context: str = ""
    planted: bool = False


class Here(Value):
    """Who asks, where and when. `subjects` stand beside the judged operations of the verdict."""

    now: Moment
    project: str | None = None
    session: str | None = None
    parents: tuple[str, ...] = ()
    scope: str | None = None
    confinement: Confinement = Confinement.NONE
    subjects: tuple[Subject, ...] = ()


def exact(judged: JudgedOperation, subject: Subject) -> str:
    """The digest of an operation with everything about it: kind, words, assignments, input, way in,
    directory, the files it executes, and what asked.

    Every list is digested on its own, so that no two operations share a key by how they are joined.
    """
    operation = judged.operation
    parts = [_kind(operation), _many(subject.directories), subject.context, _many(operation.via)]
    if isinstance(operation, Exec):
        words = _many(w for w in operation.argv if isinstance(w, str))
        env = _many(f"{a.name}={a.value}" for a in operation.env)
        stdin = operation.stdin if isinstance(operation.stdin, str) else None
        parts += [words, env, _many(() if stdin is None else (stdin,)), _many(operation.fed_by)]
    elif isinstance(operation, Access):
        parts += [subject.path or "", operation.mode, operation.extent, str(operation.source or "")]
    elif isinstance(operation, Connect):
        parts += [plain_host(operation), operation.protocol]
    asked = (m for m in judged.matches if m.decision is Decision.PROMPT)
    signs = [_many((m.source, *m.effects, "", *m.places, "", *m.prefix)) for m in asked]
    return _many((*parts, _many(subject.stamps), _many(signs)))


def whole_key(request: Request, verdict: Verdict, here: Here) -> str:
    """The digest of a request with everything about it: the same for a call that a host makes again
    in the project, whatever its session, while the rules and the files it executes are the same."""
    host = unpack(here.session)[0] if here.session is not None else None
    asked = (request.text or "", repr(request.argv), repr(request.operations), request.shell or "")
    where = (request.cwd or "", host or "", here.project or "", here.confinement.name)
    return _many((*asked, *where, repr(here.subjects), verdict.digest))


def _many(texts: "Iterable[str]") -> str:
    return digest.of_parts(text.encode("utf-8", "surrogatepass") for text in texts)


def _kind(operation: Operation) -> str:
    if isinstance(operation, Exec):
        return EXEC
    if isinstance(operation, Access):
        return ACCESS
    return CONNECT if isinstance(operation, Connect) else "other"


def plain_host(operation: Connect) -> str:
    """The host in the form in which names are compared; empty where it is computed."""
    host = operation.host
    return host.rstrip(".").lower() if isinstance(host, str) else ""


def plain_port(operation: Connect) -> int | None:
    """The port that is reached: the one that is written, else that of the protocol."""
    return PORTS.get(operation.protocol) if operation.port is None else operation.port


def narrowest(judged: JudgedOperation, subject: Subject) -> Reach | None:
    """The reach that covers just this operation; None where it is not known where it happens, or
    where it removes a directory: what lies in it later was not approved."""
    operation = judged.operation
    if isinstance(operation, Access):
        wide = operation.extent not in ("file", "names")
        if subject.path is None or operation.source is not None:
            return None
        if wide and operation.mode == "remove":
            return None
        return Reach(ACCESS, path=subject.path, under=wide, modes=(operation.mode,))
    if isinstance(operation, Connect):
        host = plain_host(operation)
        port = plain_port(operation)
        return Reach(CONNECT, host=host, protocol=operation.protocol, port=port) if host else None
    if not isinstance(operation, Exec) or not subject.directories:
        return None
    return Reach(EXEC, exact=exact(judged, subject))

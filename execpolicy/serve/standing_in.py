"""One thread of this process stands in for another process while it decides for that one.

A decision reads the environment, the current directory and the parent by the functions of `os`.
For this thread they give what the client sent. What it did not send raises `UnsentError`, and is
noted: a decision that was caught by something on the way is not given all the same.
"""

import os
import threading
from collections.abc import Iterator, MutableMapping
from functools import lru_cache

from execpolicy.places.steering import may_lead
from execpolicy.serve.inputs import BASES, Process, confined, is_sent, namespaces, root


def fields_of(process: object, version: object) -> dict[str, object]:
    """The fields of a process that says no more of itself, as `/proc` has them, but for what it
    changed of its environment since it began. Raises `OSError`, `ValueError`, `KeyError` where one
    cannot be told."""
    if type(process) is not int:
        raise ValueError("not the number of a process")
    directory = f"/proc/{process}"
    status = _read(f"{directory}/status")
    lines = dict(line.split(b":", 1) for line in status.split(b"\n") if line.startswith(_NAMED))
    ids = [int(each) for name in (b"Uid", b"Gid") for each in lines[name].split()[:2]]
    cwd = os.readlink(f"{directory}/cwd")
    if root(cwd) != root(f"{directory}/cwd"):
        raise ValueError("the directory is not at its path")
    environment: dict[str, str] = {}
    for entry in _read(f"{directory}/environ").decode().split("\0"):
        name, found, value = entry.partition("=")
        if found:
            environment.setdefault(name, value)
    return {
        "version": version,
        "user": [*ids, *sorted(map(int, lines[b"Groups"].split()))],
        "namespaces": namespaces(str(process)),
        "root": root(f"{directory}/root"),
        "confined": confined(status),
        "bases": [environment.get(name) for name in BASES],
        "cwd": cwd,
        "parent": int(lines[b"PPid"]),
        "names": [*environment],
        "values": {name: value for name, value in environment.items() if _is_sent(name)},
    }


_NAMED = (b"PPid:", b"Uid:", b"Gid:", b"Groups:")
_is_sent = lru_cache(1024)(is_sent)


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


class UnsentError(LookupError):
    """A decision depends on something that the client did not send."""


class _Standing(threading.local):
    """The process that this thread stands in for; none by default."""

    client: "Client | None" = None


class Client(MutableMapping[str, str]):
    """The environment of a process of which the names are known, and some of the values.

    `unsent` names what a decision asked for that was not sent.
    """

    def __init__(self, process: Process) -> None:
        self.process = process
        self.unsent: list[str] = []
        self._values = dict(process.values)

    @property
    def led(self) -> list[str]:
        """What was not sent of that which leads programs somewhere: most decisions ask for it."""
        return [n for n in self.process.names if n not in self._values and may_lead(n)]

    def __getitem__(self, name: str) -> str:
        try:
            return self._values[name]
        except KeyError:
            if name in self.process.names:
                self.unsent.append(name)
                raise UnsentError(f"the value of `{name}` was not sent") from None
            raise

    def get(self, name: str, default: object = None) -> object:  # type: ignore[override]
        """The value; an unsent one raises, where the default would be a wrong answer."""
        return self[name] if name in self.process.names else default

    def __contains__(self, name: object) -> bool:
        return name in self.process.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.process.names)

    def __len__(self) -> int:
        return len(self.process.names)

    def __setitem__(self, name: str, _value: str) -> None:
        raise TypeError(f"nothing changes the environment of a client: `{name}`")

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"nothing changes the environment of a client: `{name}`")


_standing = _Standing()


class _Environment(MutableMapping[str, str]):
    """`os.environ`: that of the client for a thread that stands in for one."""

    def __init__(self, real: MutableMapping[str, str]) -> None:
        self.real = real

    @property
    def _now(self) -> MutableMapping[str, str]:
        return _standing.client if _standing.client is not None else self.real

    def __getitem__(self, name: str) -> str:
        return self._now[name]

    def get(self, name: str, default: object = None) -> object:  # type: ignore[override]
        """The value, or the default where there is no such variable."""
        return self._now.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._now

    def __iter__(self) -> Iterator[str]:
        return iter(self._now)

    def __len__(self) -> int:
        return len(self._now)

    def __setitem__(self, name: str, value: str) -> None:
        self._now[name] = value

    def __delitem__(self, name: str) -> None:
        del self._now[name]

    def copy(self) -> dict[str, str]:
        """All variables, as `os.environ.copy` gives them."""
        return dict(self.real if _standing.client is None else _standing.client)


class Installed:
    """While this is entered, threads of this process may stand in for clients."""

    def __enter__(self) -> "Installed":
        self._before = os.environ, os.getcwd, os.getppid
        environ, getcwd, getppid = self._before

        def here() -> str:
            client = _standing.client
            return getcwd() if client is None else client.process.cwd

        def above() -> int:
            client = _standing.client
            return getppid() if client is None else client.process.parent

        os.environ = _Environment(environ)  # type: ignore[assignment]  # noqa: B003
        os.getcwd, os.getppid = here, above
        return self

    def __exit__(self, *_error: object) -> None:
        os.environ, os.getcwd, os.getppid = self._before


class For:
    """This thread stands in for a client while this is entered."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __enter__(self) -> Client:
        _standing.client = self._client
        return self._client

    def __exit__(self, *_error: object) -> None:
        _standing.client = None

"""The files of a host that may hold our items: which one does, and how all of them are to be.

A host may read the same hooks from a second file beside the first. Ours stand in one of the two:
where they are already, else where the user keeps hooks, else in the first.
"""

from execpolicy.hosts.install import hooks, host_file, jsonc, start_words, toml
from execpolicy.hosts.install.host import Host
from execpolicy.model.errors import ExecPolicyError
from execpolicy.support.record import Value


class Place(Value):
    """A file and its text, None where there is no file."""

    file: str
    text: str | None

    @property
    def is_toml(self) -> bool:
        """Whether it is TOML; all others are JSON."""
        return self.file.endswith(".toml")


class Change(Value):
    """A file as it is and as it is to be; None stands for no file."""

    file: str
    before: str | None
    after: str | None


def places(host: Host, scope: str, root: str) -> list[Place]:
    """Each file that may hold our items. Raises `ExecPolicyError` for one that is not a text."""
    first = host_file.path(host, scope, root)
    files = [first] if not host.beside else [first, host_file.beside(first, host.beside)]
    return [Place(file, host_file.read(file)) for file in files]


def table(found: Place) -> "dict[str, object]":
    """What a file says. Raises `ExecPolicyError` for a text that is not understood."""
    if found.text is None:
        return {}
    if found.is_toml:
        return toml.values(found.text)
    if not found.text.strip():
        return {}
    value = jsonc.parse(found.text).value
    if not isinstance(value, dict):
        raise ExecPolicyError("it is not a JSON object")
    return value


def commands(host: Host, found: Place) -> list[str]:
    """The command lines of our items in a file."""
    if found.text is None or host.plugin:
        return _plugin(host, found.text)
    if found.is_toml:
        return [item.command for item in toml.items(table(found), host)]
    return hooks.commands(found.text, host) if found.text.strip() else []


def _plugin(host: Host, text: str | None) -> list[str]:
    words = start_words.plugin_words(text or "")
    return [hooks.command_line(host, words)] if words else []


def installing(
    host: Host, scope: str, root: str, program: tuple[str, ...], strict: bool
) -> list[Change]:
    """What is to change so that our items stand, in one file. Raises `ExecPolicyError`."""
    found = places(host, scope, root)
    if host.plugin:
        return [Change(found[0].file, found[0].text, start_words.plugin(program))]
    chosen = _chosen(host, found)
    changes = [Change(chosen.file, chosen.text, _with(host, chosen, program, strict))]
    doubled = (p for p in found if p is not chosen and commands(host, p))
    return [*changes, *(Change(p.file, p.text, _without(host, p)) for p in doubled)]


def removing(host: Host, scope: str, root: str) -> list[Change]:
    """What is to change so that our items are gone. Raises `ExecPolicyError`."""
    first, *more = places(host, scope, root)
    if host.plugin or first.text is None:
        changes = [Change(first.file, first.text, None)]
    else:
        changes = [Change(first.file, first.text, _without(host, first))]
    found = [Change(p.file, p.text, _without(host, p)) for p in more if _holds(host, p)]
    return [c for c in changes if c.before != c.after or not found] + found


def _holds(host: Host, found: Place) -> bool:
    try:
        return bool(commands(host, found))
    except ExecPolicyError as error:
        raise _unchanged(found, error) from None


def _chosen(host: Host, found: list[Place]) -> Place:
    first, *more = found
    ours = [p for p in found if _holds(host, p)] if more else []
    if len(ours) == 1:
        return ours[0]
    return next((p for p in more if toml.others(table(p), host)), first)


def _with(host: Host, found: Place, program: tuple[str, ...], strict: bool) -> str:
    try:
        if found.is_toml:
            return toml.installed(found.text or "", host, program, strict)
        return hooks.installed(found.text, host, program, strict)
    except ExecPolicyError as error:
        raise _unchanged(found, error) from None


def _without(host: Host, found: Place) -> str | None:
    """The text without our items; None where the file has nothing else."""
    before = found.text or ""
    try:
        after = (toml if found.is_toml else hooks).removed(before, host)
        # A comment is something of the user's, also where nothing else is left.
        mark = "#" if found.is_toml else "/"
        empty = mark not in after and table(Place(found.file, after)) in ({}, host.base)
    except ExecPolicyError as error:
        raise _unchanged(found, error) from None
    return None if empty and after != before else after


def _unchanged(found: Place, error: ExecPolicyError) -> ExecPolicyError:
    return ExecPolicyError(f"`{found.file}` is left as it is: {error}")

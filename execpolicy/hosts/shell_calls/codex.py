"""Codex's shell: the command alone, or after the session's snapshot with some variables put back.

Recorded from 0.169.0 and 0.171.0, whose texts are the same; the variables differ. The text has 340
lines: only those with words that differ are read by the grammar, and the whole is written again.
"""

import re
from _collections_abc import Iterator, Sequence

from execpolicy.hosts.shell_calls.call import CallRole, HostDirectories, ShellCall
from execpolicy.hosts.shell_calls.own_texts import values as own_values
from execpolicy.hosts.shell_calls.tree import argument, commands, is_below, literal, quoted, values
from execpolicy.shell.syntax.tree import SimpleCommand, Word

_SNAPSHOT = re.compile(r"[0-9a-f-]{36}\.[0-9]+\.sh", re.ASCII)
_NEW = re.compile(r"([0-9a-f-]{36})\.tmp-([0-9]+)", re.ASCII)
_OVERRIDE, _PROXY = "__CODEX_SNAPSHOT_OVERRIDE", "__CODEX_SNAPSHOT_PROXY_OVERRIDE"
_ACTIVE = "CODEX_NETWORK_PROXY_ACTIVE"


def read(argv: "Sequence[str]", places: HostDirectories) -> ShellCall | None:
    """The call: `-lc` and the command, or `-c` and the text that puts variables back."""
    if len(argv) != 3 or argv[1] not in ("-c", "-lc"):
        return None
    if argv[1] == "-lc":
        role = CallRole.MODEL if own_values(argv[2]) is None else CallRole.OWN
        return ShellCall("codex", role, argv[0], argv[2], ("-l",))
    parts = argv[2].split("\n\n", 3)
    if len(parts) != 4:
        return _trying(argv, commands(argv[2]), places)
    kept, proxies = (tuple(_kept(parts[0], prefix)) for prefix in (_OVERRIDE, _PROXY))
    sourced, path = _sourced(parts[1]), _path(parts[2].rpartition("\n")[2])
    run = [value for each in commands(parts[3])[:1] for value in values(each)]
    if not _is_snapshot(sourced, places) or not all(is_below(p, places.program) for p in path):
        return None
    if len(run) != 4 or run[:3] != ["exec", argv[0], "-c"] or run[3] is None:
        return None
    if argv[2] != _text(sourced or "", kept, proxies, path, (argv[0], run[3])):
        return None
    return ShellCall(
        *("codex", CallRole.MODEL, argv[0], run[3]),
        snapshot=sourced or "",
        path=path,
        kept=(*kept, *proxies),
    )


def _trying(
    argv: "Sequence[str]", found: "list[SimpleCommand]", places: HostDirectories
) -> ShellCall | None:
    """The call that tries whether a new snapshot can be read, before it gets its name.

    Codex itself has written that file from what its text before printed.
    """
    path = literal(argument(found[-1], ".")) if len(found) == 2 else None
    directory, _, name = (path or "").rpartition("/")
    match = _NEW.fullmatch(name)
    is_there = bool(places.state) and directory == f"{places.state}/shell_snapshots"
    if path is None or match is None or not is_there or argv[2] != f'set -e; . "{path}"':
        return None
    made = f"{directory}/{match[1]}.{match[2]}.sh"
    return ShellCall("codex", CallRole.OWN, argv[0], argv[2], writes=(path,), made=made)


def _is_snapshot(path: str | None, places: HostDirectories) -> bool:
    directory, _, name = (path or "").rpartition("/")
    is_there = bool(places.state) and directory == f"{places.state}/shell_snapshots"
    return is_there and _SNAPSHOT.fullmatch(name) is not None


def _kept(text: str, prefix: str) -> "Iterator[str]":
    """The variables whose values are kept under names with this prefix, in their order."""
    pattern = re.compile(rf'{prefix}_[0-9]+="\$\{{([A-Za-z_][A-Za-z_0-9]*)-\}}"', re.ASCII)
    for line in text.split("\n"):
        if match := pattern.fullmatch(line):
            yield match[1]


def _sourced(text: str) -> str | None:
    """The file that a text reads first."""
    return next((literal(argument(each, ".")) for each in commands(text) if each.words), None)


def _path(line: str) -> tuple[str, ...]:
    """The directory that a line puts before those of PATH, if it does."""
    set_to = (
        literal(given.value)
        for command in commands(line)
        for given in command.words
        if not isinstance(given, Word) and given.name == "PATH"
    )
    return tuple(value for value in set_to if value is not None)[:1]


def _text(
    snapshot: str,
    kept: tuple[str, ...],
    proxies: tuple[str, ...],
    path: tuple[str, ...],
    run: tuple[str, str],
) -> str:
    """The text that Codex makes of these."""
    lines = [*_keep(kept, _OVERRIDE), *_keep(proxies, _PROXY)]
    if proxies:
        lines.append(f'__CODEX_SNAPSHOT_PROXY_ENV_SET="${{{_ACTIVE}+x}}"')
    lines += ["", f"if . {quoted(snapshot)} >/dev/null 2>&1; then :; fi", ""]
    lines += _put_back(kept, _OVERRIDE)
    if proxies:
        lines.append(
            'if [ -n "$__CODEX_SNAPSHOT_PROXY_ENV_SET" ] || [ -n "${' + _ACTIVE + '+x}" ]; then'
        )
        lines += [*_put_back(proxies, _PROXY), "fi"]
    for each in map(quoted, path):
        before = f'if [ -n "${{PATH:-}}" ]; then export PATH={each}:"$PATH"; '
        lines.append(f"{before}else export PATH={each}; fi")
    return "\n".join((*lines, "", f"exec {quoted(run[0])} -c {quoted(run[1])}"))


def _keep(names: tuple[str, ...], prefix: str) -> "Iterator[str]":
    for number, name in enumerate(names):
        yield f'{prefix}_SET_{number}="${{{name}+x}}"'
        yield f'{prefix}_{number}="${{{name}-}}"'


def _put_back(names: tuple[str, ...], prefix: str) -> "Iterator[str]":
    for number, name in enumerate(names):
        was, value = f"{prefix}_SET_{number}", f"{prefix}_{number}"
        yield f'if [ -n "${{{was}}}" ]; then'
        yield (
            f'  if [ -z "${{{name}+x}}" ] || [ "${{{name}-}}" != "${{{value}}}" ]; '
            f'then export {name}="${{{value}}}"; else export {name}; fi'
        )
        yield f"else builtin unset {name} 2>/dev/null || command unset {name}; fi"
        yield f"builtin unset {was} {value} 2>/dev/null || command unset {was} {value}"

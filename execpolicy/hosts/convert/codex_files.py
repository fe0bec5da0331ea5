"""The file policy in a configuration of Codex as path rules: `[permissions]`, and the older form.

A profile of `[permissions.NAME.filesystem]` maps paths to `read`, `write` and `none` (`deny`), with
`default_permissions` naming the profile in force; the older form is `sandbox_mode` with
`[sandbox_workspace_write]`. There the deepest entry decides, and here the strictest rule, so an
entry that gives back what one around it takes away is left out, and reported.
(openai/codex, `codex-rs/protocol/src/permissions.rs`)
"""

import os
from collections.abc import Iterator

from execpolicy.hosts.install import host_file
from execpolicy.hosts.permissions.files import home, parsed_toml
from execpolicy.model.split import WORKSPACE, FileAccess
from execpolicy.store.line import quoted
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

Table = dict[str, object]

_PROJECT = (":project_roots", ":workspace_roots", ":cwd")
_TEMPORARY = {":tmpdir": "/tmp", ":slash_tmp": "/tmp", ":tmp": "/tmp"}  # noqa: S108
_CHANGING = '["write", "remove"]'


class FileEntry(Value):
    """One entry: a pattern of a path rule without its end, what may be done, and where it stood."""

    path: str
    access: FileAccess
    source: str


def entries(scope: str, root: str) -> tuple[list[FileEntry], list[str]]:
    """The entries in force for `user` or `project`, and remarks about what is not a valid entry.

    Raises `ExecPolicyError` for a file that cannot be read: a refusal in it would be lost.
    """
    folder = os.environ.get("CODEX_HOME") or home(".codex")
    file = os.path.join(os.path.join(root, ".codex") if scope == "project" else folder, _NAME)
    found = list(_entries(file, parsed_toml(file, host_file.read(file))))
    known = [each for each in found if isinstance(each, FileEntry)]
    return known, [each for each in found if isinstance(each, str)]


_NAME = "config.toml"


def rules(found: list[FileEntry]) -> tuple[list[tuple[FileEntry, str]], list[str]]:
    """A rule for each entry that one can say, and in words what became of the others."""
    lines: list[tuple[FileEntry, str]] = []
    remarks: list[str] = []
    tight = [entry for entry in found if _tightens(entry, found)]
    for entry in found:
        stricter = [
            other for other in tight if other.access > entry.access and _holds(other, entry)
        ]
        if entry.path == "/":
            if entry.access is not FileAccess.READ:
                remarks.append(f"{entry.source}: left out: no rule should be about every path")
        elif entry in tight:
            none = entry.access is FileAccess.NONE
            decision, modes = ("forbidden", "") if none else ("prompt", _CHANGING)
            lines.append((entry, _line(entry, decision, modes)))
        elif entry.access is FileAccess.WRITE and stricter:
            remarks.append(
                f"{entry.source}: left out: `{stricter[0].path}` around it is stricter, and here"
                " the strictest rule decides"
            )
        elif entry.access is FileAccess.WRITE:
            lines.append((entry, _line(entry, "allow", '["write"]')))
    return lines, remarks


def _tightens(entry: FileEntry, found: list[FileEntry]) -> bool:
    """Whether an entry takes something away: all, or writing where the one around it lets write.

    A rule for all that is not named would forbid the machine, so there is none.
    """
    if entry.path == "/" or entry.access is FileAccess.WRITE:
        return False
    around = [other for other in found if other.path != entry.path and _holds(other, entry)]
    nearest = max(around, key=lambda other: (other.path != "/", len(other.path)), default=None)
    writable = nearest is not None and nearest.access is FileAccess.WRITE
    return writable or entry.access is FileAccess.NONE


def _holds(outer: FileEntry, inner: FileEntry) -> bool:
    """Whether one entry is about all that another is about."""
    one, other = outer.path.rstrip("/") or "/", inner.path.rstrip("/") or "/"
    if one == "/":
        return True
    return one[0] == other[0] and below(other, one)


def _line(entry: FileEntry, decision: str, modes: str) -> str:
    path = entry.path.rstrip("/") or "/"
    fixed = "*" not in path and path != "."
    paths = [f"{path.rstrip('/')}/*"] if path in (".", "/") else [path]
    paths += [f"{path}/*"] if fixed and path != "/" else []
    listed = ", ".join(map(quoted, paths))
    more = f", modes = {modes}" if modes else ""
    why = f"codex: `{entry.access.word}`"
    reason = "" if decision == "allow" else f", justification = {quoted(why)}"
    return f'path_rule([{listed}]{more}, decision = "{decision}"{reason})'


def _entries(file: str, table: Table) -> Iterator[FileEntry | str]:
    profiles, name = table.get("permissions"), table.get("default_permissions")
    profile = profiles.get(name) if isinstance(profiles, dict) and isinstance(name, str) else None
    if isinstance(profile, dict):
        source = f"{file}: permissions.{name}.filesystem"
        listed = profile.get("filesystem")
        yield from _listed(source, listed if isinstance(listed, dict) else {})
    elif isinstance(name, str) and not name.startswith(":"):
        yield f"{file}: there are no permissions called `{name}`"
    elif table.get("sandbox_mode") == WORKSPACE:
        yield from _legacy(file, table.get("sandbox_workspace_write"))
    elif isinstance(profiles, dict) and profiles:
        yield f"{file}: no `default_permissions` says which permissions are in force"


def _legacy(file: str, table: object) -> Iterator[FileEntry | str]:
    """The workspace, the temporary directory and the roots that are named."""
    said = table if isinstance(table, dict) else {}
    source = f"{file}: sandbox_mode"
    yield FileEntry(".", FileAccess.WRITE, source)
    if said.get("exclude_slash_tmp") is not True:
        yield FileEntry("/tmp", FileAccess.WRITE, source)  # noqa: S108
    roots = said.get("writable_roots")
    for path in roots if isinstance(roots, list) else ():
        yield _entry(f"{file}: writable_roots", str(path), "write")


def _listed(source: str, table: Table) -> Iterator[FileEntry | str]:
    for path, said in table.items():
        if isinstance(said, dict):
            for below_it, word in said.items():
                whole = path if below_it == "." else f"{path}/{below_it}"
                yield _entry(source, whole, str(word))
        else:
            yield _entry(source, path, str(said))


def _entry(source: str, path: str, word: str) -> FileEntry | str:
    """The entry with its path as a path rule has it, or why there is none."""
    where = f"{source} `{path}`"
    try:
        access = FileAccess.parse(word)
    except ValueError as error:
        return f"{where}: {error}"
    name, slash, rest = path.partition("/")
    if name in _PROJECT:
        path = f"./{rest}" if rest else "."
    elif name == ":root":
        path = "/" + rest
    elif name in _TEMPORARY:
        path = _TEMPORARY[name] + slash + rest
    elif name[:1] == ":":
        return f"{where}: left out: only codex knows what it is"
    if not path.startswith(("/", "~/", "./")) and path != ".":
        return f"{where}: left out: it is a relative path"
    if ".." in path.split("/") or "[" in path or "{" in path:
        return f"{where}: left out: no rule can express the path"
    return FileEntry(path, access, where)

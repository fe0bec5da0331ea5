"""Our items in the text of a host's TOML configuration: put in, found, taken out.

An edit is tried in the ways that touch the least of the text, and the first is taken whose values,
as `tomllib` reads them, are the old ones with our change and nothing else, and which loses no
comment.
"""

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from execpolicy.hosts.install import hooks
from execpolicy.hosts.install.host import ALL, FORMER, ConfigurationItem, Host
from execpolicy.model.errors import ExecPolicyError
from execpolicy.support.record import Value

Table = dict[str, object]
Edit = Callable[[Table], None]


class Item(Value):
    """A hook of ours: its event, its place in the event's list, its group and itself."""

    event: str
    group: int
    handler: int
    around: Table
    hook: Table

    @property
    def command(self) -> str:
        """The command line of the hook."""
        return str(self.hook["command"])


def values(text: str) -> Table:
    """What the text says. Raises `ExecPolicyError` with line and column."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExecPolicyError(str(error).lower()) from None


def items(table: Table, host: Host) -> Iterator[Item]:
    """The hooks of ours in a configuration, of JSON or TOML."""
    for entry in host.entries:
        for group, around in _numbered(at(table, entry.path)):
            for handler, hook in _numbered(around.get("hooks")):
                command = hook.get("command")
                if isinstance(command, str) and hooks.is_ours(command, host.name):
                    yield Item(entry.path[-1], group, handler, around, hook)


def others(table: Table, host: Host) -> bool:
    """Whether a configuration carries hooks that are not ours."""
    events = table.get("hooks")
    ours = Counter(item.event for item in items(table, host))
    for event, groups in events.items() if isinstance(events, dict) else ():
        found = sum(1 for _, group in _numbered(groups) for _ in _numbered(group.get("hooks")))
        if found > ours[event]:
            return True
    return False


def installed(text: str, host: Host, program: Sequence[str], strict: bool = False) -> str:
    """The text with our items in it; the same text if they are there."""
    command = hooks.command_line(host, program)
    for entry in host.entries:
        ours = _ours(values(text), host, entry)
        if ours is None:
            text = _added(text, entry, _table(hooks.filled(entry.item, command, host, strict)))
        elif ours.command != command or _is_former(ours):
            text = _updated(text, entry, ours, command)
        text = _in_time(text, host, entry)
        while len(more := _all(values(text), host, entry)) > 1:  # it would run twice
            text = _without(text, entry, more[-1])
    return text


def removed(text: str, host: Host) -> str:
    """The text without our items, and without what is empty then."""
    for entry in host.entries:
        while ours := _ours(values(text), host, entry):
            text = _without(text, entry, ours)
    return text


def _ours(table: Table, host: Host, entry: ConfigurationItem) -> Item | None:
    return next(iter(_all(table, host, entry)), None)


def _all(table: Table, host: Host, entry: ConfigurationItem) -> list[Item]:
    return [item for item in items(table, host) if item.event == entry.path[-1]]


def _added(text: str, entry: ConfigurationItem, item: Table) -> str:
    def edit(table: Table) -> None:
        *way, last = entry.path
        for key in way:
            table = _table(table.setdefault(key, {}))
        _list(table.setdefault(last, [])).append(item)

    newline = _newline(text)
    end = "" if not text or text.endswith("\n") else newline
    gap = newline if text else ""
    appended = text + end + gap + _block(entry.path, item, newline)
    return _edited(text, edit, appended)


def _updated(text: str, entry: ConfigurationItem, ours: Item, command: str) -> str:
    former = _is_former(ours)

    def edit(table: Table) -> None:
        groups = _list(at(table, entry.path))
        _list(groups[ours.group]["hooks"])[ours.handler]["command"] = command
        if former:
            groups[ours.group]["matcher"] = ALL

    after = text.replace(_line("command", ours.command), _line("command", command), 1)
    if former:
        after = after.replace(_line("matcher", ours.around["matcher"]), _line("matcher", ALL), 1)
    return _edited(text, edit, after)


def _in_time(text: str, host: Host, entry: ConfigurationItem) -> str:
    """The text with the time in our entry that a wait needs, where it has less."""
    ours = _ours(values(text), host, entry)
    for time, needed in hooks.times(entry.item) if host.patient and ours else ():
        assert ours is not None  # noqa: S101
        given = ours.hook.get(time)
        if isinstance(given, (int, float)) and given >= needed:
            continue

        def edit(table: Table, ours: Item = ours, time: str = time, needed: int = needed) -> None:
            group = _list(at(table, entry.path))[ours.group]
            _list(group["hooks"])[ours.handler][time] = needed

        text = _edited(text, edit)
    return text


def _is_former(ours: Item) -> bool:
    """Whether an earlier version put the hook before a list of tools."""
    inner = ours.around.get("hooks")
    alone = isinstance(inner, list) and len(inner) == 1
    return alone and ours.around.get("matcher") in FORMER


def _without(text: str, entry: ConfigurationItem, ours: Item) -> str:
    def edit(table: Table) -> None:
        *way, last = entry.path
        chain = [table]
        for key in way:
            chain.append(_table(chain[-1][key]))
        groups = _list(chain[-1][last])
        del _list(groups[ours.group]["hooks"])[ours.handler]
        if not groups[ours.group]["hooks"]:
            del groups[ours.group]
        for holder, key in zip(reversed(chain), (last, *reversed(way)), strict=True):
            if holder[key]:
                break
            del holder[key]

    newline = _newline(text)
    block = _block(entry.path, ours.around, newline)
    return _edited(text, edit, text.replace(newline + block, "", 1), text.replace(block, "", 1))


def _edited(text: str, edit: Edit, *tried: str) -> str:
    """The first of the texts that says what `edit` makes of the values, else an edited document."""
    wanted = copy.deepcopy(values(text))
    try:
        edit(wanted)
        for after in (*tried, _document(text, edit)):
            if _says(after, wanted) and not _comments(text) - _comments(after):
                return after
    except (AttributeError, IndexError, KeyError, TypeError):
        pass  # something stands where a host reads a list of tables
    raise ExecPolicyError("its `hooks` cannot be edited without a loss: edit them by hand")


def _document(text: str, edit: Edit) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        edit(document)
        return document.as_string()
    except (TOMLKitError, ValueError):
        return text


def _says(text: str, wanted: Table) -> bool:
    try:
        return values(text) == wanted
    except ExecPolicyError:
        return False


def _comments(text: str) -> Counter[str]:
    """The lines of comments. One inside of a text counts too, and stays as well."""
    return Counter(line.strip() for line in text.splitlines() if line.lstrip().startswith("#"))


def _block(path: tuple[str, ...], group: Table, newline: str) -> str:
    """A group of hooks as one writes it by hand."""
    name = ".".join(path)
    lines = [f"[[{name}]]", *(_line(k, v) for k, v in group.items() if k != "hooks")]
    for hook in _list(group["hooks"]):
        lines += ["", f"[[{name}.hooks]]", *(_line(k, v) for k, v in hook.items())]
    return "".join(line + newline for line in lines)


def _line(key: str, value: object) -> str:
    return f"{key} = {_shown(value)}"


def _shown(value: object) -> str:
    """A value as TOML has it; what is neither text, number nor truth is left to the document."""
    return json.dumps(value, ensure_ascii=False, default=repr)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _table(value: object) -> Table:
    """A table. Raises `TypeError` for anything else."""
    if not isinstance(value, dict):
        raise TypeError("not a table")
    return value


def _list(value: object) -> list[Table]:
    """A list of tables. Raises `TypeError` for anything else."""
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value


def at(table: Table, path: Sequence[str]) -> object:
    """The value at the end of these names, None where there is none."""
    value: object = table
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _numbered(groups: object) -> Iterator[tuple[int, Table]]:
    for number, group in enumerate(groups if isinstance(groups, list) else ()):
        if isinstance(group, dict):
            yield number, group

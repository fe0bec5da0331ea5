"""What an agent changed in a file of settings, key by key, and what of that is carried back.

The file is compared with the copy of the start. Keys that are data are carried into the file as it
is outside now, where it still has what it had at the start there. All others are steering.
"""

from _collections_abc import Iterator, Sequence

from execpolicy.support.record import Value

Table = dict[str, object]
Path = tuple[str, ...]
Keys = Sequence[tuple[str, ...]]

ANY = "*"


class _Nothing:
    """What is where nothing is."""

    __slots__ = ()


NOTHING = _Nothing()


class KeyChange(Value):
    """A key with what it had at the start and has in the session; `NOTHING` where it is not."""

    path: "Path"
    before: object
    after: object
    is_data: bool


class Merged(Value):
    """The file as it is to be outside, the keys that were carried, those that both sides changed
    and that stay as they are outside, and what was changed of steering."""

    table: "Table"
    carried: "tuple[Path, ...]" = ()
    conflicts: "tuple[Path, ...]" = ()
    steering: "tuple[Path, ...]" = ()


def merged(before: "Table", after: "Table", outside: "Table", keys: "Keys") -> Merged:
    """Carry what a session changed into the file as it is outside now; none of them is changed."""
    found = tuple(changes(before, after, keys))
    table = outside
    carried: list[Path] = []
    conflicts: list[Path] = []
    for change in found:
        if change.is_data and not _same(change.after, held(table, change.path)):
            fits = _same(change.before, held(table, change.path))
            made = put(table, change.path, change.after) if fits else None
            (conflicts if made is None else carried).append(change.path)
            table = table if made is None else made
    steering = tuple(change.path for change in found if not change.is_data)
    return Merged(table, tuple(carried), tuple(conflicts), steering)


def changes(before: "Table", after: "Table", keys: "Keys") -> "Iterator[KeyChange]":
    """Each key that differs: data by the depth of its pattern, steering as high as it is none."""
    return _changes(before, after, tuple(keys), ())


def _changes(before: object, after: object, keys: "Keys", path: "Path") -> "Iterator[KeyChange]":
    if _same(before, after):
        return
    is_data = any(not key for key in keys)
    inner = [key for key in keys if key]
    old, new = ({} if each is NOTHING else each for each in (before, after))
    if is_data or not inner or not (isinstance(old, dict) and isinstance(new, dict)):
        yield KeyChange(path, before, after, is_data)
        return
    for name in sorted({*old, *new}):
        rest = [key[1:] for key in inner if key[0] in (name, ANY)]
        yield from _changes(old.get(name, NOTHING), new.get(name, NOTHING), rest, (*path, name))


def _same(one: object, other: object) -> bool:
    """Whether two values of JSON are the same: `1`, `1.0` and `true` are three."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


def held(table: object, path: "Path") -> object:
    """What a table has at a path of keys, `NOTHING` where it has none."""
    for name in path:
        if not isinstance(table, dict) or name not in table:
            return NOTHING
        table = table[name]
    return table


def put(table: "Table", path: "Path", value: object) -> "Table | None":
    """The table with a value at a path of keys, or without it for `NOTHING`.

    None where something else than a table is on the way.
    """
    name, rest = path[0], path[1:]
    made = dict(table)
    if not rest:
        if value is NOTHING:
            made.pop(name, None)
        else:
            made[name] = value
        return made
    inside = table.get(name, {})
    inner = put(inside, rest, value) if isinstance(inside, dict) else None
    return None if inner is None else {**made, name: inner}

"""Frozen, slotted, comparable values: what `dataclass(frozen=True, slots=True)` gives.

Importing `dataclasses` takes longer than the rest of a `check` together, because it pulls in
`inspect`. A class of this module costs nothing until instances are made, and gets a constructor of
its own, compiled like that of a dataclass, after `COMPILE_AFTER` of them, which pay for it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self, dataclass_transform
else:

    def dataclass_transform(**_options: object) -> "Callable[[type], type]":
        """What `typing` has under this name, for which only type checkers have a use."""
        return lambda cls: cls


COMPILE_AFTER = 192
"""Instances made the slow way before a class's constructor is compiled, which takes as long as to
make half as many: a process that decides once compiles none."""


def _compile_init(cls: "_ValueType") -> None:
    """Write the class's `__init__`, which stores through each slot's descriptor, past the freeze,
    the tuple of all fields, and the copy with changes."""
    names, defaults = cls.__fields__, cls.__defaults__
    parameters = ", ".join(f"{n}=_defaults[{n!r}]" if n in defaults else n for n in names)
    body = "".join(f"\n    _set_{n}(self, {n})" for n in names) or "\n    pass"
    scope: dict[str, object] = {f"_set_{n}": getattr(cls, n).__set__ for n in names}
    scope["_defaults"], scope["_made"] = defaults, cls
    fields = "".join(f"self.{n}," for n in names)
    named = "".join(f"{n!r}: self.{n}," for n in names)
    exec(
        f"def __init__(self, {parameters}):{body}\n"
        f"def _astuple(self): return ({fields})\n"
        f"def replace(self, **changes): return _made(**{{{named} **changes}})",
        scope,
    )
    for name in ("__init__", "_astuple", "replace"):
        type.__setattr__(cls, name, scope[name])


def _completed(
    cls: "_ValueType", args: tuple[object, ...], kwargs: "dict[str, object]", given: int
) -> tuple[object, ...]:
    """The value of each field, `given` of which are `args`. Raises `TypeError` where one is
    missing, or is none."""
    rest = cls.__fields__[given:]
    values = {**cls.__defaults__, **kwargs} if kwargs else cls.__defaults__
    try:
        found = (*args, *map(values.__getitem__, rest))
    except KeyError:
        found = ()
    if len(found) != cls.__count__ or (kwargs and not kwargs.keys() <= {*rest}):
        raise TypeError(f"`{cls.__name__}` takes {', '.join(cls.__fields__)}")
    return found


@dataclass_transform(frozen_default=True)
class _ValueType(type):
    """Turns annotations into slots and defaults into constructor defaults."""

    __fields__: "tuple[str, ...]"
    __defaults__: "dict[str, object]"
    __setters__: "list[Callable[[Value, object], None]]"
    __made__: "list[None]"
    __count__: int

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: "dict[str, object]"
    ) -> "_ValueType":
        annotations = namespace.get("__annotations__")
        fields = tuple(annotations) if isinstance(annotations, dict) else ()
        defaults = {f: namespace.pop(f) for f in fields if f in namespace}
        # Lists, because to set an attribute of a class takes as long as to make a small one.
        namespace.update(
            __slots__=fields,
            __fields__=fields,
            __defaults__=defaults,
            __setters__=[],
            __made__=[],
            __count__=len(fields),
        )
        return type.__new__(mcs, name, bases, namespace)


class Value(metaclass=_ValueType):
    """A frozen record: fields from annotations, equality and hash by type and fields.

    Subclasses are not subclassed further: fields of a base are not inherited.
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        cls = type(self)
        made, setters, given = cls.__made__, cls.__setters__, len(args)
        made.append(None)
        if len(made) > COMPILE_AFTER:
            _compile_init(cls)
            self.__init__(*args, **kwargs)  # type: ignore[misc]
            return
        if not setters:
            setters[:] = [getattr(cls, name).__set__ for name in cls.__fields__]
        if given != cls.__count__ or kwargs:
            args = _completed(cls, args, kwargs, given)
        for at, store in enumerate(setters):  # `zip` takes as long as to store five fields
            store(self, args[at])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"`{type(self).__name__}` is frozen: cannot set `{name}`")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"`{type(self).__name__}` is frozen: cannot delete `{name}`")

    def _astuple(self) -> "tuple[object, ...]":
        return tuple([getattr(self, name) for name in type(self).__fields__])

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._astuple() == other._astuple()

    def __hash__(self) -> int:
        return hash((type(self), self._astuple()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{n}={getattr(self, n)!r}" for n in type(self).__fields__)
        return f"{type(self).__name__}({shown})"

    def replace(self, **changes: object) -> "Self":
        """A copy with some fields changed.

        >>> from execpolicy.model.rule import Origin
        >>> Origin("user", "a.rules", 3).replace(line=4)
        Origin(layer='user', file='a.rules', line=4)
        """
        fields = {name: getattr(self, name) for name in type(self).__fields__}
        return type(self)(**{**fields, **changes})

    def __reduce__(self) -> "tuple[type[Self], tuple[object, ...]]":
        return type(self), self._astuple()

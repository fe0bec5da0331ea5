"""Frozen, slotted, comparable values: what `dataclass(frozen=True, slots=True)` gives.

Importing `dataclasses` takes longer than the rest of a `check` together, because it pulls in
`inspect`. A class of this module costs nothing until instances are made, and gets a constructor of
its own, compiled like that of a dataclass, after `COMPILE_AFTER` of them, which pay for it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FunctionType
    from typing import Self, dataclass_transform
else:

    def dataclass_transform(**_options: object) -> "Callable[[type], type]":
        """What `typing` has under this name, for which only type checkers have a use."""
        return lambda cls: cls


COMPILE_AFTER, SOON_AFTER = 96, 16
"""Instances made the slow way before a class's constructor is compiled, which as many more pay for:
a process that decides once compiles hardly any. One that decides again compiles sooner."""
_after = COMPILE_AFTER


def compile_soon() -> None:
    """Compile constructors sooner from now on: this process makes many of most records."""
    global _after
    _after = SOON_AFTER


def _compile(cls: "_ValueType") -> None:
    """Give the class its own `__new__`, and the tuple of all fields.

    What is made is filled as one of a class that is the same but not frozen, and then becomes one
    of this class: to store past the freeze takes twice the time.
    """
    names, defaults = cls.__fields__, cls.__defaults__
    thawed = {name: getattr(object, name) for name in ("__setattr__", "__delattr__")}
    thawed["__annotations__"] = dict.fromkeys(names)
    open_class = _ValueType(cls.__name__, (Value,), thawed)
    scope = {"_new": object.__new__, "_open": open_class, "_frozen": cls}
    given = tuple([defaults[name] for name in names if name in defaults])
    make, fields = _TEMPLATES.get(len(names)) or _template(len(names))
    made = _FUNCTION(_of_fields(make, names), scope, "__new__", given)
    type.__setattr__(cls, "__new__", staticmethod(made))
    type.__setattr__(cls, "_astuple", _FUNCTION(_of_fields(fields, names), scope))


def _template(count: int) -> "tuple[CodeType, CodeType]":
    """What classes with so many fields are compiled to: they differ in the names alone, and to
    compile takes five times as long as to give other names."""
    names = [f"_{number}" for number in range(count)]
    scope: dict[str, Callable[..., object]] = {}
    exec(
        f"def __new__({', '.join(['_', *names])}):\n    _made = _new(_open)\n"
        + "".join(f"    _made.{name} = {name}\n" for name in names)
        + "    _made.__class__ = _frozen\n    return _made\n"
        + f"def _astuple(self): return ({''.join(f'self.{name},' for name in names)})",
        scope,
    )
    found = scope["__new__"].__code__, scope["_astuple"].__code__
    _TEMPLATES[count] = found
    return found


_TEMPLATES: "dict[int, tuple[CodeType, CodeType]]" = {}
_FUNCTION: "type[FunctionType]" = type(_template)  # type: ignore[assignment]


def _of_fields(code: "CodeType", names: tuple[str, ...]) -> "CodeType":
    """A template with the names of these fields."""
    named = {f"_{number}": name for number, name in enumerate(names)}
    used, own = ([named.get(n, n) for n in every] for every in (code.co_names, code.co_varnames))
    return code.replace(co_names=tuple(used), co_varnames=tuple(own))


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

    def __new__(cls, *args: object, **kwargs: object) -> "Self":
        made, setters, given = cls.__made__, cls.__setters__, len(args)
        made.append(None)
        if len(made) > _after:
            _compile(cls)
        if not setters:
            setters[:] = [getattr(cls, name).__set__ for name in cls.__fields__]
        if given != cls.__count__ or kwargs:
            args = _completed(cls, args, kwargs, given)
        self = object.__new__(cls)
        for at, store in enumerate(setters):  # `zip` takes as long as to store five fields
            store(self, args[at])
        return self

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

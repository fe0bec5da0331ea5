"""What bashlex imports of the standard library, as far as it uses it, at a tenth of the cost.

`re`, `inspect`, `types` and the rest of `enum`, `copy` and `collections` take longer to import than
bashlex takes to read a script. Only bashlex's own modules see what stands here. What a name does
that is not here, the module itself does, which is imported then.
"""

import _collections_abc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import defaultdict, deque
    from collections.abc import Iterable, Iterator, Mapping, Sequence
else:
    from _collections import defaultdict, deque


def light(
    name: str,
    own: "Mapping[str, object] | None" = None,
    local: "Mapping[str, object] | None" = None,
    wanted: "Sequence[str]" = (),
    level: int = 0,
) -> object:
    """What `__import__` gives to bashlex."""
    found = _LIGHT.get(name)
    return __import__(name, own, local, wanted, level) if found is None else found


class Deferred:
    """A module that is imported when something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        return getattr(__import__(self._name), name)


# --- re -------------------------------------------------------------------------------------------


class _Pattern:
    """A pattern that is compiled when it is used."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> object:
        return getattr(__import__("re").compile(self._pattern), name)


class _Re(Deferred):
    """The parser generator compiles a pattern that only the builder of a grammar uses."""

    compile = _Pattern


# --- enum -----------------------------------------------------------------------------------------


class _EnumType(type):
    """A class with members, for what `enum.EnumType` does of it: no aliases, methods or mixins."""

    _members: "dict[str, object]"
    _of_value: "dict[object, object]"

    def __new__(
        mcs, name: str, bases: "tuple[type, ...]", namespace: "dict[str, object]"
    ) -> "_EnumType":
        values = {n: v for n, v in namespace.items() if n[:1] != "_"}
        if bases and any(map(callable, values.values())):
            raise TypeError("an enumeration with methods")
        kept = {n: v for n, v in namespace.items() if not bases or n[:1] == "_"}
        cls = super().__new__(mcs, name, bases, kept)
        cls._members = {}
        cls._of_value = {}
        for each, value in values.items() if bases else ():
            cls._add(each, value)
        return cls

    def _add(cls, name: str, value: object) -> None:
        if value in cls._of_value:
            raise TypeError("an enumeration with aliases")
        member: object = type.__call__(cls)
        member.__dict__.update(name=name, value=value)
        cls._members[name] = cls._of_value[value] = member
        type.__setattr__(cls, name, member)

    def __call__(cls, value: object, names: "Iterable[str] | None" = None) -> object:
        """The member of a value, or a new enumeration of these names."""
        if names is not None:
            return _EnumType(str(value), (cls,), {n: at for at, n in enumerate(names, 1)})
        try:
            return cls._of_value[value]
        except KeyError:
            raise ValueError(f"{value!r} is not a valid {cls.__name__}") from None

    def __iter__(cls) -> "Iterator[object]":
        return iter(cls._members.values())

    def __len__(cls) -> int:
        return len(cls._members)

    def __setattr__(cls, name: str, value: object) -> None:
        if name[:1] != "_":
            raise AttributeError("cannot reassign a member")
        type.__setattr__(cls, name, value)


class _Enum(metaclass=_EnumType):
    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.__dict__['name']}: {self.__dict__['value']!r}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.__dict__['name']}"


class _EnumModule(Deferred):
    Enum = _Enum


# --- copy, collections ----------------------------------------------------------------------------


_HOOKS = ("__new__", "__reduce__", "__reduce_ex__", "__getstate__")
"""What a class defines that has a way of its own to be copied."""


class _Copy(Deferred):
    @staticmethod
    def copy(value: object) -> object:
        """A shallow copy of an object of a plain class."""
        kind = type(value)
        same = all(getattr(kind, name) is getattr(object, name) for name in _HOOKS)
        own = any(hasattr(kind, name) for name in ("__copy__", "__setstate__"))
        if own or not same or any(vars(each).get("__slots__") for each in kind.__mro__):
            return __import__("copy").copy(value)
        copied = object.__new__(kind)
        copied.__dict__.update(value.__dict__)
        return copied


class _Collections(Deferred):
    defaultdict = defaultdict
    deque = deque


_LIGHT: "dict[str, object]" = {
    "re": _Re("re"),
    "enum": _EnumModule("enum"),
    "copy": _Copy("copy"),
    "collections": _Collections("collections"),
    "collections.abc": _collections_abc,
    "inspect": Deferred("inspect"),
    "types": Deferred("types"),
}

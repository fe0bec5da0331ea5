"""Enums of integers and of words: what `enum.IntEnum` and `enum.StrEnum` are for their members.

Importing `enum` pulls in `functools`, `collections` and `operator`, which takes a third of the time
that a whole `check` may add to the start of Python. Type checkers see the real
ones in their place.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class _Members(type):
    """Makes the integers of a class body members of the class."""

    _members: "dict[str, _LightOrderedEnum]"

    def __new__(mcs, name: str, bases: tuple[type, ...], body: "dict[str, object]") -> "_Members":
        values = {k: v for k, v in body.items() if type(v) is int and not k.startswith("_")}
        rest = {k: v for k, v in body.items() if k not in values}
        cls = super().__new__(mcs, name, bases, rest)
        cls._members = {}
        for key, value in values.items():
            member: _LightOrderedEnum = int.__new__(cls, value)  # type: ignore[arg-type]
            member.name = member._name_ = key
            member.value = value
            cls._members[key] = member
            type.__setattr__(cls, key, member)
        return cls

    def __call__(cls, value: int) -> "_LightOrderedEnum":
        for member in cls._members.values():
            if int.__eq__(member, value) is True:
                return member
        raise ValueError(f"{value!r} is not a valid {cls.__name__}")

    def __getitem__(cls, name: str) -> "_LightOrderedEnum":
        return cls._members[name]

    def __iter__(cls) -> "Iterator[_LightOrderedEnum]":
        return iter(cls._members.values())

    def __len__(cls) -> int:
        return len(cls._members)

    def __contains__(cls, value: object) -> bool:
        return any(member == value for member in cls)

    def __setattr__(cls, name: str, value: object) -> None:
        if name in cls.__dict__.get("_members", ()):
            raise AttributeError(f"cannot reassign member `{name}`")
        super().__setattr__(name, value)


class _LightOrderedEnum(int, metaclass=_Members):
    """The base of such an enum. Members are singletons: compare them with `is`."""

    name: str
    _name_: str
    value: int

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {int(self)}>"

    def __str__(self) -> str:
        return str(int(self))

    def __reduce__(self) -> "tuple[object, ...]":
        return type(self), (int(self),)

    def __copy__(self) -> "_LightOrderedEnum":
        return self

    def __deepcopy__(self, _memo: object) -> "_LightOrderedEnum":
        return self


class _Words(type):
    """Makes the strings of a class body members of the class."""

    _members: "dict[str, _LightStrEnum]"

    def __new__(mcs, name: str, bases: tuple[type, ...], body: "dict[str, object]") -> "_Words":
        values = {k: v for k, v in body.items() if type(v) is str and k.isupper()}
        cls = super().__new__(mcs, name, bases, {k: v for k, v in body.items() if k not in values})
        cls._members = {}
        for key, value in values.items():
            member: _LightStrEnum = str.__new__(cls, value)  # type: ignore[arg-type]
            member.name = key
            member.value = value
            cls._members[value] = member
            type.__setattr__(cls, key, member)
        return cls

    def __call__(cls, value: str) -> "_LightStrEnum":
        if value in cls._members:
            return cls._members[value]
        raise ValueError(f"{value!r} is not a valid {cls.__name__}")

    def __iter__(cls) -> "Iterator[_LightStrEnum]":
        return iter(cls._members.values())

    def __len__(cls) -> int:
        return len(cls._members)

    def __setattr__(cls, name: str, value: object) -> None:
        if name.isupper():
            raise AttributeError(f"cannot reassign member `{name}`")
        super().__setattr__(name, value)


class _LightStrEnum(str, metaclass=_Words):
    """The base of such an enum. Members are singletons: compare them with `is`."""

    name: str
    value: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {str(self)!r}>"

    def __str__(self) -> str:
        return str.__str__(self)

    def __reduce__(self) -> "tuple[object, ...]":
        return type(self), (str(self),)

    def __copy__(self) -> "_LightStrEnum":
        return self

    def __deepcopy__(self, _memo: object) -> "_LightStrEnum":
        return self


if TYPE_CHECKING:
    from enum import IntEnum as OrderedEnum
    from enum import StrEnum as StrEnum
else:
    OrderedEnum, StrEnum = _LightOrderedEnum, _LightStrEnum
__all__ = ["OrderedEnum", "StrEnum"]

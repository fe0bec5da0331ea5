"""Enums of integers and of words: what `enum.IntEnum` and `enum.StrEnum` are for their members.

Importing `enum` pulls in `functools`, `collections` and `operator`, which takes a third of the time
that a whole `check` may add to the start of Python. Type checkers see the real
ones in their place.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class _Members(type):
    """Makes the integers, or the words, of a class body members of the class."""

    _members: "dict[str, _Member]"

    def __new__(mcs, name: str, bases: tuple[type, ...], body: "dict[str, object]") -> "_Members":
        kind = int if int in bases[0].__mro__ else str
        values = {k: v for k, v in body.items() if type(v) is kind and k.isupper()}
        cls = super().__new__(mcs, name, bases, {k: v for k, v in body.items() if k not in values})
        cls._members = {}
        for key, value in values.items():
            member: _Member = kind.__new__(cls, value)  # type: ignore[arg-type]
            member.name = member._name_ = key
            member.value = value
            cls._members[key] = member
            type.__setattr__(cls, key, member)
        return cls

    def __call__(cls, value: object) -> "_Member":
        for member in cls._members.values():
            if member.value == value and isinstance(value, type(member.value)):
                return member
        raise ValueError(f"{value!r} is not a valid {cls.__name__}")

    def __getitem__(cls, name: str) -> "_Member":
        return cls._members[name]

    def __iter__(cls) -> "Iterator[_Member]":
        return iter(cls._members.values())

    def __len__(cls) -> int:
        return len(cls._members)

    def __contains__(cls, value: object) -> bool:
        return any(member == value for member in cls)

    def __setattr__(cls, name: str, value: object) -> None:
        if name in cls.__dict__.get("_members", ()):
            raise AttributeError(f"cannot reassign member `{name}`")
        super().__setattr__(name, value)


class _Member:
    """What a member is beside its integer or its word. It is one: compare members with `is`."""

    name: str
    _name_: str
    value: object

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

    def __str__(self) -> str:
        return str(self.value)

    def __reduce__(self) -> "tuple[object, ...]":
        return type(self), (self.value,)

    def __copy__(self) -> "_Member":
        return self

    def __deepcopy__(self, _memo: object) -> "_Member":
        return self


if TYPE_CHECKING:
    from enum import IntEnum as OrderedEnum
    from enum import StrEnum as StrEnum
else:

    class OrderedEnum(_Member, int, metaclass=_Members):
        """The base of an enum of integers."""

    class StrEnum(_Member, str, metaclass=_Members):
        """The base of an enum of words."""


__all__ = ["OrderedEnum", "StrEnum"]

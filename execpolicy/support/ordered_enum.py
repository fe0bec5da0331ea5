"""An ordered enum of integers: what `enum.IntEnum` is for its members, its lookups and its order.

Importing `enum` pulls in `functools`, `collections` and `operator`, which takes a third of the time
that a whole `check` may add to the start of Python. Type checkers see `enum.IntEnum` in its place.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class _Members(type):
    """Makes the integers of a class body members of the class."""

    _members: "dict[str, Any]"

    def __new__(mcs, name: str, bases: tuple[type, ...], body: "dict[str, Any]") -> "_Members":
        values = {k: v for k, v in body.items() if type(v) is int and not k.startswith("_")}
        rest = {k: v for k, v in body.items() if k not in values}
        cls = super().__new__(mcs, name, bases, rest)
        cls._members = {}
        for key, value in values.items():
            made: Any = cls
            member = int.__new__(made, value)
            member.name = member._name_ = key
            member.value = value
            cls._members[key] = member
            type.__setattr__(cls, key, member)
        return cls

    def __call__(cls, value: int) -> "Any":
        for member in cls._members.values():
            if int.__eq__(member, value) is True:
                return member
        raise ValueError(f"{value!r} is not a valid {cls.__name__}")

    def __getitem__(cls, name: str) -> "Any":
        return cls._members[name]

    def __iter__(cls) -> "Iterator[Any]":
        return iter(cls._members.values())

    def __len__(cls) -> int:
        return len(cls._members)

    def __contains__(cls, value: object) -> bool:
        return any(member == value for member in cls)

    def __setattr__(cls, name: str, value: object) -> None:
        if name in cls.__dict__.get("_members", ()):
            raise AttributeError(f"cannot reassign member `{name}`")
        super().__setattr__(name, value)


class OrderedEnum(int, metaclass=_Members):
    """The base of such an enum. Members are singletons: compare them with `is`."""

    name: str
    value: int

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {int(self)}>"

    def __str__(self) -> str:
        return str(int(self))

    def __reduce__(self) -> "tuple[Any, ...]":
        return type(self), (int(self),)

    def __copy__(self) -> "OrderedEnum":
        return self

    def __deepcopy__(self, _memo: object) -> "OrderedEnum":
        return self

"""An enum of words: what `enum.StrEnum` is for its members and its lookups.

A member is the string that the wire has, and a singleton. Importing `enum` takes a third of the
time that a whole `check` may add to the start of Python; see `ordered_enum`. Type checkers see
`enum.StrEnum` in its place.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class _Members(type):
    """Makes the strings of a class body members of the class."""

    _members: "dict[str, Any]"

    def __new__(mcs, name: str, bases: tuple[type, ...], body: "dict[str, Any]") -> "_Members":
        values = {k: v for k, v in body.items() if type(v) is str and k.isupper()}
        cls = super().__new__(mcs, name, bases, {k: v for k, v in body.items() if k not in values})
        cls._members = {}
        for key, value in values.items():
            made: Any = cls
            member = str.__new__(made, value)
            member.name = key
            member.value = value
            cls._members[value] = member
            type.__setattr__(cls, key, member)
        return cls

    def __call__(cls, value: str) -> "Any":
        if value in cls._members:
            return cls._members[value]
        raise ValueError(f"{value!r} is not a valid {cls.__name__}")

    def __iter__(cls) -> "Iterator[Any]":
        return iter(cls._members.values())

    def __len__(cls) -> int:
        return len(cls._members)

    def __setattr__(cls, name: str, value: object) -> None:
        if name.isupper():
            raise AttributeError(f"cannot reassign member `{name}`")
        super().__setattr__(name, value)


class StrEnum(str, metaclass=_Members):
    """The base of such an enum. Members are singletons: compare them with `is`."""

    name: str
    value: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {str(self)!r}>"

    def __str__(self) -> str:
        return str.__str__(self)

    def __reduce__(self) -> "tuple[Any, ...]":
        return type(self), (str(self),)

    def __copy__(self) -> "StrEnum":
        return self

    def __deepcopy__(self, _memo: object) -> "StrEnum":
        return self

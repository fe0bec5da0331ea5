"""Operations in short, so that a table of them reads like a manual."""

from execpolicy.model.operation import Access, Assign, Connect, Dynamic, Exec, Opaque, Operation
from tests.shell.reading import read


def word(value: str | Dynamic | None) -> str:
    """`a`, `'a b'`, and `<"$x">` for what is computed."""
    if value is None:
        return "?"
    if isinstance(value, Dynamic):
        return f"<{value.source}>"
    return value if value and value.isprintable() and " " not in value else repr(value)


def short(operation: Operation) -> str:
    """`git push`, `write out`, `x=1`, `connect host`, `OPAQUE eval x`."""
    match operation:
        case Exec():
            return " ".join(map(word, operation.argv))
        case Access():
            return f"{operation.mode} {word(operation.path)}"
        case Assign():
            return f"{operation.assignment.name}={word(operation.assignment.value)}"
        case Connect():
            return f"connect {word(operation.host)}"
        case Opaque():
            return f"OPAQUE {operation.text}"


def shown(text: str, shell: str | None = "bash") -> list[str]:
    return [short(operation) for operation in read(text, shell)]


def commands(text: str, shell: str | None = "bash") -> list[str]:
    """The commands alone; there has to be no opaque spot."""
    operations = read(text, shell)
    opaque = [o for o in operations if isinstance(o, Opaque)]
    assert not opaque, opaque
    return [short(o) for o in operations if isinstance(o, Exec)]


def reasons(text: str, shell: str | None = "bash") -> list[str]:
    return [o.why for o in read(text, shell) if isinstance(o, Opaque)]

"""Which files a search leaves out of those that it comes upon."""

from execpolicy.catalogue import Reading
from execpolicy.model.operation import show
from execpolicy.support.record import Value


class Limits(Value):
    """Which names a search looks into: those that fit one of `only`, if any, and none of `out`."""

    only: tuple[str, ...] = ()
    out: tuple[str, ...] = ()

    def take(self, path: str) -> bool:
        """Whether the search reads a file of this path."""
        names = [name.lower() for name in path.split("/")]
        if any(_fits(glob, name) for glob in self.out for name in names):
            return False
        return not self.only or any(_fits(glob, names[-1]) for glob in self.only)


def limits(reading: Reading) -> Limits:
    """What the options of a search leave out, by the kinds of their values."""
    only: list[str] = []
    out: list[str] = []
    for given in reading.options:
        for kind, value in zip(given.option.kinds, map(show, given.values), strict=False):
            if kind == "not-names" or (kind == "only-names" and value[:1] == "!"):
                out.append(value.removeprefix("!").rstrip("/"))
            elif kind == "only-names":
                only.append(value)
    plain = [glob for glob in only if "/" not in glob and not set(glob) & set("{[\\")]
    return Limits(
        tuple(plain) if len(plain) == len(only) else (), tuple(g for g in out if "/" not in g)
    )


def _fits(glob: str, name: str) -> bool:
    from execpolicy.support.path_match import name_fits

    return name_fits(glob.lower(), name)

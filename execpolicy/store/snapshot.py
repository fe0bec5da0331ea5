"""Everything a decision rests on, as one value that is replaced whole."""

from _collections_abc import Collection, Iterable

from execpolicy.catalogue import Catalogue
from execpolicy.model.effect_defaults import Environment
from execpolicy.model.errors import Diagnostic
from execpolicy.policy.policy import Policy
from execpolicy.store.effect_defaults import EffectDefaults
from execpolicy.store.summary import Summary
from execpolicy.support.path_match import name_fits
from execpolicy.support.record import Value


class EnvironmentTable:
    """What all layers know about environment variables and program directories."""

    def __init__(self, environments: "Iterable[Environment]" = ()) -> None:
        self._every = every = tuple(environments)
        self._known_set: _Set | None = None
        self._secrets = tuple(n for e in every for n in e.secrets)
        self._parts: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self.repositories = frozenset(p for e in every for p in e.repositories)
        """Programs that obey the configuration of the git repository they find."""
        self._directories = frozenset(d.rstrip("/") for e in every for d in e.directories)

    @property
    def _set(self) -> "_Set":
        if self._known_set is None:
            self._known_set = _Set(self._every)
        return self._known_set

    def affects_execution(self, name: str) -> bool:
        """Whether setting this variable changes what programs run or how scripts are read.

        A full name counts before a beginning: `AWS_*` may change what runs, `AWS_REGION` does not.
        """
        known = self._set
        if name in known.affects_execution.exact:
            return True
        return name in known.affects_execution and name not in known.harmless.exact

    def harmless(self, name: str) -> bool:
        """Whether a command may receive this variable without a question."""
        return name in self._set.harmless and not self.affects_execution(name)

    def ignores_environment(self, program: object) -> bool:
        """Whether the program does the same whatever variables say that change nothing."""
        return program in self._set.ignoring

    def secret(self, name: str) -> bool:
        """Whether the value of this variable is a key, a password or a token."""
        folded = name.upper()
        if self._parts is None:
            self._parts = _parts(self._secrets)
        parts, others = self._parts
        in_name = True in [part in folded for part in parts]
        return in_name or True in [name_fits(glob, folded) for glob in others]

    def in_secret(self, word: str) -> bool:
        """Whether a word is the name of a secret variable, or a part of such names (`TOK`)."""
        return self.secret(word) or any(word.upper() in glob for glob in self._secrets)

    def standard(self, program: str) -> str | None:
        """The bare name of a program that stands in a known program directory."""
        directory, _, name = program.rpartition("/")
        return name if directory in self._directories else None

    def has_harmless_value(self, name: str, value: object) -> bool:
        """Whether this value of a variable that may change what runs is known not to: `PAGER=cat`.

        A `PATH` of known program directories alone is such a value.
        """
        if not isinstance(value, str):
            return False
        if name == "PATH":
            return all(p and p.rstrip("/") in self._directories for p in value.split(":"))
        return f"{name}={value}" in self._set.values


def _parts(globs: "Iterable[str]") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What stands in globs like `*TOKEN*`, for a plain search, and all other globs."""
    parts, others = [], []
    for glob in globs:
        inner = glob[1:-1]
        if glob[:1] == glob[-1:] == "*" and inner and "*" not in inner and "?" not in inner:
            parts.append(inner)
        else:
            others.append(glob)
    return tuple(parts), tuple(others)


class _Names:
    """A set of names, of which some end in `*`."""

    def __init__(self, names: "Iterable[str]") -> None:
        every = tuple(names)
        self.exact = frozenset(n for n in every if not n.endswith("*"))
        self._prefixes = tuple(n[:-1] for n in every if n.endswith("*"))

    def __contains__(self, name: str) -> bool:
        return name in self.exact or name.startswith(self._prefixes)


class _Set:
    """What is known about variables that are set for a command: most commands set none."""

    def __init__(self, every: "tuple[Environment, ...]") -> None:
        harmless = [n for e in every for n in e.harmless]
        self.harmless = _Names(n for n in harmless if "=" not in n)
        self.values = frozenset(n for n in harmless if "=" in n)
        self.affects_execution = _Names(n for e in every for n in e.affects_execution)
        self.ignoring = frozenset(p for e in every for p in e.ignores_environment)


class Snapshot(Value):
    """One policy as a whole. `floor` says why no decision may be lower than PROMPT, or is None.

    `undo` is the directory of what `execpolicy undo` brings back; empty where nothing is kept.
    """

    policy: Policy
    catalogue: Catalogue
    defaults: EffectDefaults
    variables: EnvironmentTable
    files: "Collection[Summary]" = ()
    layers: tuple[str, ...] = ()
    digest: str = ""
    home: str | None = None
    floor: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    undo: str = ""

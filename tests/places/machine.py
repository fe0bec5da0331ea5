"""A machine of dictionaries: the answers of a resolver, written down."""

from collections.abc import Iterable, Mapping
from errno import EINVAL

from execpolicy.places.resolver import Below, Place, Root, SettingsFile
from execpolicy.places.steering import Steering
from execpolicy.places.walk import walk
from execpolicy.support.disk.repository import find


class Machine:
    """Files by their absolute path; a text that begins with `→ ` is a link."""

    def __init__(
        self,
        files: Mapping[str, str] | Iterable[str] = (),
        *,
        root: str = "/p",
        path: Iterable[str] = ("/usr/bin",),
        variables: Iterable[str] = (),
    ) -> None:
        self.files = dict(files) if isinstance(files, Mapping) else dict.fromkeys(files, "")
        self._root = root
        self._path = tuple(path)
        self._variables = frozenset(variables)
        self.directories = {"/"}
        for name in self.files:
            parts = name.strip("/").split("/")
            self.directories |= {"/" + "/".join(parts[:n]) for n in range(1, len(parts))}

    def locate(self, path: str, follow: bool = True) -> Place:
        from posixpath import normpath

        found = walk(path, self._link, follow)
        return Place(path, normpath(path), found.real, found.problem)

    def _link(self, path: str) -> str:
        target = self.files.get(path, "")
        if not target.startswith("→ "):
            raise OSError(EINVAL, "no link")
        return target[2:]

    def kind(self, path: str) -> str:
        real = self.locate(path).real or ""
        return (
            "directory" if real in self.directories else "file" if real in self.files else "missing"
        )

    def names(self, directory: str) -> tuple[str, ...] | None:
        real = self.locate(directory).real or ""
        if real not in self.directories:
            return None
        inside = [
            p for p in (*self.files, *self.directories) if p.rpartition("/")[0] == real.rstrip("/")
        ]
        return tuple(sorted({p.rpartition("/")[2] for p in inside if p != "/"}))

    def head(self, path: str) -> str:
        return self.files.get(self.locate(path).real or "", "")

    def text(self, path: str) -> str | None:
        return self.files.get(self.locate(path).real or "")

    def below(self, directory: str, visible: bool, few: bool = False) -> Below | None:
        return self._below(directory, visible)

    def _below(self, directory: str, visible: bool) -> Below:
        top = directory.rstrip("/")
        files = [f for f in self.files if f.startswith(f"{top}/")]
        found = [f for f in files if not (visible and "/." in f[len(top) :])]
        return Below(tuple(found), tuple(f for f in found if self.files[f].startswith("→ ")))

    def nearby(self, directory: str) -> Below:
        return self._below(directory, False)

    def tracked(self, directory: str, keys: object = None) -> tuple[str, ...]:
        inside = self._below(directory, False).files if find(directory, self) else ()
        return tuple(
            path for path in inside if self.files[path] != "untracked" and "/.git/" not in path
        )

    def committed(self, directory: str, keys: object, every: bool = False) -> tuple[str, ...]:
        return ()

    def of_revisions(self, directory: str, words: tuple[str, ...]) -> tuple[str, ...]:
        return ()

    def gitlinks(self, directory: str) -> tuple[str, ...]:
        return ()

    def tracks(self, path: str, listed: bool = False) -> bool:
        inside = (f for f in self.files if f == path or f.startswith(path + "/"))
        return find(path, self) is not None and any(self.files[f] != "untracked" for f in inside)

    def unchanged(self, path: str) -> bool:
        return self.files.get(path) == "unchanged" and find(path, self) is not None

    def holds(self, directory: str, *settings: SettingsFile) -> bool:
        return any(self._has(directory, setting) for setting in settings)

    def _has(self, directory: str, setting: SettingsFile) -> bool:
        name, words = setting.name, setting.words
        above = [directory, *(directory[:n] for n, c in enumerate(directory) if c == "/")]
        if not words and any(f"{at}/{name}" in self.directories for at in above):
            return True
        texts = [self.files[f"{at}/{name}"] for at in above if f"{at}/{name}" in self.files]
        return any(not words or any(w in t for w in words) for t in texts)

    def planted(self, name: str, project: str | None) -> str | None:
        moving = [f"{d}/{name}" for d in self._path if d[:1] != "/"]
        fixed = [f for d in self._path if (f := f"{d}/{name}") in self.files][:1]
        links = [place.real for f in fixed if (place := self.locate(f)).real]
        for found in (*moving, *fixed, *links):
            if found[:1] != "/" or found.startswith(("/tmp/", f"{project}/")):
                return found
        return None

    def programs(self) -> tuple[str, ...]:
        called = [at for at in self._path if at[:1] == "/"]
        return tuple(dict.fromkeys(f for at in called for f in (at, self.locate(at).real or at)))

    def steering(self, directory: str) -> tuple[Steering, ...]:
        return ()

    def is_program(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        found = (f"{at}/{name}" for at in self._path)
        first = next((each for each in found if each in self.files), None)
        return first is not None and self.locate(first).real == path

    def variables(self) -> frozenset[str]:
        return self._variables

    def temporary(self) -> tuple[str, ...]:
        return ("/tmp",)

    def root(self, given: str | None, cwd: str | None) -> Root | None:
        if given is None and cwd is not None:
            own = find(cwd, self, bare=False)
            return Root(own.top if own else cwd, True)
        path = given or self._root
        return Root(path, path not in ("/", "/home", "/home/me"))


def repository(at: str) -> dict[str, str]:
    """The files by which git knows its directory."""
    return {f"{at}/HEAD": "ref: refs/heads/main\n", f"{at}/objects/x": "", f"{at}/refs/x": ""}

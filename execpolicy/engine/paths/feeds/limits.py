"""Which files of a tree a search reads, by the options that limit it.

GNU grep 3.8 (grep(1), `skipped_file` of grep.c, `excluded_file_name` of exclude.c): names are
compared alone and case counts. Of `--include` and `--exclude`, which are about files, the last that
fits decides; where none does, the first of them: after `--include` nothing else is read. A
directory is left out by `--exclude-dir` alone.

ripgrep 13 and 14 (rg(1), the crate `ignore`): of all `-g`, then all `--iglob`, the last that fits
decides, for files and for directories. A glob brings back what is hidden or ignored, but not what
is below a directory that stays so. Where any glob has no `!`, a file that fits none is left out.

What cannot be told of a glob (one with directories in it, one that is computed) counts as fitting
where it brings files in, and as not fitting where it takes files out.
"""

from _collections_abc import Iterable, Sequence

from execpolicy.catalogue.reading.reading import Limit
from execpolicy.engine.paths.computed_paths import meet
from execpolicy.engine.paths.feeds.name_globs import alternatives, fits
from execpolicy.support.record import Value

Fits = bool | None
"""None where it is not known."""


class Rule(Value):
    """A glob on the name of a file or a directory: whether what fits is read, whether case counts.

    `surely`: the glob says all; else what fits it may fit. `kind` is `file`, `directory` or both.
    """

    takes: bool
    globs: tuple[str, ...]
    kind: str = "both"
    surely: bool = True
    cased: bool = True

    def says(self, name: str, kind: str) -> "Fits":
        """Whether it is about a file or a directory of this name."""
        if self.kind not in ("both", kind):
            return False
        found = {fits(glob, name) for glob in self.globs}
        if True in found:
            return True if self.surely else None
        folded = any(fits(glob.lower(), name.lower()) is not False for glob in self.globs)
        if folded and not self.cased:
            return True if self.surely and None not in found else None
        return None if folded or None in found else False


class Limits(Value):
    """The rules of one search, the last first. `lifts`: they bring hidden and ignored files back.

    `others`: a file is read of which no rule says anything. `code`: only files of code are read.
    `open`: a word that is not known may bring any file back.
    """

    rules: tuple[Rule, ...] = ()
    others: bool = True
    lifts: bool = False
    code: bool = False
    open: bool = False

    def take(self, names: "Sequence[str]") -> bool:
        """Whether a file may be read that is nowhere hidden: the names below the root, its own
        last."""
        above = all(self._says(name, "directory") is not False for name in names[:-1])
        return above and self._reads(names[-1])

    def bring(self, names: "Sequence[str]") -> bool:
        """Whether a file may be read that is hidden or ignored, or below such a directory."""
        if self.open:
            return self.take(names)
        if not self.lifts or self._says(names[-1], "file") is not True:
            return False
        said = [(name, self._says(name, "directory")) for name in names[:-1]]
        return all(found or (found is None and name[:1] != ".") for name, found in said)

    def may_take(self, glob: str) -> bool:
        """Whether a file may be read of which the name fits a glob of the kind of `meet`."""
        if self.others:
            return True
        taking = (one for rule in self.rules if rule.takes for one in rule.globs)
        return any(meet(one.lower(), glob) or set(one) & set("[\\") for one in taking)

    def _reads(self, name: str) -> bool:
        found = self._says(name, "file")
        return self.others if found is None else found

    def _says(self, name: str, kind: str) -> "Fits":
        """Whether the rules bring it in or leave it out; None where they say nothing.

        What may be brought in counts as such.
        """
        for rule in self.rules:
            found = rule.says(name, kind)
            if found or (found is None and rule.takes):
                return rule.takes
        return None


def limits(given: "Iterable[Limit]") -> Limits:
    """What the words of a search say together."""
    every = [(each.kind, each.glob) for each in given]
    known = [(kind, glob) for kind, glob in every if isinstance(glob, str)]
    if len(known) < len(every):
        return Limits(open=True, lifts=True)
    if any(kind in _RIPGREP for kind, _ in known):
        return _of_ripgrep(known)
    return _of_grep(known)


_RIPGREP = frozenset(("glob", "code-glob", "iglob", "any-type"))


def _of_grep(given: "Sequence[tuple[str, str]]") -> Limits:
    rules = []
    for kind, glob in given:
        if kind == "exclude-dir":
            rules.append(Rule(False, (glob.rstrip("/") or glob,), "directory"))
        elif kind != "exclude-from":
            rules.append(Rule(kind != "exclude", (glob,), "file"))
    first = next((kind for kind, _ in given if kind != "exclude-dir"), "exclude")
    only = {kind for kind, _ in given if kind.endswith("include")}
    others = not first.endswith("include")
    return Limits(tuple(reversed(rules)), others, code=not others and only == {"code-include"})


def _of_ripgrep(given: "Sequence[tuple[str, str]]") -> Limits:
    globs = [each for each in given if each[0] != "any-type"]
    ordered = sorted(globs, key=lambda each: each[0] == "iglob")
    made = [_override(glob, cased=kind != "iglob") for kind, glob in ordered]
    rules = tuple(rule for rule in reversed(made) if rule is not None)
    lifts = any(rule.takes for rule in rules)
    code = lifts and all(kind == "code-glob" or glob[:1] == "!" for kind, glob in globs)
    return Limits(rules, not lifts, lifts, code, open=len(globs) < len(given))


def _override(glob: str, cased: bool) -> Rule | None:
    """One glob of `-g`, as a line of a `.gitignore` that means the opposite (gitignore(5))."""
    if glob[:1] == "#" or not glob.strip():
        return None
    takes = glob[:1] != "!"
    text = (glob if takes else glob[1:]).rstrip()
    anchored = text[:1] == "/"
    kind = "directory" if text[-1:] == "/" else "both"
    name = text.strip("/").removeprefix("**/")
    last = name.rpartition("/")[2]
    surely = not anchored and last == name and name != "**" and glob == glob.rstrip()
    last = "*" if last == "**" else last
    globs = alternatives(last) if "/" not in "".join(_braced(text)) else ("*",)
    return Rule(takes, globs or ("*",), kind, surely and bool(globs), cased)


def _braced(text: str) -> "Iterable[str]":
    """What stands in braces, which may hold a slash."""
    return [part.partition("}")[0] for part in text.split("{")[1:]]

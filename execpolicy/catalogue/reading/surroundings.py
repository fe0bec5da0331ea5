"""Where the effects of a program happen that no word of it names."""

from _collections_abc import Iterable

from execpolicy.catalogue.entry import CatalogueEntry, Setting
from execpolicy.catalogue.kinds.kind import all_names
from execpolicy.catalogue.reading.cause import Cause, CommandPart, Hooks, cause_of
from execpolicy.catalogue.reading.reading import Inner
from execpolicy.catalogue.reading.tokens import Given, Tokens
from execpolicy.model.operation import Access, Word
from execpolicy.model.place import SettingsFile
from execpolicy.model.program import FOLLOWS, OF_CODE

HERE = Access(".", "execute")
"""Code of the directory in which a program works."""
_IN_GIT = Access(".", "write", extent="repository")
_CHANGES = frozenset(("write", "destroy", "network", "remote"))
_RUN_HOOKS = ("hooks", "patches", "template")


def placed(
    causes: "Iterable[Cause]",
    entry: CatalogueEntry,
    inner: tuple[Inner, ...],
    options: "Iterable[str]",
) -> list[Cause]:
    """The causes, each with the place that the entry knows.

    `inner` are the commands inside, `options` those that are given.
    """
    found = [*causes]
    if entry.in_place is not None:
        found = [*_at_operands(found, entry.in_place)]
    if entry.runs == "project":
        return [
            cause.replace(subject=HERE) if _is_general(cause, OF_CODE) else cause for cause in found
        ]
    if entry.runs.startswith(_RUN_HOOKS):
        changes = any(cause.effect in _CHANGES for cause in found)
        if entry.runs.startswith("hooks"):
            found = [*map(_in_git, found)]
        if changes:
            why = "the repository has a hook, a filter or a todo that runs programs"
            sort, *names = entry.runs.split()
            found.append(Cause("execute", why, hooks=Hooks(tuple(names), sort == "template")))
    if entry.runs == "installed" and _SETTINGS.issuperset(options):
        found = [*_installed(found, inner)]
    return found


_TREES = frozenset(("tree", "visible", "tracked", "edited", "restored", "below"))


def through_links(causes: "Iterable[Cause]") -> list[Cause]:
    """The causes of a program that follows links, with all that its trees then reach."""
    found = []
    for cause in causes:
        subject = cause.subject
        if isinstance(subject, Access) and (subject.extent in _TREES or _is_changed(subject)):
            found.append(cause.replace(subject=subject.replace(follows=True)))
        elif cause.effect != FOLLOWS:
            found.append(cause)
    return found


def _is_changed(access: Access) -> bool:
    """Whether what is there is changed, and may be a tree: `chown -R`."""
    return access.mode == "write" and access.extent == "file" and not access.replaces


def add_settings(
    causes: list[Cause], entry: CatalogueEntry, tokens: Tokens | None, words: tuple[Word, ...]
) -> None:
    """Add what files of the project make each call do, as `eslint.config.js` runs code.

    Nothing is added where the program does that anyway, in whatever directory. `words` are those of
    the call, `tokens` the same as options and operands, None where they only ask for help.
    """
    for setting in entry.settings:
        if _is_answered_before(setting, tokens, words) or _is_off(setting, tokens):
            continue
        alike = (c for c in causes if c.effect == setting.effect and not c.where)
        if not any(c.is_general for c in alike):
            files = setting.files
            if tokens is not None and tokens.options:
                files = _named_settings(files, tokens.options)
            cause = cause_of(setting.effect, setting.why).replace(where=files)
            causes.append(cause.replace(subject=HERE) if setting.effect == "execute" else cause)


def _is_answered_before(setting: Setting, tokens: Tokens | None, words: tuple[Word, ...]) -> bool:
    """Whether the program ends before it looks at files: it shows help, or its version."""
    if setting.early is None:
        return tokens is None
    return len(words) == 1 and words[0] in setting.early


def _is_off(setting: Setting, tokens: Tokens | None) -> bool:
    """Whether an option or an operand says that the files are left out."""
    if not setting.off or tokens is None:
        return False
    return setting.is_off([each.name for each in tokens.options], tokens.operands)


def _named_settings(
    files: tuple[SettingsFile, ...], options: "Iterable[Given]"
) -> tuple[SettingsFile, ...]:
    """The files of settings, and those that an option names in their place, or a directory that
    has one. Nothing at all where such a value is computed: then one may be anywhere."""
    found = [*files]
    for given in options:
        if _PATHS.isdisjoint(all_names(given.option.kinds)):
            continue
        for word in given.values:
            if not isinstance(word, str):
                return ()
            found += [SettingsFile(word, each.words) for each in files if each.words]
            found += [SettingsFile(f"{word}/{each.name}", each.words) for each in files]
    return tuple(dict.fromkeys(found))


_PATHS = frozenset(("file", "dir", "including"))
"""Kinds of values that may name a file of settings."""


def _in_git(cause: Cause) -> Cause:
    """What git does in its own directory, and with files that it keeps."""
    if _is_general(cause, ("write",)):
        return cause.replace(subject=_IN_GIT)
    subject = cause.subject
    if isinstance(subject, Access) and subject.extent == "below":
        return cause.replace(subject=subject.replace(extent="restored"))
    return cause


_SETTINGS = frozenset(("--no", "--no-install", "-y", "--yes", "-q", "--quiet", "-s", "--silent"))
_BIN = "node_modules/.bin/"


def _installed(causes: list[Cause], inner: tuple[Inner, ...]) -> "Iterable[Cause]":
    """A program that the project has is its code; another is fetched first (npm-exec(1))."""
    words = inner[0].argv if len(inner) == 1 else None
    name = words[0] if words else None
    if not isinstance(name, str) or not set(name).isdisjoint("/@:\\") or name[:1] == ".":
        yield from causes
        return
    yield Cause("execute", f"runs `{name}` of the project", Access(_BIN + name, "execute"))
    for cause in causes:
        general = _is_general(cause, OF_CODE)
        yield cause.replace(missing=_BIN + name) if general else cause


def _at_operands(causes: list[Cause], options: tuple[str, ...]) -> "Iterable[Cause]":
    """What it writes are the files that it reads, else those of the working directory; and of a
    directory what the links to files in it lead to."""
    read = [c.subject for c in causes if isinstance(c.subject, Access) and c.is_inherent]
    paths = [_above_glob(s.path) for s in read if s.mode == "read" and s.extent != "names"]
    for cause in causes:
        if cause.effect == "write" and cause.subject is None and _is_writer(cause, options):
            for path in paths or ["."]:
                yield cause.replace(subject=Access(path, "write", extent="edited", follows=True))
        else:
            yield cause


def _above_glob(path: Word) -> Word:
    """Where the files lie that a word stands for which the program itself expands."""
    if not isinstance(path, str) or "*" not in path:
        return path
    known = path.partition("*")[0]
    return known[: known.rfind("/") + 1] or "."


def _is_writer(cause: Cause, options: tuple[str, ...]) -> bool:
    """Whether the program itself writes, or one of the options that make it write in place."""
    return cause.is_inherent or (cause.by.part is CommandPart.OPTION and cause.by.text in options)


def _is_general(cause: Cause, effects: "Iterable[str]") -> bool:
    """Whether no word says where it happens."""
    bare = cause.subject is None and cause.by.part in (CommandPart.PROGRAM, CommandPart.COMPUTED)
    return bare and cause.effect in effects and not cause.hooks

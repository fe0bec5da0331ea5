"""What a word of some kind does: a function a kind, for the kinds that are not plain effects."""

from _collections_abc import Callable

from execpolicy.catalogue import hosts
from execpolicy.catalogue.kinds.kind import (
    Affixed,
    Kind,
    Literals,
    OneOf,
    WithEffects,
    may_fit,
    must_fit,
)
from execpolicy.catalogue.kinds.names import CHANGES, EFFECTS_OF, LIMITS
from execpolicy.catalogue.reading.cause import BASE, STDIN, Cause, cause_of, operand, option
from execpolicy.catalogue.reading.effects import PATHS, Effects
from execpolicy.catalogue.reading.reading import STREAM, Inner, Limit, says
from execpolicy.catalogue.reading.words import humanish, under, unpacked
from execpolicy.model.operation import Access, Assignment, Connect, Dynamic, Variable, Word, show
from execpolicy.model.place import SettingsFile

_SHELLS = {"shell": "sh", "bash": "bash", "zsh": "zsh"}
_LOCAL = {
    "location": "file",
    "location-tree": "tree",
    "location-out": "out",
    "location-into": "into",
    "including": "including-local",
}
"""Kinds of words that are on another machine or here, and what they are where they are here."""
_BESIDE = {"symlink-target": "link-target", "kept-in": "new-tree"}
"""Kinds of paths that are relative to where the operands go, and what they are there."""
_SENT = frozenset(("location-out", "location-into"))
"""Those of them that something is written to."""
_SCRIPTS = frozenset(
    ("sed", "awk", "jq", "filters", "sql", "sqlite", "sqlite-readonly", "duckdb", "mysql")
) | {"remote-sql", "go-template", "kube-fields", "miller"}
"""Kinds that hold a text of a language, which `catalogue.scripts` reads."""


def add(effects: Effects, kind: Kind, word: Word, name: str = "") -> None:
    """What this word does. `name` is the option whose value it is."""
    if not isinstance(kind, str):
        _composed(effects, kind, word, name)
    elif kind in PATHS:
        effects.file(kind, word, name)
        if kind == "link-target":  # which can be read by another name from then on
            effects.file("tree", word, name)
    elif kind != "text" and kind != "task":
        _ADD.get(kind, _plain)(effects, kind, word, name)


def _composed(
    effects: Effects, kind: Literals | OneOf | WithEffects | Affixed, word: Word, name: str
) -> None:
    if isinstance(kind, OneOf):
        _one_of(effects, kind.kinds, word, name)
    elif isinstance(kind, WithEffects):
        add(effects, kind.kind, word, name)
        for effect in kind.effects:
            effects.by_word(word, effect, name, _with(word, effect, name))
    elif isinstance(kind, Affixed) and may_fit(kind, word):
        add(effects, kind.kind, kind.rest(word), name)


def _one_of(effects: Effects, kinds: tuple[Kind, ...], word: Word, name: str) -> None:
    """The first that fits; a dynamic word can come to be of any up to one that is sure."""
    for part in kinds:
        if may_fit(part, word):
            add(effects, part, word, name)
            if type(word) is str or must_fit(part, word):
                return


def _within(effects: Effects, kind: str, word: Word, name: str) -> None:
    """A member of an archive, or a file in a field of a form, which is content under that name."""
    from execpolicy.catalogue.reading.nested_paths import paths

    for path in paths(kind, word):
        effects.file("file", path, name)


def _object(effects: Effects, kind: str, word: Word, name: str) -> None:
    from execpolicy.catalogue.reading.nested_paths import shown

    shown(effects, (word,), None, one=True)


def _database(effects: Effects, kind: str, word: Word, name: str) -> None:
    from execpolicy.catalogue.reading.nested_paths import database

    found = database(word)
    if found is None:
        return
    effects.file("file", found.file, name)
    if found.created and kind == "database":
        path = found.file if effects.cwd is None else under(effects.cwd, found.file)
        said = f"creates `{show(path)}` where it is missing"
        said = f"`{name}` {said}" if name else said
        access = Access(path, "write")
        effects.causes.append(Cause("write", said, access, option(name), if_missing=True))


def _packed(effects: Effects, kind: str, word: Word, name: str) -> None:
    effects.file("moved" if kind == "packed" else "file", word, name)
    found = unpacked(word)
    if found is not None:
        effects.file("out", found, name)


def _prefix(effects: Effects, kind: str, word: Word, name: str) -> None:
    """The beginning of the names of files that are made or replaced, to which letters or digits
    come, two where no option says more: only with a dot in it can any be a name that matters."""
    known, rest = word if isinstance(word, str) else word.prefix, "[a-z0-9][a-z0-9]"
    made = show(word) + ("*" if "." in show(word) else rest)
    effects.file("out", Dynamic(made, known, single=True), name)


def _set_beside(effects: Effects, kind: str, word: Word, name: str) -> None:
    effects.beside += ((_BESIDE[kind], word),)


def _suffix(effects: Effects, kind: str, word: Word, name: str) -> None:
    effects.suffixes += (word,)


def _limit(effects: Effects, kind: str, word: Word, name: str) -> None:
    effects.limits += (Limit(kind, word),)
    if kind == "exclude-from":
        effects.file("file", word, name)


def _variable(effects: Effects, kind: str, word: Word, name: str) -> None:
    effects.say("read", name, f"shows the variable `{show(word)}`", Variable(word))


def _own(effects: Effects, kind: str, word: Word, name: str) -> None:
    """A word of a tool of the user's own; a path among them is one that its code is given."""
    from execpolicy.catalogue.kinds import elsewhere

    if isinstance(word, Dynamic):
        return
    text = word.lstrip("-") if name else word
    if elsewhere.says(text, elsewhere.BY_OPTION if name else elsewhere.CHANGES):
        effects.by_word(word, "remote", name, f"`{text}` may change something elsewhere")
    if elsewhere.names_host(text):
        _reach(effects, Connect(text, "tcp"), word, name)


def _patch(effects: Effects, kind: str, word: Word, name: str) -> None:
    """A patch whose lines name the files that it writes, and those that it removes."""
    from execpolicy.support.path_match import named_in_patch

    files = [] if isinstance(word, Dynamic) else list(named_in_patch(word))
    for path, removed in files:
        effects.file("remove" if removed else "in-place", path, name)
    if not files:
        effects.by_word(word, "unknown", name, "takes a patch that names no file")


def _resource(effects: Effects, kind: str, word: Word, name: str) -> None:
    scheme = hosts.scheme(word)
    if scheme is None or isinstance(word, Dynamic):
        effects.file("file", word, name)
    if scheme == "file" and isinstance(word, str):
        effects.file("file", word[len("file:") :].removeprefix("//"), name)
    elif scheme is not None:
        _reach(effects, hosts.of_scheme(word), word, name)


def _including(effects: Effects, kind: str, word: Word, name: str) -> None:
    """A file that may include others, also of another machine."""
    _location(effects, "including", word, name)
    if isinstance(word, str) and hosts.of_remote(word) is None:
        said = f"what `{show(word)}` includes may be fetched"
        where = (SettingsFile(word, ("include", "extends")),)
        effects.causes.append(Cause("network", said, None, option(name), where=where))


def _chart(effects: Effects, kind: str, word: Word, name: str) -> None:
    """A chart of Helm. What its schemas refer to is fetched, in the charts inside it as well."""
    effects.file("tree", word, name)
    if isinstance(word, str):
        schema = SettingsFile(f"{word}/values.schema.json", ("ref",))
        said = f"what a schema of `{show(word)}` refers to may be fetched"
        where = (schema, SettingsFile(f"{word}/charts"))
        effects.causes.append(Cause("network", said, None, option(name), where=where))


def _cwd(effects: Effects, kind: str, word: Word, name: str) -> None:
    effects.cwd = word if effects.cwd is None else under(effects.cwd, word)


def _base(effects: Effects, kind: str, word: Word, name: str) -> None:
    effects.base = word if effects.base is None else under(effects.base, word)


def _plain(effects: Effects, kind: str, word: Word, name: str) -> None:
    for effect in EFFECTS_OF[kind]:
        said = _with(word, effect, name)
        effects.causes.append(cause_of(effect, f"`{name}` {said}" if name else said, option(name)))


def _nothing(effects: Effects, kind: str, word: Word, name: str) -> None:
    """A word that only its form can be wrong with, which was looked at before."""


def _host(effects: Effects, kind: str, word: Word, name: str) -> None:
    if kind == "ssh":
        _reach(effects, Connect(hosts.of_ssh(word), "ssh"), word, name)
    else:
        _reach(effects, Connect(hosts.of_host(word), "tcp"), word, name)


def _url(effects: Effects, kind: str, word: Word, name: str) -> None:
    found = hosts.of_url(word)
    if found is None:
        path = str(word)[len("file://") :]
        effects.say("read", name, f"reads `{path}`", Access(path, "read"))
    else:
        _reach(effects, found, word, name)


def _urls(effects: Effects, kind: str, word: Word, name: str) -> None:
    """A file of addresses, of which any may be in it."""
    effects.file("file", word, name)
    _reach(effects, Connect(Dynamic("…"), "http"), word, name)


def _location(effects: Effects, kind: str, word: Word, name: str) -> None:
    found = hosts.of_remote(word)
    if found is not None:
        _reach(effects, found, word, name)
        if kind in _SENT:
            effects.by_word(word, "remote", name, f"writes to `{show(word)}`")
    if found is None or isinstance(word, Dynamic):
        effects.file(_LOCAL[kind], word, name)


def _repo(effects: Effects, kind: str, word: Word, name: str) -> None:
    if hosts.may_be_helper(word):
        effects.by_word(word, "execute", name, f"`{show(word)}` may name a transport program")
        if isinstance(word, str):
            return
    found = hosts.of_remote(word)
    if found is not None:
        _reach(effects, found, word, name)
    elif isinstance(word, str):
        effects.remotes += (word,)


def _cloned(effects: Effects, kind: str, word: Word, name: str) -> None:
    """A remote of which a copy is made, in a directory of its name."""
    _repo(effects, "repo", word, name)
    made = humanish(word) if isinstance(word, str) else ""
    if made:
        effects.file("new-tree", made, name)


def _own_service(effects: Effects, kind: str, word: Word, name: str) -> None:
    found = hosts.of_url(word) or Connect(word, "http")
    known = hosts.is_local(word)
    effect, verb = ("read", "asks this machine for") if known else ("network", "reaches")
    effects.say(effect, name, f"{verb} `{show(word)}`", found)


def _slug(effects: Effects, kind: str, word: Word, name: str) -> None:
    host = hosts.of_slug(word)
    if host is not None:
        _reach(effects, Connect(host, "https"), word, name)


def _reach(effects: Effects, found: Connect, word: Word, name: str) -> None:
    subject = found.replace(port=hosts.port(word))
    effects.say("network", name, f"reaches `{show(word)}`", subject)


def _runs(effects: Effects, kind: str, word: Word, name: str) -> None:
    """Code that a word names or holds; that of a file has a place."""
    if kind != "program" and word in STREAM:
        subject = Access(word, "execute") if kind == "source" else None
        effects.causes.append(Cause("execute", says(effects.stdin), subject, STDIN))
        if word != "-" and effects.input:
            text, via = effects.input, effects.via(name)
            effects.inner += (Inner(via, script=text, cwd=effects.cwd, possible=True),)
        return
    effects.holds_code |= kind == "code" and isinstance(word, str)
    path = word if effects.cwd is None else under(effects.cwd, word)
    subject = Access(path, "execute") if kind == "source" else None
    said = f"`{name}` runs `{show(word)}`" if name else f"runs `{show(word)}`"
    effects.causes.append(Cause("execute", said, subject, option(name), code=path))


def _python(effects: Effects, kind: str, word: Word, name: str) -> None:
    """A text in Python."""
    _runs(effects, "code", word, name)
    if isinstance(word, str):
        effects.python(word, option(name) if name else operand(word))


def _setting(effects: Effects, kind: str, word: Word, name: str) -> None:
    from execpolicy.catalogue.scripts.git_setting import effects_of

    for effect, why in effects_of(word):
        effects.by_word(word, effect, name, f"sets `{show(word)}`, which {why}")


def _assignment(effects: Effects, kind: str, word: Word, name: str) -> None:
    text = word if isinstance(word, str) else word.prefix
    key, _, value = text.partition("=")
    if isinstance(word, Dynamic):
        source = word.source.partition("=")[2] or word.source
        effects.assign(Assignment(key, Dynamic(source, value, single=True), exported=True))
    else:
        effects.assign(Assignment(key, value, exported=True))


def _placeholder(effects: Effects, kind: str, word: Word, name: str) -> None:
    if isinstance(word, Dynamic):
        effects.say("execute", name, f"which words `{word.source}` stands for cannot be known")
    else:
        effects.placeholder = word
        effects.appended = kind == "placeholder-or-end"
        effects.spread = kind == "placeholder..."


def _script(effects: Effects, kind: str, word: Word, name: str) -> None:
    if isinstance(word, Dynamic):
        _computed_script(effects, kind, word, name)
        return
    from execpolicy.catalogue.scripts.causes import causes_of
    from execpolicy.catalogue.scripts.effect import Effect, ShellText

    found = causes_of(kind.removeprefix("remote-"), word)
    changes = (each for each in found if isinstance(each, Effect) and each.effect in CHANGES)
    if kind == "remote-sql" and any(changes):
        effects.by_word(word, "remote", name, "changes what a server holds")
    by = option(name) if name else operand(word)
    for each in found:
        if isinstance(each, ShellText):
            _shell(effects, "shell", each.text, name)
            continue
        said = f"`{name}` {each.why}" if name else each.why
        cause = cause_of(each.effect, said, by)
        effects.causes.append(cause.replace(subject=each.subject) if each.subject else cause)


def _computed_script(effects: Effects, kind: str, word: Dynamic, name: str) -> None:
    """A script of which not every word is written out does all that its language can do."""
    if word.template:
        from execpolicy.catalogue.scripts.numbers import only_prints

        if only_prints(kind, word.template):
            return
    for effect in EFFECTS_OF[kind]:
        said = f"what `{word.source}` says in {kind} cannot be known"
        effects.by_word(word, effect, name, said)


def _template(effects: Effects, kind: str, word: Word, name: str) -> None:
    from execpolicy.catalogue.scripts import template

    found = None if isinstance(word, Dynamic) else [word]
    if isinstance(word, str) and kind == "bindings":
        found = template.commands(word)
    scripts = [template.filled(text) for text in found or ()]
    if found is None or None in scripts:
        effects.by_word(word, "execute", name, f"what `{show(word)}` runs cannot be known")
        return
    via = effects.via(name)
    effects.inner += tuple(Inner(via, script=script, cwd=effects.cwd) for script in scripts)


def _shell(effects: Effects, kind: str, word: Word, name: str) -> None:
    effects.script(word, _SHELLS[kind], name)


def _with(word: Word, effect: str, name: str) -> str:
    """That a word has an effect, or an option with this value."""
    return f"{'with ' if name else ''}`{show(word)}` {BASE[effect]}"


_ADD: "dict[str, Callable[[Effects, str, Word, str], None]]" = {
    "number": _nothing,
    "name": _nothing,
    "own": _own,
    "patch": _patch,
    "only-names": _nothing,
    "not-names": _nothing,
    "host": _host,
    "ssh": _host,
    "url": _url,
    "local": _own_service,
    "repo": _repo,
    "cloned": _cloned,
    "slug": _slug,
    "member": _within,
    "form-field": _within,
    "object": _object,
    "database": _database,
    "database-readonly": _database,
    "packed": _packed,
    "packed-kept": _packed,
    "suffix": _suffix,
    "out-prefix": _prefix,
    **dict.fromkeys(LIMITS, _limit),
    **dict.fromkeys(_BESIDE, _set_beside),
    "variable": _variable,
    "resource": _resource,
    "including": _including,
    "chart": _chart,
    "urls": _urls,
    "location": _location,
    "location-tree": _location,
    "location-out": _location,
    "location-into": _location,
    "program": _runs,
    "code": _runs,
    "python": _python,
    "source": _runs,
    "shell": _shell,
    "bash": _shell,
    "zsh": _shell,
    "assignment": _assignment,
    "git-setting": _setting,
    "placeholder": _placeholder,
    "placeholder-or-end": _placeholder,
    "placeholder...": _placeholder,
    "cwd": _cwd,
    "base": _base,
    "template": _template,
    "bindings": _template,
    **dict.fromkeys(_SCRIPTS, _script),
}

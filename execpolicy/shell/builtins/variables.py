"""Builtins that set, declare and unset variables."""

from execpolicy.model.operation import Dynamic
from execpolicy.shell.builtins import options
from execpolicy.shell.builtins.builtin_effect import (
    Argument,
    Arguments,
    Bound,
    BuiltinEffect,
    Declared,
    GivenList,
)
from execpolicy.shell.chars import is_name
from execpolicy.shell.syntax.tree import AssignmentWord


def declare(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    """What `declare`, `typeset`, `local`, `export` and `readonly` do."""
    result = BuiltinEffect()
    flags = ""
    while words and isinstance(words[0], str):
        word = words[0]
        if word[:1] not in ("-", "+") or word in ("-", "--"):
            words = words[1:] if word in ("-", "--") else words
            break
        flags += word[1:] if word[0] == "-" else word[1:].replace("x", "")
        words = words[1:]
    if not set(flags) <= set("aAfFgiIlnprtux") or ("n" in flags and name != "export"):
        return BuiltinEffect(f"an option of `{name}` that changes what assignments mean")
    if "f" in flags and name == "export":
        return BuiltinEffect("`export -f` hands functions to programs")
    shows = set(flags) & set("fFp")
    if shows and not (shows == {"p"} and name in ("export", "readonly")):
        return _shown(words, name, flags, shell)
    exported = (name == "export" and "n" not in flags) or "x" in flags
    for operand in words:
        _declared(result, operand, name, flags, exported)
    return result


def _shown(words: "Arguments", name: str, flags: str, shell: str | None) -> BuiltinEffect | None:
    """Options that show functions or variables; in zsh `-F` declares numbers."""
    if not all(isinstance(w, str) and "=" not in w for w in words):
        return BuiltinEffect(f"computed `{name}`")
    if not words or "F" not in flags or shell in ("bash", "sh"):
        return None
    result = BuiltinEffect(f"`{name} -F` evaluates what is assigned in zsh")
    result.names = tuple(word for word in words if isinstance(word, str))
    return result


def _declared(
    result: BuiltinEffect, word: "Argument", name: str, flags: str, exported: bool
) -> None:
    """One operand of `declare`, `export`, `local`, `readonly` or `typeset`."""
    keeps = name in ("export", "readonly")
    if isinstance(word, AssignmentWord):
        found = Declared(word.name, word, exported)
        result.assignments.append(word)
        if set(flags) & set("iluA"):
            result.bound.append(Bound(found.name, "i" in flags))
    else:
        named = _named(word, exported)
        if named is None:
            result.why = f"`{name}` evaluates a computed name or a subscript"
            return
        found = named
        if found.value is not None or not keeps:
            result.bound.append(Bound(found.name, found.value is None))
    if name == "readonly" or "r" in flags:
        result.frozen.append(found.name)
    result.declared.append(found)
    is_list = bool(set(flags) & set("aA"))
    if is_list or not keeps:
        result.lists.append(GivenList(found.name, found.value, is_list))
    if "i" in flags:
        result.why = f"`{name} -i` evaluates what is assigned"
        result.names += (found.name,)


def _named(word: str | Dynamic, exported: bool) -> Declared | None:
    """What `name` or `name=value` declares; None where the name is computed."""
    text = word if isinstance(word, str) else word.prefix
    name, equals, value = text.partition("=")
    name = name.removesuffix("+")
    if not is_name(name) or not (equals or isinstance(word, str)):
        return None
    if not equals:
        return Declared(name, None, exported)
    given = value if isinstance(word, str) else Dynamic(word.source, value, single=True)
    return Declared(name, given, exported)


def read(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    """What `read` does."""
    result = BuiltinEffect()
    operands = options.operands(words, "adinNptu", "ers")
    if operands is None or not all(isinstance(w, str) and is_name(w) for w in operands):
        result.why = "`read` evaluates a computed name or a subscript"
        return result
    if shell != "bash" and shell != "sh" and not options.timed(words):
        result.why = "zsh evaluates the time that `read -t` is given"
    arrays = options.values(words, "adinNptu", "a")
    for operand in [*operands, *arrays] or ["REPLY"]:
        if not isinstance(operand, str) or not is_name(operand):
            result.why = "`read` evaluates a computed name or a subscript"
        else:
            result.bound.append(Bound(operand))
            result.declared.append(Declared(operand, Dynamic("read", single=True)))
    result.lists = [
        GivenList(array, None, certain=True) for array in arrays if isinstance(array, str)
    ]
    return result


def mapfile(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    """What `mapfile` and `readarray` do."""
    operands = options.operands(words, "dnOsuc", "t")
    if operands is None or not all(isinstance(w, str) and is_name(w) for w in operands):
        return BuiltinEffect(f"`{name}` with a callback or a computed name")
    result = BuiltinEffect()
    for operand in operands or ["MAPFILE"]:
        result.bound.append(Bound(str(operand)))
        result.declared.append(Declared(str(operand)))
        result.lists.append(GivenList(str(operand), None, certain=True))
    return result


def getopts(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    """What `getopts` does."""
    if len(words) < 2 or not isinstance(words[1], str) or not is_name(words[1]):
        return BuiltinEffect("`getopts` with a computed name")
    result = BuiltinEffect()
    result.bound += [Bound(words[1]), Bound("OPTARG")]
    result.declared.append(Declared(words[1]))
    return result


def unset(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    """What `unset` does."""
    result = BuiltinEffect()
    for word in words:
        if word in ("-f", "-v", "-n", "--"):
            continue
        # `a[1]` is a glob too, and whatever that gives is a name without a subscript
        text = word if isinstance(word, str) else getattr(word, "source", "")
        if not _unsettable(text):
            return BuiltinEffect("`unset` evaluates a computed name or a subscript")
        result.bound.append(Bound(text.partition("[")[0], number=True))
        result.shadowed.append(text)
        if text.partition("[")[0] == "PATH":
            result.why = "without `PATH` bash runs programs of the working directory"
    return result


def _unsettable(word: str) -> bool:
    name, _, rest = word.partition("[")
    return is_name(name) and (rest == "" or (rest[:-1].isdigit() and rest[-1] == "]"))

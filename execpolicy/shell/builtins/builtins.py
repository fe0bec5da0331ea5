"""What the shell's own commands do to the shell (bash manual, chapter 4).

Each function takes the words after the name and says what follows from them. A word is an
assignment as parsed, a literal, or computed.
"""

from execpolicy.model.operation import Dynamic
from execpolicy.shell.builtins import options, printf_formats, traps
from execpolicy.shell.builtins.builtin_effect import Bound, BuiltinEffect, Declared, GivenList
from execpolicy.shell.chars import is_name, names, names_in
from execpolicy.shell.syntax.tree import AssignmentWord
from execpolicy.shell.syntax.words import arithmetic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.shell.builtins.builtin_effect import Argument, Arguments


def effect(argv: "Arguments", shell: str | None) -> BuiltinEffect | None:
    """What running `argv` does to the shell, None if it is no builtin that does anything."""
    argv = _unwrapped(argv)
    if not argv or not isinstance(argv[0], str):
        return BuiltinEffect("a computed command name") if argv else None
    name = argv[0]
    reader = _READERS.get(name)
    if reader is not None:
        return reader(argv[1:], name, shell)
    if name in _OPAQUE:
        result = BuiltinEffect(f"`{name}` runs what is not in the text")
        result.sourced = name in _SOURCE
        return result
    if shell != "bash" and shell != "sh" and name in _ZSH:
        return BuiltinEffect(f"zsh reads `{name}` in a way of its own")
    return None


def _unwrapped(argv: "Arguments") -> "Arguments":
    """Without `command` and `builtin`, which run a builtin all the same."""
    while argv and (argv[0] == "command" or argv[0] == "builtin"):
        rest = argv[1:]
        while rest and (rest[0] == "-p" or rest[0] == "--"):
            rest = rest[1:]
        if rest and isinstance(rest[0], str) and rest[0][:1] == "-":
            return []
        argv = rest
    return argv


def _eval(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    result = BuiltinEffect("`eval` reads a text as commands")
    literal = [word for word in words if isinstance(word, str)]
    if len(literal) == len(words):
        result.scripts.append(" ".join(literal[literal[:1] == ["--"] :]))
    return result


def _trap(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    if words[:1] == ["--"]:
        words = words[1:]
    if not words or words[0] in ("-", "", "-l", "-p"):
        return None
    if isinstance(words[0], str) and traps.only_says(words[0]):
        quiet = "echo" not in words[0] or all(map(traps.outside, words[1:]))
        return None if quiet else BuiltinEffect(trap_output=True)
    result = BuiltinEffect("`trap` sets commands that run later")
    if isinstance(words[0], str):
        result.scripts.append(words[0])
    return result


def _alias(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    if not words or all(isinstance(w, str) and "=" not in w and w != "-g" for w in words):
        return None
    result = BuiltinEffect(f"`{name}` gives commands another meaning")
    result.later = name == "alias" and all(isinstance(word, str) for word in words)
    for word in words:
        text = word if isinstance(word, str) else getattr(word, "prefix", "")
        if "=" in text:
            result.shadowed.append(text[: text.index("=")])
    return result


def _hash(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    if all(isinstance(w, str) and "=" not in w and w[:2] not in ("-p", "-d") for w in words):
        return None
    result = _alias(words, name, shell) or BuiltinEffect("`hash -p` gives commands another meaning")
    result.shadowed += [word for word in words if isinstance(word, str)]
    return result


def _declare(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
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
    """One operand of `declare` and its kin."""
    if isinstance(word, AssignmentWord):
        result.assignments.append(word)
        result.declared.append(Declared(word.name, word, exported))
        if set(flags) & set("iluA"):
            result.bound.append(Bound(word.name, "i" in flags))
        variable = word.name
        listed: Argument | None = word
    else:
        text = word if isinstance(word, str) else word.prefix
        variable, equals, value = text.partition("=")
        variable = variable.removesuffix("+")
        if not is_name(variable) or not (equals or isinstance(word, str)):
            result.why = f"`{name}` evaluates a computed name or a subscript"
            return
        if equals:
            result.bound.append(Bound(variable))
            known = value if isinstance(word, str) else Dynamic(word.source, value, True)
            result.declared.append(Declared(variable, known, exported))
            listed = known
        else:
            listed = None
            if name not in ("export", "readonly"):
                result.bound.append(Bound(variable, True))
            result.declared.append(Declared(variable, None, exported))
    if set(flags) & set("aA") or name not in ("export", "readonly"):
        result.lists.append(GivenList(variable, listed, bool(set(flags) & set("aA"))))
    if "i" in flags:
        result.why = f"`{name} -i` evaluates what is assigned"
        result.names += (variable,)


def _read(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
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
            result.declared.append(Declared(operand, Dynamic("read", "", True)))
    result.lists = [GivenList(array, None, True) for array in arrays if isinstance(array, str)]
    return result


def _mapfile(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    operands = options.operands(words, "dnOsuc", "t")
    if operands is None or not all(isinstance(w, str) and is_name(w) for w in operands):
        return BuiltinEffect(f"`{name}` with a callback or a computed name")
    result = BuiltinEffect()
    for operand in operands or ["MAPFILE"]:
        result.bound.append(Bound(str(operand)))
        result.declared.append(Declared(str(operand)))
        result.lists.append(GivenList(str(operand), None, True))
    return result


def _getopts(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    if len(words) < 2 or not isinstance(words[1], str) or not is_name(words[1]):
        return BuiltinEffect("`getopts` with a computed name")
    result = BuiltinEffect()
    result.bound += [Bound(words[1]), Bound("OPTARG")]
    result.declared.append(Declared(words[1]))
    return result


def _unset(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    result = BuiltinEffect()
    for word in words:
        if word in ("-f", "-v", "-n", "--"):
            continue
        # `a[1]` is a glob too, and whatever that gives is a name without a subscript
        text = word if isinstance(word, str) else getattr(word, "source", "")
        if not _unsettable(text):
            return BuiltinEffect("`unset` evaluates a computed name or a subscript")
        result.bound.append(Bound(text.partition("[")[0], True))
        result.shadowed.append(text)
        if text.partition("[")[0] == "PATH":
            result.why = "without `PATH` bash runs programs of the working directory"
    return result


def _unsettable(word: str) -> bool:
    name, _, rest = word.partition("[")
    return is_name(name) and (rest == "" or (rest[:-1].isdigit() and rest[-1] == "]"))


def _printf(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    if not words:
        return None
    first = words[0]
    if isinstance(first, Dynamic) and first.prefix[:2] in ("", "-", "-v"):
        if first.single and len(words) == 1:
            return None
        return BuiltinEffect("`printf` with a computed format, which may be `-v`")
    if not isinstance(first, str) or first[:2] != "-v":
        words = words[words[:1] == ["--"] :]
        return _counted(words) or (None if shell in ("bash", "sh") else _zsh_printf(words))
    if first != "-v" or len(words) < 2 or not isinstance(words[1], str) or not is_name(words[1]):
        return BuiltinEffect("`printf -v` evaluates a computed name or a subscript")
    result = BuiltinEffect()
    result.bound, result.declared = [Bound(words[1])], [Declared(words[1])]
    return result


def _counted(words: "Arguments") -> BuiltinEffect | None:
    """`%n` sets the name that is its argument; a computed format may hold it."""
    if not words or isinstance(words[0], str):
        opaque = bool(words) and printf_formats.counts(str(words[0]))
        return BuiltinEffect("`printf %n` sets a variable") if opaque else None
    result = BuiltinEffect()
    result.bound = [Bound(w, True) for w in words[1:] if isinstance(w, str) and is_name(w)]
    result.declared = [Declared(each.name) for each in result.bound]
    return result if result.bound else None


def _zsh_printf(words: "Arguments") -> BuiltinEffect | None:
    """zsh evaluates what a numeric conversion shows."""
    if not words or (isinstance(words[0], str) and not printf_formats.shows_numbers(words[0])):
        return None
    shown = words[1:]
    taken = printf_formats.numbers(words[0]) if isinstance(words[0], str) else []
    if taken and all(isinstance(w, str) or getattr(w, "single", False) for w in shown):
        shown = [word for at, word in enumerate(shown) if taken[at % len(taken)]]
    return _evaluated(shown, "printf")


def _evaluated(words: "Arguments", name: str) -> BuiltinEffect | None:
    """Words that zsh evaluates as arithmetic, of which only numbers are harmless."""
    result = BuiltinEffect(f"zsh evaluates what `{name}` is given")
    for word in words:
        if isinstance(word, str) and not (set(word) & set("[$`(")):
            result.names += tuple(names_in(word))
            continue
        if not isinstance(word, Dynamic):
            return result
        variable, source = _variable(word), word.source.strip('"')
        if variable or _is_output(source):
            result.names += (variable or word,)
        elif not _counts(source):
            return result
    return result if result.names else None


def _is_output(source: str) -> bool:
    """Whether this begins with the output of commands."""
    return source[:2] == "$(" and source[:3] != "$(("


def _counts(source: str) -> bool:
    """Whether this is a number of the shell's own, or one that it computes."""
    if source[:3] == "$((" and source[-2:] == "))":
        return arithmetic.names((source[3:-2],)) is not None
    return source in ("$?", "$#", "$$")


def _status(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    return None if shell in ("bash", "sh") else _evaluated(words, name)


def _let(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    result = BuiltinEffect()
    for word in words:
        found = arithmetic.names((word,)) if isinstance(word, str) else None
        if found is None:
            return BuiltinEffect("`let` evaluates a computed text")
        result.bound += [Bound(variable, True) for variable in found.written]
        result.declared += [Declared(variable) for variable in found.written]
        result.names += tuple(found.read)
    if result.names:
        result.why = "`let` evaluates a name that may hold more than a number"
    return result


def _test(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    if shell != "bash" and shell != "sh" and options.asks_terminal(words):
        return BuiltinEffect(f"zsh evaluates what `{name} -t` is given")
    result = BuiltinEffect(f"`{name}` with any number of computed words, which may be `-v`")
    result.not_option = True
    following = [*words[1:], "]"][: len(words)]
    for word, after in zip(words, following, strict=True):
        operator = word if isinstance(word, str) else getattr(word, "prefix", "")
        if isinstance(word, str) and word not in ("-v", "-R"):
            continue
        if isinstance(word, Dynamic) and not word.single:
            variable = _variable(word)
            if not variable:
                return result
            result.names += (variable,)
        elif operator in ("", "-", "-v", "-R") and not (
            isinstance(after, str) and "[" not in after
        ):
            return BuiltinEffect(f"`{name} -v` evaluates a subscript")
    return result if result.names else None


def _variable(word: Dynamic) -> str:
    """The name in `$name` and `${name}`, with or without quotes; empty for anything else."""
    source = word.source.strip('"')
    variable = source[2:-1] if source[:2] == "${" else source[1:]
    return variable if is_name(variable) and source[:1] == "$" else ""


_SET = frozenset("euxvCmbhfET")
_UNSET = _SET | frozenset("akHnpt")
_SET_O = names(
    "errexit nounset xtrace verbose pipefail noclobber monitor notify hashall noglob errtrace "
    "functrace vi emacs"
)
_UNSET_O = names("allexport histexpand history keyword posix")
_SHOPT = names(
    "nullglob failglob dotglob globstar lastpipe inherit_errexit nocasematch globasciiranges "
    "globskipdots checkwinsize cmdhist histappend checkjobs huponexit login_shell autocd "
    "cdable_vars cdspell checkhash complete_fullquote direxpand dirspell execfail force_fignore "
    "gnu_errfmt histreedit histverify hostcomplete interactive_comments lithist mailwarn "
    "no_empty_cmd_completion progcomp promptvars shift_verbose sourcepath extglob"
)


def _set(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    i = 0
    while i < len(words):
        word = words[i]
        i += 1
        if not isinstance(word, str):
            return BuiltinEffect("`set` with computed options")
        if word in ("-", "--") or word[:1] not in ("-", "+"):
            return None
        letters = word[1:]
        if letters.count("o") > 1:
            return BuiltinEffect("an option of `set` that changes how the text is read")
        if "o" in letters and i < len(words):
            if words[i] not in _SET_O and not (word[0] == "+" and words[i] in _UNSET_O):
                return BuiltinEffect("an option of `set` that changes how the text is read")
            i += 1
        if not set(letters) <= (_SET | {"o"} if word[0] == "-" else _UNSET):
            return BuiltinEffect("an option of `set` that changes how the text is read")
    return None


def _shopt(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    plain = all(isinstance(w, str) and w[:1] != "-" for w in words[1:])
    if words[:1] == ["-u"] and plain and "extquote" not in words:
        return None  # every other option that changes the reading is off to begin with
    changes = any(not isinstance(w, str) or (w[:1] == "-" and set(w) & set("suo")) for w in words)
    if changes and not all(isinstance(w, str) and (w[:1] == "-" or w in _SHOPT) for w in words):
        return BuiltinEffect("an option of `shopt` that changes how the text is read")
    return None


def _wait(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    if any(not isinstance(w, str) or w[:2] in ("-p", "-x") for w in words):
        return BuiltinEffect(f"`{name}` with a computed name or command")
    return None


def _jobs(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    computed = any(isinstance(w, Dynamic) and w.prefix in ("", "-", "-x") for w in words)
    return BuiltinEffect("`jobs -x` runs a command") if "-x" in words or computed else None


def _zsh_set(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    return BuiltinEffect(f"`{name}` changes how zsh reads the text") if shell != "bash" else None


_SOURCE = frozenset((".", "source"))
_OPAQUE = _SOURCE | {"enable", "compgen", "fc"}
_ZSH = names(
    "repeat foreach end noglob nocorrect - autoload zmodload emulate sched functions zle zstyle "
    "bindkey vared integer float private disable zcompile compdef nameref always"
)
_READERS: "dict[str, Callable[[Arguments, str, str | None], BuiltinEffect | None]]" = {
    "eval": _eval,
    "trap": _trap,
    "alias": _alias,
    "hash": _hash,
    "declare": _declare,
    "typeset": _declare,
    "local": _declare,
    "export": _declare,
    "readonly": _declare,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "getopts": _getopts,
    "unset": _unset,
    "printf": _printf,
    "let": _let,
    "test": _test,
    "[": _test,
    "set": _set,
    "shopt": _shopt,
    "wait": _wait,
    "jobs": _jobs,
    "exit": _status,
    "return": _status,
    "shift": _status,
    "break": _status,
    "continue": _status,
    "setopt": _zsh_set,
    "unsetopt": _zsh_set,
}
NAMES = frozenset(_READERS) | _OPAQUE | _ZSH | {"command", "builtin", "exec"}

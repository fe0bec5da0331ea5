"""Builtins that evaluate their words: as arithmetic, as a format, as names with subscripts."""

from execpolicy.model.operation import Dynamic
from execpolicy.shell.builtins import options, printf_formats
from execpolicy.shell.builtins.builtin_effect import Arguments, Bound, BuiltinEffect, Declared
from execpolicy.shell.chars import is_name, names_in
from execpolicy.shell.syntax.words import arithmetic


def printf(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    """What `printf` does."""
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
    result.bound = [Bound(w, number=True) for w in words[1:] if isinstance(w, str) and is_name(w)]
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


def status(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    """What `exit`, `return`, `shift`, `break` and `continue` do with their number."""
    return None if shell in ("bash", "sh") else _evaluated(words, name)


def let(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect:
    """What `let` does."""
    result = BuiltinEffect()
    for word in words:
        found = arithmetic.names((word,)) if isinstance(word, str) else None
        if found is None:
            return BuiltinEffect("`let` evaluates a computed text")
        result.bound += [Bound(variable, number=True) for variable in found.written]
        result.declared += [Declared(variable) for variable in found.written]
        result.names += tuple(found.read)
    if result.names:
        result.why = "`let` evaluates a name that may hold more than a number"
    return result


def test(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    """What `test` and `[` do."""
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

"""What the shell's own commands do to the shell (bash manual, chapter 4).

Each function takes the words after the name and says what follows from them. A word is an
assignment as parsed, a literal, or computed.
"""

from _collections_abc import Callable

from execpolicy.model.operation import Dynamic
from execpolicy.shell.builtins import evaluation, shell_options, traps, variables
from execpolicy.shell.builtins.builtin_effect import Arguments, BuiltinEffect
from execpolicy.shell.chars import names


def effect(argv: "Arguments", shell: str | None) -> BuiltinEffect | None:
    """What running `argv` does to the shell, None if it is not a builtin that does anything."""
    argv = _unwrapped(argv)
    if not argv or not isinstance(argv[0], str):
        return BuiltinEffect("a computed command name") if argv else None
    name = argv[0]
    reader = _READERS.get(name)
    if reader is not None:
        return reader(argv[1:], name, shell)
    if name in _OPAQUE:
        return BuiltinEffect(f"`{name}` runs what is not in the text")
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
    text = words[0]
    is_apart = isinstance(text, str) and traps.is_apart(text, words[1:], _READERS.keys() | _OPAQUE)
    result = BuiltinEffect(None if is_apart else "`trap` sets commands that run later")
    result.returns = True
    if isinstance(text, str):
        result.scripts.append(text)
    return result


def _alias(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    if not words or all(isinstance(w, str) and "=" not in w and w != "-g" for w in words):
        return None
    result = BuiltinEffect(f"`{name}` gives commands another meaning")
    result.returns = True
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


def _wait(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    if any(w[:2] in ("-p", "-x") if isinstance(w, str) else not _is_number(w) for w in words):
        return BuiltinEffect(f"`{name}` with a computed name or command")
    return None


def _is_number(word: object) -> bool:
    """Whether a word is the number of the last process in the background, or none."""
    return isinstance(word, Dynamic) and word.source.strip('"') == "$!"


def _jobs(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    computed = any(isinstance(w, Dynamic) and w.prefix in ("", "-", "-x") for w in words)
    return BuiltinEffect("`jobs -x` runs a command") if "-x" in words or computed else None


def _zsh_set(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    return BuiltinEffect(f"`{name}` changes how zsh reads the text") if shell != "bash" else None


SOURCE = frozenset((".", "source"))
"""The names of the builtin that runs the commands of a file."""
_OPAQUE = SOURCE | {"enable", "compgen", "fc"}
_ZSH = names(
    "repeat foreach end noglob nocorrect - autoload zmodload emulate sched functions zle zstyle "
    "bindkey vared integer float private disable zcompile compdef nameref always"
)
_READERS: "dict[str, Callable[[Arguments, str, str | None], BuiltinEffect | None]]" = {
    "eval": _eval,
    "trap": _trap,
    "alias": _alias,
    "hash": _hash,
    "declare": variables.declare,
    "typeset": variables.declare,
    "local": variables.declare,
    "export": variables.declare,
    "readonly": variables.declare,
    "read": variables.read,
    "mapfile": variables.mapfile,
    "readarray": variables.mapfile,
    "getopts": variables.getopts,
    "unset": variables.unset,
    "printf": evaluation.printf,
    "let": evaluation.let,
    "test": evaluation.test,
    "[": evaluation.test,
    "set": shell_options.set_,
    "shopt": shell_options.shopt,
    "wait": _wait,
    "jobs": _jobs,
    "exit": evaluation.status,
    "return": evaluation.status,
    "shift": evaluation.status,
    "break": evaluation.status,
    "continue": evaluation.status,
    "setopt": _zsh_set,
    "unsetopt": _zsh_set,
}
NAMES = frozenset(_READERS) | _OPAQUE | _ZSH | {"command", "builtin", "exec"}

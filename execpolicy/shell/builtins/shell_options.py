"""Builtins that change the options of the shell: which of them leave the reading as it is."""

from execpolicy.shell.builtins.builtin_effect import Arguments, BuiltinEffect
from execpolicy.shell.chars import names

_SET = frozenset("aeuxvCmbhfET")
_UNSET = _SET | frozenset("kHnpt")
_EXPORTING = "allexport"
_SET_O = names(
    "errexit nounset xtrace verbose pipefail noclobber monitor notify hashall noglob errtrace "
    "functrace vi emacs allexport"
)
_UNSET_O = names("histexpand history keyword posix")
DOT_GLOBS = "dotglob"
"""The option with which a glob matches names that begin with a dot (bash manual, 4.3.2)."""
_SHOPT = {DOT_GLOBS} | names(
    "nullglob failglob globstar lastpipe inherit_errexit nocasematch globasciiranges "
    "globskipdots checkwinsize cmdhist histappend checkjobs huponexit login_shell autocd "
    "cdspell checkhash complete_fullquote direxpand dirspell execfail force_fignore "
    "gnu_errfmt histreedit histverify hostcomplete interactive_comments lithist mailwarn "
    "no_empty_cmd_completion progcomp promptvars shift_verbose sourcepath extglob"
)


def set_(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    """What `set` does."""
    i = 0
    exporting = BuiltinEffect()
    while i < len(words):
        word = words[i]
        i += 1
        if not isinstance(word, str):
            return BuiltinEffect("`set` with computed options")
        if word in ("-", "--") or word[:1] not in ("-", "+"):
            break
        letters = word[1:]
        if letters.count("o") > 1:
            return BuiltinEffect("an option of `set` that changes how the text is read")
        exporting.exporting |= word[0] == "-" and "a" in letters
        if "o" in letters and i < len(words):
            exporting.exporting |= word[0] == "-" and words[i] == _EXPORTING
            if words[i] not in _SET_O and not (word[0] == "+" and words[i] in _UNSET_O):
                return BuiltinEffect("an option of `set` that changes how the text is read")
            i += 1
        if not set(letters) <= (_SET | {"o"} if word[0] == "-" else _UNSET):
            return BuiltinEffect("an option of `set` that changes how the text is read")
    return exporting if exporting.exporting else None


def shopt(words: "Arguments", name: str, shell: str | None) -> BuiltinEffect | None:
    """What `shopt` does."""
    plain = all(isinstance(w, str) and w[:1] != "-" for w in words[1:])
    if words[:1] == ["-u"] and plain and "extquote" not in words:
        return None  # every other option that changes the reading is off to begin with
    changes = any(not isinstance(w, str) or (w[:1] == "-" and set(w) & set("suo")) for w in words)
    if changes and not all(isinstance(w, str) and (w[:1] == "-" or w in _SHOPT) for w in words):
        return BuiltinEffect("an option of `shopt` that changes how the text is read")
    if DOT_GLOBS not in words:
        return None
    result = BuiltinEffect()
    result.dots = True
    return result

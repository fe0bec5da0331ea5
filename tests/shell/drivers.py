"""The shells that the reader is held against: each writes down the commands of scripts.

No program runs. Each script has a subshell of its own in one process. The names of `NAMES` are
functions that write down their words; where a shell lets unknown names come to a function, that
does the same. A record is the number of the script, the number of its words and the words; with
`BEGINS` for the number of words it says that this script begins now. The one after the last script
says that all have ended.
"""

import shutil

from execpolicy.support.record import Value
from tests.shell_strategies import NAMES

BEGINS = "-1"
_HANDLED = r"""
_log() {
  (( ++_n > 60 )) && builtin exit
  builtin printf '%s\0' "$_id" "$#" "${@//$'\n'/$'\x1e'}" >&9
}
HANDLER() { _log "$@"; return 127; }
STUBS
FUNCNEST=4 _n=0 v="v1 v2" g='*' e= w=W n=1
unset u x y z arr fd
set -- p1 "p 2"
ulimit -f 100
"""
_REPLACED = r"${@//$'\n'/$'\x1e'}"
"""Shells write line by line, and lines of concurrent commands mix: no line ends in a record."""
_BY_NAME = "${(@)${(@)argv%%$_end*}//$_nl/$_rs}"
"""The same in zsh, where a word may hold a NUL: a program would get what is before it."""
_BASH = _HANDLED.replace("HANDLER", "command_not_found_handle").replace("ulimit", "builtin ulimit")
_ZSH = (
    _HANDLED.replace("HANDLER", "command_not_found_handler").replace(_REPLACED, _BY_NAME)
    + "setopt no_nomatch\n_nl=$'\\n' _rs=$'\\x1e' _end=$'\\0'\n"
)
_DASH = r"""
_log() {
  _n=$((_n + 1)); [ $_n -le 60 ] || exit
  printf '%s\0' "$_id" "$#" "$@" >&9
}
STUBS
_n=0 v="v1 v2" g='*' e= w=W n=1
set -- p1 "p 2"
ulimit -f 100
"""


class Shell(Value):
    """A shell that can be asked what it runs. `readings` names it as `read` knows it.

    `bounded`: it ends functions that call themselves.
    """

    name: str
    command: tuple[str, ...]
    prologue: str
    readings: tuple[str | None, ...]
    bounded: bool = True

    @property
    def installed(self) -> bool:
        """Whether this machine has it."""
        return shutil.which(self.command[0]) is not None

    def driver(self, scripts: list[str]) -> bytes:
        """The text that has all `scripts` run, each on its own."""
        stubs = "\n".join(f'{name}() {{ _log {name} "$@"; }}' for name in NAMES)
        lines = [self.prologue.replace("STUBS", stubs)]
        for number, script in enumerate(scripts):
            quoted = script.replace("'", "'\\''")
            lines.append(f"_id={number}; printf '%s\\0' {number} {BEGINS} >&9")
            lines.append(f"( ulimit -t 1; eval '{quoted}' ) </dev/null >/dev/null 2>&1")
        lines.append(f"printf '%s\\0' {len(scripts)} {BEGINS} >&9")
        return "\n".join([*lines, ""]).encode(errors="surrogateescape")


BASH = Shell("bash", ("bash", "--norc", "--noprofile"), _BASH, ("bash", None))
POSIX = Shell("bash --posix", ("bash", "--posix"), _BASH, ("sh",))
ZSH = Shell("zsh", ("zsh", "-f"), _ZSH, ("zsh", None))
DASH = Shell("dash", ("dash",), _DASH, ("sh",), bounded=False)
SHELLS = {shell.name: shell for shell in (BASH, ZSH, DASH, POSIX)}

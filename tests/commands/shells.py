"""Real shells with our completion loaded, asked what they offer for a line that is being typed."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from execpolicy.commands.completion import script
from tests.terminal import Terminal
from tests.waiting import HANG_SECONDS

_BASH = """\
source {script}
_spy() {{ _execpolicy "$@"; printf '%s\\n' "${{COMPREPLY[@]}}" >>{out}; }}
complete -F _spy execpolicy
"""
_ZSH = """\
unset zle_bracketed_paste; unsetopt prompt_sp
autoload -Uz compinit; compinit -u -D; source {script}
compadd() {{
    if [[ ${{@[1,(i)(-|--)]}} == *-[a-zA-Z]#(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
    local -a hits; builtin compadd -A hits "$@"
    (( $#hits )) && print -rl -- $hits >>{out}
    builtin compadd "$@"
}}
"""


class Typist(Terminal):
    """An interactive shell, and the user at its keyboard."""

    def __init__(self, argv: list[str], setup: str, directory: Path) -> None:
        self.out = directory / "offers"
        script_path = directory / "script"
        script_path.write_text(script(argv[0].rpartition("/")[2]))
        (directory / "setup").write_text(setup.format(script=script_path, out=self.out))
        super().__init__(argv, directory, {**os.environ, "TERM": "xterm", "HISTFILE": ""})
        self._count = 0
        self.type(f". {directory}/setup\n")
        self._settle()

    def _settle(self) -> None:
        """Wait until all that was typed is done and the shell reads keys again: before that a Tab
        is one for the terminal."""
        self._count += 1
        self.type(f'PS1="REA""DY{self._count}> "\n')
        self.until(f"READY{self._count}> ")

    def offers(self, line: str) -> set[str]:
        """What is offered where the user presses Tab at the end of the line."""
        self.out.write_text("")
        self.type(f"{line}\t\x15\x15")
        self._settle()
        return set(self.out.read_text().split("\n")) - {""}

    def close(self) -> None:
        """End the shell."""
        self.type("\x15exit\n")
        self.end()


class Fish:
    """fish tells by itself what it offers."""

    def __init__(self, program: str, directory: Path) -> None:
        self._program, self._directory = program, directory
        (directory / "script").write_text(script("fish"))

    def offers(self, line: str) -> set[str]:
        """What is offered at the end of the line."""
        text = f"source {self._directory}/script; complete -C $argv[1]"
        done = subprocess.run(
            [self._program, "--no-config", "-c", text, line],
            cwd=self._directory,
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
        )
        assert done.stderr == ""
        return {one.partition("\t")[0] for one in done.stdout.splitlines()}


@contextmanager
def shell(name: str, directory: Path) -> Iterator[Typist | Fish | None]:
    """The shell, or None where it is not installed."""
    program = shutil.which(name)
    if program is None:
        yield None
    elif name == "fish":
        yield Fish(program, directory)
    else:
        bare = ["--norc", "--noprofile", "-i"] if name == "bash" else ["-f", "-i"]
        setup = _BASH if name == "bash" else _ZSH
        with Typist([program, *bare], setup, directory) as typist:
            yield typist
            typist.close()

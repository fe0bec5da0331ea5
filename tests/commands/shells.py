"""Real shells with our completion loaded, asked what they offer for a line that is being typed."""

import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from execpolicy.commands.completion import script

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


class Typist:
    """Types into an interactive shell on a terminal of its own, as a person does."""

    def __init__(self, argv: list[str], setup: str, directory: Path) -> None:
        self.out = directory / "offers"
        script_path = directory / "script"
        script_path.write_text(script(argv[0].rpartition("/")[2]))
        (directory / "setup").write_text(setup.format(script=script_path, out=self.out))
        environment = {**os.environ, "TERM": "xterm", "HISTFILE": ""}
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(argv[0], argv, environment)  # noqa: S606
        self._count = 0
        self._type(f". {directory}/setup\n")
        self._settle()

    def _type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def _settle(self) -> None:
        """Wait until all that was typed is done and the shell reads keys again: before that a Tab
        is one for the terminal."""
        self._count += 1
        self._type(f'PS1="REA""DY{self._count}> "\n')
        wanted, seen = f"READY{self._count}> ".encode(), b""
        end = time.monotonic() + 60
        while wanted not in seen:
            assert time.monotonic() < end, seen
            if select.select([self._terminal], [], [], 1)[0]:
                seen += os.read(self._terminal, 65536)

    def offers(self, line: str) -> set[str]:
        """What is offered where a person presses Tab at the end of the line."""
        self.out.write_text("")
        self._type(f"{line}\t\x15\x15")
        self._settle()
        return set(self.out.read_text().split("\n")) - {""}

    def close(self) -> None:
        """End the shell."""
        self._type("\x15exit\n")
        os.close(self._terminal)
        os.waitpid(self.pid, 0)


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
            timeout=60,
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
        typist = Typist([program, *bare], _BASH if name == "bash" else _ZSH, directory)
        yield typist
        typist.close()

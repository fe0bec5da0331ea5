"""The snapshots of the user's shell that agents write at their start and read before commands.

A snapshot counts if its bytes are those that the agent's own start wrote. Its functions and aliases
take part in the reading of a command as bash(1) expands them ("ALIASES", "FUNCTIONS").
"""

import os
import re
from _collections_abc import Callable, Iterable, Iterator, Mapping
from base64 import b64decode
from itertools import takewhile

from execpolicy.hosts.shell_calls.tree import argument, commands, events, literal, quoted, written
from execpolicy.shell.syntax.commands import DECLARING
from execpolicy.shell.syntax.tree import Definition, SimpleCommand, Word
from execpolicy.store.sources.files import private_directory, replace
from execpolicy.support import digest
from execpolicy.support.disk import bounded
from execpolicy.support.record import Value

ReadFile = Callable[[str], bytes | None]

MAX_BYTES = 1024 * 1024
MAX_ALIASES = 200
"""Aliases that are expanded in one command."""
MAX_EVALUATED = 4
_HEAD = re.compile(r"([^\s()=$'\"\\`&|;<>#]+) \(\) ?")
"""The line that a function begins with as `declare -f` prints it; it ends with `}` alone."""


class ShellDefinitions(Value):
    """What a snapshot defines: the text of each function, the value of each alias and of each
    variable that it sets, by their names.

    `is_whole`: all of it was understood.
    """

    functions: tuple[tuple[str, str], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    is_whole: bool = True


class SessionSnapshots:
    """The snapshots of one session: a copy of each as its start wrote it.

    `read` gives the bytes of a file that is not a link, None where there is none. The copies are in
    `directory`, where no agent writes, so that all processes of a supervisor know them.
    """

    def __init__(self, read: "ReadFile", directory: str) -> None:
        self._read, self._directory = read, directory
        self._known: dict[bytes, ShellDefinitions] = {}

    def copy(self, path: str) -> str:
        """Where the copy of a snapshot is, if there is one."""
        name = digest.of_parts([path.encode("utf-8", "surrogateescape")])
        return os.path.join(self._directory, name)

    def wrote(self, path: str, at: str = "") -> None:
        """The agent's own start has written this snapshot: as it is now, it counts from now on.

        `at` is where it lies, if it gets its path later. A path counts once: what is written there
        later does not. Raises `OSError`.
        """
        data = self._read(at or path)
        if data is None or len(data) > MAX_BYTES or os.path.lexists(self.copy(path)):
            return
        private_directory(self._directory)
        replace(self.copy(path), data, 0o400, durable=False)
        self._definitions(data)

    def of(self, path: str, own: "Iterable[str]" = ()) -> ShellDefinitions | None:
        """What a snapshot defines, but for functions of these names, which the agent puts in the
        place of programs; None where it is not the one that the start wrote."""
        kept = bounded.read(self.copy(path), MAX_BYTES)
        data = self._read(path) if kept is not None else None
        if data is None or data != kept:
            return None
        found = self._definitions(data)
        functions = tuple(each for each in found.functions if each[0] not in {*own})
        return found.replace(functions=functions)

    def _definitions(self, data: bytes) -> ShellDefinitions:
        """What a snapshot defines; a process that is forked later has it from this one."""
        if data not in self._known:
            self._known[data] = definitions(data)
        return self._known[data]


def definitions(data: bytes) -> ShellDefinitions:
    """What a snapshot defines."""
    found = _Collected()
    try:
        found.add(data.decode(), 0)
    except UnicodeDecodeError:
        found.is_whole = False
    functions, aliases = tuple(found.functions.items()), tuple(found.aliases.items())
    return ShellDefinitions(functions, aliases, tuple(found.variables.items()), found.is_whole)


class _Collected:
    """What the texts so far define."""

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.variables: dict[str, str] = {}
        self.is_whole = True

    def add(self, text: str, depth: int) -> None:
        """Take what a text defines, which stands so many times in an `eval`.

        What bash prints of functions is taken as it is, however long it is and whatever is in it:
        it is read where a command calls it.
        """
        rest: list[str] = []
        lines = iter(text.split("\n"))
        for line in lines:
            if (head := _HEAD.fullmatch(line)) is not None:
                body = [line, *takewhile(lambda each: each != "}", lines), "}"]
                self.functions[head[1]] = "function " + "\n".join(body)
                self.is_whole &= "\n".join(body) in text
            elif not (line.startswith("eval ") and self._evaluates(line, depth)):
                rest.append(line)
        self._rest("\n".join(rest), depth)

    def _evaluates(self, line: str, depth: int) -> bool:
        """Take what a line alone evaluates; whether it is such a line."""
        found = commands(line)
        text = literal(argument(found[0], "eval")) if len(found) == 1 else None
        if text is None or depth == MAX_EVALUATED:
            return False
        self.add(text, depth + 1)
        return True

    def _rest(self, text: str, depth: int) -> None:
        """Take what the grammar reads of a text."""
        found = events(text)
        self.is_whole &= found is not None
        inside = 0
        for event in found or ():
            if isinstance(event, Definition):
                body = text[event.start : event.end]
                is_said = body.startswith("function")
                self.functions[event.name] = body if is_said else f"function {body}"
                inside = max(inside, event.end)
            elif isinstance(event, SimpleCommand) and event.start >= inside:
                self._command(event, text[event.start : event.end], depth)

    def _command(self, command: SimpleCommand, as_written: str, depth: int) -> None:
        """Take what a command outside of functions defines."""
        name = literal(command.words[0]) if command.words else ""
        if name == "alias":
            self.aliases.update(_aliases(command))
            self.is_whole &= None not in map(literal, command.words)
        elif name == "eval":
            text = literal(command.words[-1])
            if text is None:
                text = _decoded(as_written)
            is_text = text is not None and len(command.words) <= 3 and depth < MAX_EVALUATED
            self.is_whole &= is_text
            if is_text:
                self.add(text or "", depth + 1)
        for given in (*command.assignments, *command.words):
            if not isinstance(given, Word):
                value = literal(given.value)
                self.is_whole &= value is not None
                self.variables[given.name] = value or ""
        if name in DECLARING:
            options = "".join(w for w in map(literal, command.words[1:]) if w and w[0] == "-")
            self.is_whole &= "f" not in options or not (name == "export" or "x" in options)


def _decoded(line: str) -> str | None:
    """What `eval "$(echo 'BASE64' | base64 -d)"` runs, as Claude Code 2.1.197 writes it."""
    found = commands(line)
    word = argument(found[1], "echo") if len(found) == 3 else None
    encoded = literal(word) or ""
    text = f'eval "$(echo {quoted(encoded)} | base64 -d)" > /dev/null 2>&1'
    if line not in (text, text.removesuffix(" > /dev/null 2>&1")):
        return None
    try:
        return b64decode(encoded).decode()
    except ValueError:
        return None


def _aliases(command: SimpleCommand) -> "Iterator[tuple[str, str]]":
    for word in command.words[1:]:
        name, equals, value = (literal(word) or "").partition("=")
        if equals:
            yield name, value


def read_with(command: str, given: ShellDefinitions) -> str | None:
    """The text that a command means where these definitions hold.

    The functions that it names stand before it, aliases have been put in their places. None where
    that cannot be told: the command is not understood, or an alias goes on with its next word.
    """
    aliases, functions = dict(given.aliases), dict(given.functions)
    text = _with_aliases(command, aliases, [MAX_ALIASES]) if aliases else command
    if text is None or not functions:
        return text
    needed: dict[str, str] = {}
    waiting = [text]
    while waiting:
        found = events(waiting.pop())
        if found is None:
            return None
        for name in _names(found):
            if name in functions and name not in needed:
                needed[name] = functions[name]
                waiting.append(functions[name])
    return "\n".join((*reversed(needed.values()), text))


def _names(found: "Iterable[object]") -> "Iterator[str]":
    """The names of the commands, as far as they are literal."""
    for event in found:
        if isinstance(event, SimpleCommand) and event.words:
            yield literal(event.words[0]) or ""


def _with_aliases(text: str, aliases: "Mapping[str, str]", left: "list[int]") -> str | None:
    """The text with aliases in the place of first words that are not quoted (bash(1), ALIASES).

    The text of an alias is expanded as well, but for that alias. `left` is how many more may be.
    """
    found = events(text)
    if found is None:
        return None
    heads = [e.words[0] for e in found if isinstance(e, SimpleCommand) and e.words]
    for word in sorted(heads, key=lambda head: head.start, reverse=True):
        name = literal(word)
        if not isinstance(word, Word) or word.parts or name is None or name not in aliases:
            continue
        left[0] -= 1
        if left[0] < 0:
            return None
        others = {other: aliases[other] for other in aliases if other != name}
        value = _with_aliases(aliases[name], others, left)
        if value is None or aliases[name][-1:] in (" ", "\t") or written(text, word) != name:
            return None
        text = f"{text[: word.start]}{value}{text[word.end :]}"
    return text

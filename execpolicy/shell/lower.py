"""From what stands in a text to what it does: events become operations."""

from execpolicy.operation import (
    Access,
    Assign,
    Assignment,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
)
from execpolicy.shell import builtins, functions
from execpolicy.shell.builtins import Outcome
from execpolicy.shell.chars import PLAIN, names
from execpolicy.shell.cook import Cook
from execpolicy.shell.events import (
    QUOTED_VARIABLE,
    VARIABLE,
    Bind,
    Command,
    Definition,
    Event,
    Files,
    Redirect,
    Setting,
    Unclear,
    Word,
)
from execpolicy.shell.facts import INTEGERS, MOST_CHOICES, ZSH_INTEGERS, Facts
from execpolicy.shell.state import Context, Script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ZSH_NAMES = names(
    "path fpath cdpath module_path NULLCMD READNULLCMD functions aliases galiases saliases "
    "commands options nameddirs precmd_functions preexec_functions chpwd_functions "
    "periodic_functions zshexit_functions zshaddhistory_functions"
)
"""Variables that change in zsh what the shell runs, and are ordinary in bash."""

_NOTHING = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/stdin"))


class Lowering:
    """Turns the events of one script into operations."""

    __slots__ = (
        "bombs",
        "cook",
        "exports",
        "facts",
        "first_call",
        "found",
        "inner",
        "outcomes",
        "script",
        "shadowed",
        "text",
    )

    def __init__(
        self, script: Script, text: str, inner: "Callable[[str], list[Operation]]"
    ) -> None:
        self.inner = inner
        self.script = script
        self.text = text
        self.cook = Cook(text, script.shell != "bash")
        self.facts = Facts()
        self.found: list[Operation] = []
        self.outcomes: dict[int, Outcome] = {}
        self.shadowed: set[str] = set()
        self.bombs: set[str] = set()
        self.first_call = 0
        self.exports: list[tuple[int, Assignment]] = []

    def operations(self) -> list[Operation]:
        events = self.script.events
        if len(events) > 1 or not isinstance(events[0], Command) or events[0].settings:
            self._learn(events)
        else:
            self._learn_builtin(events[0])
        if self.outcomes:
            self._export(events)
        for event in events:
            self._lower(event)
        if len(self.found) > 1:
            self.found.sort(key=_place)
        return self.found

    # What the text as a whole says

    def _learn(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Command):
                self._learn_command(event)
            elif isinstance(event, Bind):
                self.facts.bind(event, event)
            elif isinstance(event, Definition):
                self.facts.functions.setdefault(event.name, []).append(event)
            elif isinstance(event, Unclear) and not event.names:
                self.facts.tainted = True
        if self.facts.functions:
            self.first_call = functions.first_call(events, self.facts.functions)
            self.bombs = functions.bombs(events, self.facts.functions)
        self.cook.split = "IFS" in self.facts.bound
        self.cook.moved = frozenset({"HOME", "PWD"} & set(self.facts.bound))
        if not self.facts.tainted:
            self.facts.tainted = any(
                isinstance(event, Unclear) and not self._harmless(event) for event in events
            ) or any(self._unknown(e) for e in events if isinstance(e, Command))

    def _learn_command(self, command: Command) -> None:
        for setting in command.settings:
            if command.words:
                setting = Setting(
                    setting.start, setting.end, setting.name, setting.value, True, setting.elements
                )
            self.facts.bind(command, setting)
        if command.words:
            self._learn_builtin(command)

    def _learn_builtin(self, command: Command) -> None:
        first = command.words[0] if command.words else None
        if not isinstance(first, Word) or first.text not in builtins.NAMES:
            return
        result = builtins.outcome(self._arguments(command), self.script.shell)
        if result is None:
            if first.text == "exec" and command.redirects:
                self._learn_exec(command)
            return
        if result.later and "\n" not in self.text[command.end :].rstrip():
            return
        self.outcomes[id(command)] = result
        if result.why and not result.names:
            self.facts.tainted = True
        for setting in result.settings:
            self.facts.bind(command, setting)
        for name, number in result.bound:
            self.facts.bind(command, Bind(0, -1, command.context, name, number=number))
        self.shadowed.update(result.shadowed)

    def _learn_exec(self, command: Command) -> None:
        if len(command.words) == 1 and any(
            r.body or r.operator == "<<<" for r in command.redirects
        ):
            self.outcomes[id(command)] = Outcome("`exec` gives later commands another input")

    def _arguments(self, command: Command) -> "list[str | Dynamic | Setting]":
        found: list[str | Dynamic | Setting] = []
        for word in command.words:
            if isinstance(word, Setting):
                found.append(word)
            elif word.text is not None:
                found.append(word.text)
            else:
                found += self.cook.words(word)
        return found

    def _export(self, events: list[Event]) -> None:
        for event in events:
            result = self.outcomes.get(id(event))
            for name, how, exported in result.declared if result else ():
                if exported:
                    value = self._declared(name, how, exported)
                    self.exports.append((event.start, Assignment(name, value, True)))

    def _declared(
        self, name: str, how: "str | Dynamic | Setting | None", exported: bool
    ) -> "str | Dynamic | None":
        if isinstance(how, Setting):
            return self._value(how)
        return Dynamic(f"${name}", "", True) if how is None and exported else how

    def _unknown(self, command: Command) -> bool:
        """Whether the name of the command is computed and stays so."""
        word = command.words[0] if command.words else None
        if not isinstance(word, Word) or word.text is not None:
            return False
        return not isinstance(self._variants(command)[0][0], str)

    def _harmless(self, event: Unclear) -> bool:
        return bool(event.names) and all(self.facts.numeric(name) for name in event.names)

    # One operation after the other

    def _lower(self, event: Event) -> None:
        if isinstance(event, Command):
            self._command(event)
        elif isinstance(event, Unclear):
            if not self._harmless(event):
                self._opaque(event.start, event.end, event.why, event.context)
        elif isinstance(event, Bind):
            self._bound(event)
        elif isinstance(event, Files):
            for redirect in event.redirects:
                self._redirect(redirect, event.context)
        elif isinstance(event, Definition):
            why = functions.dangerous(event, self.bombs)
            if why:
                self._opaque(event.start, event.end, why, event.context)

    def _opaque(self, start: int, end: int, why: str, context: Context) -> None:
        self.found.append(Opaque(self.text[start:end], why, context.via, (start, end)))

    def _bound(self, event: Bind) -> None:
        value = None if event.number else Dynamic(f"${event.name}", "", True)
        span = (event.start, event.end)
        self._assigned(event.name, value, False, event.context, span)

    def _assigned(
        self,
        name: str,
        value: "str | Dynamic | None",
        exported: bool,
        context: Context,
        span: tuple[int, int],
    ) -> None:
        self.found.append(Assign(Assignment(name, value, exported), context.via, span))
        if self.script.zsh and name in ZSH_NAMES:
            self._opaque(*span, f"zsh takes `{name}` for more than a variable", context)
        self._integer(name, context, span)

    def _integer(self, name: str, context: Context, span: tuple[int, int]) -> None:
        integer = name in INTEGERS or (self.script.zsh and name in ZSH_INTEGERS)
        if integer and not self.facts.numeric(name):
            self._opaque(*span, f"the shell evaluates what `{name}` is set to", context)

    def _command(self, command: Command) -> None:
        span = (command.start, command.end)
        context = command.context
        for redirect in command.redirects:
            self._redirect(redirect, context)
        if not command.words:
            for setting in command.settings:
                self._setting(setting, False, command)
            return
        result = self.outcomes.get(id(command))
        if result is not None:
            self._outcome(command, result)
        for setting in command.settings:
            self._integer(setting.name, context, span)
        for argv in self._variants(command):
            head = argv[0]
            if not isinstance(head, str):
                self._opaque(*span, "a computed command name", context)
                return
            if self._shadowed(command, head):
                self.found.append(self._exec(command, argv))

    def _shadowed(self, command: Command, head: str) -> bool:
        """Say so if `head` may be something else than a program; False if it certainly is."""
        if head in self.facts.functions or head in self.shadowed:
            if functions.called(command, head, self.first_call, self.facts.functions):
                if head not in self.shadowed:
                    return False
            self._opaque(
                command.start,
                command.end,
                f"`{head}` is given another meaning in the same text",
                command.context,
            )
        elif head in builtins.NAMES and not _plain_head(command):
            self._opaque(command.start, command.end, f"a computed `{head}`", command.context)
        return True

    def _exec(self, command: Command, argv: "tuple[str | Dynamic, ...]") -> Exec:
        context = command.context
        env: tuple[Assignment, ...] = ()
        if self.exports or command.settings:
            env = self._environment(command)
        stdin = None
        if command.redirects or command.outer is not None:
            stdin = self._stdin(command)
        fed = tuple(self._head(c) for c in context.fed) if context.fed else ()
        span = (command.start, command.end)
        return Exec(argv, env, context.via, stdin, fed, span)

    def _head(self, command: Command | None) -> str:
        if command is None or not command.words:
            return ""
        head = self._variants(command)[0][0]
        return head if isinstance(head, str) else ""

    def _environment(self, command: Command) -> tuple[Assignment, ...]:
        context = command.context
        late = context.loop or context.function is not None
        found = {a.name: a for at, a in self.exports if late or at < command.start}
        for setting in command.settings:
            found[setting.name] = Assignment(setting.name, self._value(setting), True)
        return tuple(found.values())

    def _stdin(self, command: Command) -> "str | Dynamic | None":
        for redirect in reversed(command.redirects):
            if redirect.descriptor in ("", "0") and redirect.operator[0] == "<":
                return self._body(redirect)
        outer = command.outer
        return None if outer is None else self._body(outer)

    def _body(self, redirect: Redirect) -> "str | Dynamic | None":
        if redirect.operator == "<<<":
            value = self.cook.scalar(redirect.target)
            return value + "\n" if isinstance(value, str) else value
        if redirect.body is None:
            return None
        return self.cook.scalar(redirect.body)

    # Words

    def _variants(self, command: Command) -> "list[tuple[str | Dynamic, ...]]":
        """The words of the command, once for each combination of values its variables can have."""
        words = command.words
        if all(isinstance(word, Word) and word.text is not None for word in words):
            return [tuple(word.text for word in words)]  # type: ignore[union-attr, misc]
        names = self._names(command)
        values: list[dict[str, str]] = [{}]
        most = MOST_CHOICES if len(words) < 100 else 1
        self.cook.prefixes = {}
        for name in names:
            choices = self.facts.choices(name, command.start, self.cook)
            if choices is None or len(values) * len(choices) > most:
                prefix = self.facts.prefix(name, command.start, self.cook)
                self.cook.prefixes[name] = prefix
            else:
                values = [{**known, name: choice} for known in values for choice in choices]
        found = []
        for self.cook.values in values:
            argv = tuple(self._argv(command))
            if argv not in found:
                found.append(argv)
        self.cook.values, self.cook.prefixes = {}, {}
        return [argv or (Dynamic(self.text[command.start : command.end]),) for argv in found]

    def _names(self, command: Command) -> list[str]:
        if not self.facts.bound:
            return []
        found = []
        for word in command.words:
            inner = word.value if isinstance(word, Setting) else word
            for kind, text in inner.pieces if inner is not None else []:
                if kind in (VARIABLE, QUOTED_VARIABLE) and text not in found:
                    found.append(text)
        return found

    def _argv(self, command: Command) -> "list[str | Dynamic]":
        found: list[str | Dynamic] = []
        for word in command.words:
            if isinstance(word, Word):
                found += self.cook.words(word)
                continue
            value = None if word.partly else self._scalar(word)
            source = self.text[word.start : word.end]
            if isinstance(value, str):
                found.append(f"{word.name}={value}")
            elif value is None:
                found.append(Dynamic(source, word.name, True))
            else:
                found.append(Dynamic(source, f"{word.name}={value.prefix}", True))
        return found

    def _scalar(self, setting: Setting) -> "str | Dynamic | None":
        return None if setting.elements is not None else self.cook.scalar(setting.value)

    def _value(self, setting: Setting) -> "str | Dynamic | None":
        return None if setting.partly else self._scalar(setting)

    # Assignments and files

    def _setting(self, setting: Setting, exported: bool, event: Event) -> None:
        span = (setting.start, setting.end)
        value = self._value(setting)
        self._assigned(setting.name, value, exported, event.context, span)

    def _outcome(self, command: Command, result: Outcome) -> None:
        span = (command.start, command.end)
        harmless = result.names and all(
            self.facts.numeric(name) or (result.plain and self._plain(name, command.start))
            for name in result.names
        )
        if result.why and not harmless:
            self._opaque(*span, result.why, command.context)
        for text in result.scripts:
            via = (*command.context.via, _text(command.words[0]))
            for operation in self.inner(text):
                self.found.append(operation.replace(via=(*via, *operation.via), span=span))
        for name, how, exported in result.declared:
            value = self._declared(name, how, exported)
            self._assigned(name, value, exported, command.context, span)

    def _plain(self, name: str, place: int) -> bool:
        """Whether `$name` is one word there that is no option."""
        values = self.facts.choices(name, place, self.cook)
        return bool(values) and all(self.cook.whole(v) and v[0] != "-" for v in values or ())

    def _redirect(self, redirect: Redirect, context: Context) -> None:
        operator = redirect.operator
        span = (redirect.start, redirect.end)
        if redirect.descriptor[:1] == "{":
            name = redirect.descriptor[1:-1]
            self._assigned(name, None, False, context, span)
        if operator in ("<<", "<<-", "<<<"):
            return
        path = self.cook.scalar(redirect.target)
        if path is None:
            return
        if operator in ("<&", ">&"):
            if _duplicates(path):
                return
            if not self._expanded_once(redirect.target, path):
                why = f"bash expands the target of `{operator}` a second time"
                self._opaque(*span, why, context)
        mode = "read" if operator in ("<", "<&") else "write"
        if isinstance(path, str):
            if path in _NOTHING or _is_descriptor(path):
                return
            found = self.cook.words(redirect.target)
            path = found[0] if len(found) == 1 else Dynamic(self.cook.source(redirect.target))
        protocol = _network(path)
        if protocol:
            self._connect(path, protocol, context, span)
        else:
            self.found.append(Access(path, mode, context.via, span))

    def _expanded_once(self, word: Word, path: "str | Dynamic") -> bool:
        """Whether expanding the target of a `>&` again changes nothing."""
        if isinstance(path, str):
            return path != "" and PLAIN.issuperset(path)
        return self.facts.numeric_word(word)

    def _connect(
        self, path: "str | Dynamic", protocol: str, context: Context, span: tuple[int, int]
    ) -> None:
        host: str | Dynamic
        if isinstance(path, str):
            host = path.split("/")[3]
        else:
            host = Dynamic(path.source, "", True)
        self.found.append(Connect(host, protocol, context.via, span))


def _text(word: "Word | Setting") -> str:
    return (word.text or "") if isinstance(word, Word) else ""


def _place(operation: Operation) -> int:
    return operation.span[0] if operation.span else 0


def _plain_head(command: Command) -> bool:
    return isinstance(command.words[0], Word) and command.words[0].text is not None


def _duplicates(path: "str | Dynamic") -> bool:
    return isinstance(path, str) and (path == "-" or path.removesuffix("-").isdigit())


def _is_descriptor(path: str) -> bool:
    return path.startswith("/dev/fd/") and path[8:].isascii() and path[8:].isdigit()


def _network(path: "str | Dynamic") -> str:
    text = path if isinstance(path, str) else path.prefix
    for protocol in ("tcp", "udp"):
        if text.startswith(f"/dev/{protocol}/"):
            return protocol
    return ""

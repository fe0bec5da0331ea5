"""From what stands in a text to what it does: events become operations."""

from _collections_abc import Callable, Iterable

from execpolicy.model.operation import (
    Access,
    Assign,
    Assignment,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
    Span,
    is_pipe,
)
from execpolicy.model.text_facts import TextFacts
from execpolicy.shell.analysis import descriptors, functions, later
from execpolicy.shell.analysis.collect import Collector
from execpolicy.shell.analysis.facts import facts
from execpolicy.shell.analysis.outputs import Output
from execpolicy.shell.analysis.printed import Printed
from execpolicy.shell.analysis.variables import INTEGERS, ZSH_INTEGERS
from execpolicy.shell.analysis.variants import Variants
from execpolicy.shell.builtins import builtins
from execpolicy.shell.builtins.builtin_effect import BuiltinEffect
from execpolicy.shell.chars import PLAIN, names
from execpolicy.shell.expansion.home import at_home
from execpolicy.shell.syntax.state import Script
from execpolicy.shell.syntax.tree import (
    LITERAL,
    VARIABLE,
    AssignmentWord,
    CompoundRedirects,
    Context,
    Definition,
    Event,
    LoopVariable,
    Redirect,
    SimpleCommand,
    Unsupported,
    Word,
    WordPart,
)

Inner = Callable[[str], tuple[list[Operation], TextFacts]]

ZSH_NAMES = names(
    "path fpath cdpath module_path MODULE_PATH STTY NULLCMD READNULLCMD functions aliases "
    "galiases saliases dis_functions dis_aliases dis_galiases dis_saliases mapfile "
    "commands options nameddirs precmd_functions preexec_functions chpwd_functions "
    "periodic_functions zshexit_functions zshaddhistory_functions"
)
"""Variables that change in zsh what the shell runs, and are ordinary in bash."""

_KEEPING = (">>", "&>>")
"""Redirections that leave what a file holds (bash manual, 3.6): `<>` writes over its beginning."""
_HISTORY = frozenset(("!!", "!$", "!*", "!^", "!:"))


class Lowering:
    """Turns the events of one script into operations. `inner` reads the text of an `eval`."""

    __slots__ = (
        "beside",
        "collected",
        "events",
        "expander",
        "found",
        "inner",
        "printed",
        "script",
        "text",
        "variables",
        "words",
    )

    def __init__(
        self,
        script: Script,
        events: list[Event],
        inner: "Inner",
        output: "Output | None" = None,
    ) -> None:
        self.script = script
        self.text = script.text
        self.events = events
        self.words = Variants(script, events, output)
        self.expander = self.words.expander
        self.variables = self.words.variables
        self.collected = Collector(self.words)
        self.inner = inner
        self.found: list[Operation] = []
        self.printed = Printed(events, self.words)
        self.beside: list[TextFacts] = []

    def operations(self) -> tuple[list[Operation], TextFacts]:
        """All operations of the script, in the order they stand in it, and what holds of them."""
        events = self.events
        if len(events) > 1 or not isinstance(events[0], SimpleCommand) or events[0].assignments:
            self.collected.collect(events)
            if len(events) > 1 and self.words.outputs.output is not None:
                from execpolicy.shell import fresh_paths

                salt = self.text.encode("utf-8", "surrogateescape")
                fresh_paths.settle(events, self.words.outputs, salt)
        else:
            self.collected.collect_builtin(events[0])
        if self.collected.effects:
            self.collected.export(events)
        found = self.found
        origins: list[Event] = []
        for event in events:
            self._lower(event)
            origins += [event] * (len(found) - len(origins))
        starts = [made.span[0] if made.span else 0 for made in found]
        if starts != sorted(starts):
            order = sorted(range(len(found)), key=starts.__getitem__)
            found, origins = [found[n] for n in order], [origins[n] for n in order]
        said = facts(self.collected, events, found, origins)
        for each in self.beside:
            said = said.beside(each)
        return found, said

    def _lower(self, event: Event) -> None:
        """What one event does."""
        if isinstance(event, SimpleCommand):
            self._command(event)
        elif isinstance(event, Unsupported):
            if not self.collected.harmless(event):
                self._opaque(event.start, event.end, event.why, event.context)
        elif isinstance(event, LoopVariable):
            self._bound(event)
        elif isinstance(event, CompoundRedirects):
            for redirect in event.redirects:
                self._redirect(redirect, event.context)
        elif isinstance(event, Definition):
            self._defined(event)

    def _defined(self, event: Definition) -> None:
        """A function is defined: some run unasked, or start themselves without end."""
        span, via = (event.start, event.end), event.context.via
        why = functions.runs_unasked(event.name)
        bomb = why is None and event.name in self.collected.bombs
        if bomb:
            why = "fork bomb: the function starts itself again beside itself"
        why = why or functions.misleads(event.name)
        if why:
            self.found.append(Opaque(self.text[slice(*span)], why, via, span, bomb))

    def _opaque(self, start: int, end: int, why: str, context: Context) -> None:
        """A spot of the text that is not understood."""
        self.found.append(Opaque(self.text[start:end], why, context.via, (start, end)))

    def _bound(self, event: LoopVariable) -> None:
        """A variable is set by a loop, or by a builtin that reads."""
        value = None if event.number else Dynamic(f"${event.name}", single=True)
        span = (event.start, event.end)
        among = self.words.every(event.words or ())
        self._assigned(Assignment(event.name, value, among=among), event.context, span)

    def _assigned(self, assignment: Assignment, context: Context, span: Span) -> None:
        """A variable is set, and what the shell makes of that one."""
        name = assignment.name
        self.found.append(Assign(assignment, context.via, span))
        if self.script.zsh and name in ZSH_NAMES:
            self._opaque(*span, f"zsh takes `{name}` for more than a variable", context)
        self._integer(name, context, span)

    def _integer(self, name: str, context: Context, span: Span) -> None:
        """A variable whose value the shell evaluates as arithmetic."""
        integer = name in INTEGERS or (self.script.zsh and name in ZSH_INTEGERS)
        if integer and not self.variables.numeric(name):
            self._opaque(*span, f"the shell evaluates what `{name}` is set to", context)

    def _command(self, command: SimpleCommand) -> None:
        """A simple command, once for each combination of values that its variables can have."""
        span = (command.start, command.end)
        context = command.context
        for redirect in command.redirects:
            self._redirect(redirect, context, command)
        if not command.words:
            for setting in command.assignments:
                self._setting(setting, command)
            return
        result = self.collected.effects.get(id(command))
        if result is not None:
            self._builtin_effect(command, result)
        self._odd_words(command, span)
        for argv in self.words.variants(command):
            argv = (at_home(argv[0], self.words.expander.moved), *argv[1:])
            head = argv[0]
            if not isinstance(head, str):
                self._opaque(*span, "a computed command name", context)
                self._read_as_commands(command, "", self.printed.split(command, argv))
                return
            if self._shadowed(command, head):
                self.found.append(self._exec(command, self.printed.words(command, argv)))

    def _read_as_commands(self, command: SimpleCommand, name: str, texts: "Iterable[str]") -> None:
        """What a text does that the shell reads as commands, beside that it is computed."""
        via = (*command.context.via, name) if name else command.context.via
        span = (command.start, command.end)
        for text in texts:
            operations, said = self.inner(text)
            self.beside.append(said)
            command.mixed = command.mixed or bool(said.mixed)
            for operation in operations:
                self.found.append(operation.replace(via=(*via, *operation.via), span=span))

    def _odd_words(self, command: SimpleCommand, span: Span) -> None:
        """Words that a shell may read otherwise than they look."""
        for setting in command.assignments:
            self._integer(setting.name, command.context, span)
        self._history(command)
        self._separators(command)

    def _separators(self, command: SimpleCommand) -> None:
        """`rg$IFS--pre$IFS./x` is three words: a text like that means to hide them."""
        for word in command.words:
            if isinstance(word, Word) and word.parts and any(map(_is_separator, word.parts)):
                self._opaque(word.start, word.end, "a separator made of `IFS`", command.context)

    def _history(self, command: SimpleCommand) -> None:
        """`!!`, `!$` and `!name` as a command are other text where an interactive shell reads."""
        for i, word in enumerate(command.words):
            first = word.parts[0] if isinstance(word, Word) and word.parts else None
            if first is None or first.kind != LITERAL or first.text != "!":
                continue
            if i == 0 or self.expander.source(word)[:2] in _HISTORY:
                self._opaque(word.start, word.end, "history expansion", command.context)

    def _shadowed(self, command: SimpleCommand, head: str) -> bool:
        """Say so if `head` may be something else than a program; False if it certainly is."""
        if head in self.variables.functions or head in self.collected.shadowed:
            known = self.variables.functions
            called = functions.called(command, head, self.collected.first_call, known)
            if called and head not in self.collected.shadowed:
                self.script.beside += [word for word in command.words if isinstance(word, Word)]
                self.script.discloses = self.script.discloses or bool(command.redirects)
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

    def _exec(self, command: SimpleCommand, argv: "tuple[str | Dynamic, ...]") -> Exec:
        """The command with all that it gets: variables, standard input, a pipeline."""
        context = command.context
        env: tuple[Assignment, ...] = ()
        if self.collected.exports or command.assignments:
            env = self._environment(command)
        stdin, redirected = None, command.shares_input
        if command.redirects or command.outer is not None:
            stdin = self._stdin(command)
            redirected = descriptors.is_redirected(command, self.expander.scalar)
        fed = tuple([self._fed(c) for c in context.fed]) if context.fed else ()
        span = (command.start, command.end)
        piped = self.printed.fed(command) if fed or command.redirects else None
        return Exec(argv, env, context.via, stdin, fed, span, redirected, piped)

    def _fed(self, command: SimpleCommand | None) -> str:
        """The program of a command; empty where it is computed or there is none."""
        return (*(self.words.heads(command) if command is not None else ()), "")[0]

    def _environment(self, command: SimpleCommand) -> tuple[Assignment, ...]:
        """The variables that a command receives from this text."""
        context = command.context
        late = context.loop or context.function is not None
        received = self.collected.exports.before(None if late else command.start)
        if not command.assignments:
            return received
        own = [Assignment(s.name, self.words.value(s), exported=True) for s in command.assignments]
        return tuple({one.name: one for one in (*received, *own)}.values())

    def _stdin(self, command: SimpleCommand) -> "str | Dynamic | None":
        """The text that is the standard input of a command, if one is."""
        for redirect in reversed(command.redirects):
            if descriptors.is_input(redirect):
                return self._body(redirect)
        outer = command.outer
        return None if outer is None else self._body(outer)

    def _body(self, redirect: Redirect) -> "str | Dynamic | None":
        """The text of a heredoc or of a here-string."""
        if redirect.operator == "<<<":
            value = self.expander.scalar(redirect.target)
            return value + "\n" if isinstance(value, str) else value
        if redirect.body is None:
            return None
        return self.expander.scalar(redirect.body)

    def _setting(self, setting: AssignmentWord, event: Event) -> None:
        """An assignment that stands alone."""
        among = self.words.among(setting)
        assignment = Assignment(setting.name, self.words.value(setting), among=among)
        self._assigned(assignment, event.context, (setting.start, setting.end))

    def _builtin_effect(self, command: SimpleCommand, result: BuiltinEffect) -> None:
        """What a builtin does to the shell."""
        span = (command.start, command.end)
        if result.why and not self._is_harmless(command, result):
            sourced = (
                len(command.words) > 1
                and not command.assignments
                and _text(command.words[0]) in builtins.SOURCE
            )
            text, via = self.text[slice(*span)], command.context.via
            self.found.append(Opaque(text, result.why, via, span, sourced=sourced))
        name = _text(command.words[0])
        scripts = result.scripts or (self.printed.evaluated(command) if name == "eval" else [])
        if name == "trap" and not result.why:
            first_call = self.collected.first_call
            scripts = later.scripts(scripts, command, self.variables, self.expander, first_call)
        self._read_as_commands(command, name, scripts)
        for each in result.declared:
            among = self.words.among(each.value)
            assignment = Assignment(each.name, self.words.declared(each), each.exported, among)
            self._assigned(assignment, command.context, span)
        for given in result.lists:
            if (given.certain or self._list(given.name)) and self._reread(given.value):
                why = f"bash expands what the list `{given.name}` is given a second time"
                self._opaque(*span, why, command.context)

    def _is_harmless(self, command: SimpleCommand, result: BuiltinEffect) -> bool:
        """Whether all that the effect depends on is known to be a number, or no option."""
        return bool(result.needs) and all(
            self.variables.numeric(need)
            or (
                result.not_option
                and isinstance(need, str)
                and self.words.not_option(need, command.start)
            )
            for need in result.needs
        )

    def _list(self, name: str) -> bool:
        """Whether the text makes `name` a list somewhere."""
        bindings = self.variables.bound.get(name, ())
        return name in self.variables.lists or any(self._makes_list(b.how) for b in bindings)

    def _makes_list(self, how: AssignmentWord | LoopVariable) -> bool:
        """Whether a variable is set as a list there: `x=(…)` or `x[…]=…`."""
        if isinstance(how, LoopVariable):
            return False
        return how.elements is not None or self.expander.source(how)[len(how.name)] == "["

    def _reread(self, how: "str | Dynamic | AssignmentWord | None") -> bool:
        """Whether a value may be a list `(…)` in quotes that has something to expand."""
        if isinstance(how, AssignmentWord):
            if how.elements is not None or how.value is None:
                return False
            if self.variables.numeric_word(how.value):
                return False
            how = self.expander.scalar(how.value) or Dynamic("")
        if isinstance(how, str):
            return how[:1] == "(" and not set(how).isdisjoint("$`[<>")
        return how is not None and not how.digits_only and how.prefix[:1] in ("", "(")

    def _redirect(
        self, redirect: Redirect, context: Context, command: SimpleCommand | None = None
    ) -> None:
        """The file that a redirection opens, or the connection."""
        operator = redirect.operator
        span = (redirect.start, redirect.end)
        if redirect.descriptor[:1] == "{":
            self._assigned(Assignment(redirect.descriptor[1:-1], None), context, span)
        if operator in descriptors.HERE:
            return
        if descriptors.makes_input_output(redirect, self.events):
            why = "an output that is a file open for reading, which `/dev/stdout` would overwrite"
            self._opaque(*span, why, context)
        path = self.expander.scalar(redirect.target)
        if path is None or (operator in ("<&", ">&") and descriptors.duplicates(path)):
            return
        if operator in ("<&", ">&") and not self._expanded_once(redirect.target, path):
            why = f"bash expands the target of `{operator}` a second time"
            self._opaque(*span, why, context)
        reads = operator in ("<", "<&")
        for target in self.words.targets(redirect.target, redirect.start):
            harmless = isinstance(target, str) and descriptors.is_harmless(target, reads)
            if not (harmless or is_pipe(target)):
                if isinstance(target, Dynamic) and self._perhaps_network(target, redirect):
                    self._opaque(*span, "a computed path that may be a connection", context)
                content = self.printed.text(command) if command and command.words else None
                self._opened(target, operator, context, span, content)

    def _opened(
        self,
        path: "str | Dynamic",
        operator: str,
        context: Context,
        span: Span,
        content: str | None = None,
    ) -> None:
        protocol, via = descriptors.network(path), context.via
        if protocol:
            self._connect(path, protocol, context, span)
        elif operator in ("<", "<&"):
            self.found.append(Access(path, "read", via, span))
        else:
            replaces = operator not in _KEEPING
            written = Access(path, "write", via, span, replaces=replaces, content=content)
            self.found.append(written)

    def _perhaps_network(self, path: Dynamic, redirect: Redirect) -> bool:
        """Whether a path may turn out as `/dev/tcp/host/port`, by a text that this one makes."""
        if path.prefix.startswith("/dev/"):
            return not descriptors.network(path)
        here = path.prefix and path.source.lstrip('"').startswith(("$PWD/", "${PWD}/"))
        if here or not "/dev/".startswith(path.prefix):
            return False
        if self.script.says("tcp") or self.script.says("udp"):
            return True
        from execpolicy.shell.analysis.invented import invented

        return invented(self.words.outputs, redirect.target, redirect.start)

    def _expanded_once(self, word: Word, path: "str | Dynamic") -> bool:
        """Whether expanding the target of a `>&` again changes nothing."""
        if isinstance(path, str):
            return path != "" and PLAIN.issuperset(path)
        return self.variables.numeric_word(word)

    def _connect(self, path: "str | Dynamic", protocol: str, context: Context, span: Span) -> None:
        if isinstance(path, str):
            host: str | Dynamic = path.split("/")[3]
        else:
            host = Dynamic(path.source, single=True)
        self.found.append(Connect(host, protocol, context.via, span))


def _is_separator(part: WordPart) -> bool:
    """Whether this is `$IFS`."""
    return part.kind == VARIABLE and part.text == "IFS"


def _text(word: "Word | AssignmentWord") -> str:
    """The text of a literal word; empty for any other."""
    return (word.text or "") if isinstance(word, Word) else ""


def _plain_head(command: SimpleCommand) -> bool:
    """Whether the first word of a command is literal."""
    return isinstance(command.words[0], Word) and command.words[0].text is not None

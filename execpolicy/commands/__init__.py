"""The commands. Each is a module of its own with one function, imported when it is called."""

from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from execpolicy.commands.arguments import Syntax


class CommandModule(Value):
    """A command, which is a module of its own in this package."""

    name: str

    def load(self) -> "Callable[[Sequence[str]], int]":
        """The command's function, from its module."""
        main: Callable[[Sequence[str]], int] = self._imported().main
        return main

    def syntax(self) -> "Syntax":
        """The table that the command's command line is read by."""
        module = self._imported()
        made: Syntax = module.SYNTAX if hasattr(module, "SYNTAX") else module.syntax()
        return made

    def help(self) -> str:
        """The command's help: its part of `docs/commands.md`."""
        return self._part(f"## {self.name}\n\n```text\n", "```\n")

    def summary(self) -> str:
        """What it does in a few words, from the list in front of that page."""
        return self._part(f"- [`{self.name}`](#{self.name}): ", "\n")

    def _part(self, start: str, end: str) -> str:
        from execpolicy.support.resources import commands_text

        return commands_text().partition(start)[2].partition(end)[0]

    def _imported(self) -> "ModuleType":
        module = f"{__name__}.{self.name}{'_' if self.name == 'import' else ''}"
        return __import__(module, fromlist=["main"])


_NAMES = """
    amend approvals approve brief check completion diff doctor explain fmt help hook import init
    install layers learn lint log pending proxy query reject replay run serve status teach test
    trust undo uninstall wrap
"""
COMMANDS = tuple(_NAMES.split())


def named(name: str) -> CommandModule:
    """The command with this name. Raises `UsageError` that tells the nearest ones."""
    if name not in COMMANDS:
        from execpolicy.commands.arguments import meant
        from execpolicy.model.errors import UsageError, printable

        shown = printable(name, 40)
        advice = "`execpolicy help` lists them"
        raise UsageError(f"unknown command `{shown}`{meant(name, COMMANDS)} ({advice})")
    return CommandModule(name)

"""The commands. Each is a module of its own with one function, imported when it is called."""

from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from execpolicy.commands.arguments import Syntax


class Command(Value):
    """A command's module in this package, and what it does in a few words."""

    module: str
    summary: str

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
        """The command's help as it is written, with the places of lists in braces."""
        text: str = self._imported().HELP
        return text

    def _imported(self) -> "ModuleType":
        return __import__(f"{__name__}.{self.module}", fromlist=["main"])


COMMANDS = {
    "amend": Command("amend", "write a rule that allows a command, or take it back"),
    "approvals": Command("approvals", "show what was approved, or take it back"),
    "check": Command("check", "decide about a command"),
    "completion": Command("completion", "complete commands, options and values in a shell"),
    "diff": Command("diff", "show what other rules would decide differently"),
    "doctor": Command("doctor", "check that the hooks and the sandbox work"),
    "explain": Command("explain", "show the way to a verdict"),
    "fmt": Command("fmt", "write rules files in their canonical form"),
    "help": Command("help", "show what a command is for, and how it is called"),
    "hook": Command("hook", "answer a coding agent's host about one call"),
    "import": Command("import_", "write a host's own permission list as rules"),
    "init": Command("init", "write first rules of your own, by a preset"),
    "install": Command("install", "add the hook to an agent's configuration"),
    "layers": Command("layers", "show where rules come from"),
    "lint": Command("lint", "find mistakes in rules files"),
    "log": Command("log", "show what was decided"),
    "proxy": Command("proxy", "serve a proxy that reaches the hosts that rules allow"),
    "run": Command("run", "decide about a command and run it in a sandbox"),
    "test": Command("test", "run tables of cases against rules"),
    "trust": Command("trust", "let the rules of a project allow something"),
    "uninstall": Command("uninstall", "remove the hook from an agent's configuration"),
}


def named(name: str) -> Command:
    """The command with this name. Raises `UsageError` that tells the nearest ones."""
    command = COMMANDS.get(name)
    if command is None:
        from execpolicy.commands.arguments import meant
        from execpolicy.model.errors import UsageError, printable

        shown = printable(name, 40)
        advice = "`execpolicy help` lists them"
        raise UsageError(f"unknown command `{shown}`{meant(name, COMMANDS)} ({advice})")
    return command

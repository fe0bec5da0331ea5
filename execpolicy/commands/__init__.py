"""The commands. Each is a module of its own with one function, imported when it is called."""

from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from execpolicy.commands.arguments import Syntax


class CommandModule(Value):
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
        """The command's help: its part of `docs/commands.md`."""
        from execpolicy.support.resources import commands_text

        mark = "## {}\n\n```text\n".format(self.module.rstrip("_"))
        return commands_text().partition(mark)[2].partition("```\n")[0]

    def _imported(self) -> "ModuleType":
        return __import__(f"{__name__}.{self.module}", fromlist=["main"])


COMMANDS = {
    "amend": CommandModule("amend", "write a rule that allows a command, or take it back"),
    "approvals": CommandModule("approvals", "show what was approved, or take it back"),
    "approve": CommandModule("approve", "let a call pass that waits for the user"),
    "brief": CommandModule("brief", "print what an agent should know about the policy"),
    "check": CommandModule("check", "decide about a command"),
    "completion": CommandModule("completion", "complete commands, options and values in a shell"),
    "diff": CommandModule("diff", "show what other rules would decide differently, or prove it"),
    "doctor": CommandModule("doctor", "check that the hooks and the sandbox work"),
    "explain": CommandModule("explain", "show the way to a verdict"),
    "fmt": CommandModule("fmt", "write rules files in their canonical form"),
    "help": CommandModule("help", "show what a command is for, and how it is called"),
    "hook": CommandModule("hook", "answer a coding agent's host about one call"),
    "import": CommandModule("import_", "write a host's own permission list as rules"),
    "init": CommandModule("init", "write first rules of your own, by a preset"),
    "install": CommandModule("install", "add the hook to an agent's configuration"),
    "layers": CommandModule("layers", "show where rules come from"),
    "learn": CommandModule("learn", "write the fewest rules that settle most questions of a log"),
    "lint": CommandModule("lint", "find mistakes in rules files"),
    "log": CommandModule("log", "show what was decided"),
    "pending": CommandModule("pending", "show what waits for the user"),
    "proxy": CommandModule("proxy", "serve a proxy that reaches the hosts that rules allow"),
    "query": CommandModule("query", "print commands that may run and do something"),
    "reject": CommandModule("reject", "refuse a call that waits for the user"),
    "replay": CommandModule("replay", "decide again about what agents did"),
    "run": CommandModule("run", "decide about a command and run it in a sandbox"),
    "serve": CommandModule("serve", "answer hooks, programs and a page without starting anew"),
    "status": CommandModule("status", "show agents, rules and questions on one screen"),
    "teach": CommandModule("teach", "make an entry for a tool of your own from its help"),
    "test": CommandModule("test", "run tables of cases against rules"),
    "trust": CommandModule("trust", "let the rules of a project allow something"),
    "undo": CommandModule("undo", "bring back what a call removed or changed"),
    "uninstall": CommandModule("uninstall", "remove the hook from an agent's configuration"),
    "wrap": CommandModule("wrap", "start an agent in a sandbox, with all that it starts"),
}


def named(name: str) -> CommandModule:
    """The command with this name. Raises `UsageError` that tells the nearest ones."""
    command = COMMANDS.get(name)
    if command is None:
        from execpolicy.commands.arguments import meant
        from execpolicy.model.errors import UsageError, printable

        shown = printable(name, 40)
        advice = "`execpolicy help` lists them"
        raise UsageError(f"unknown command `{shown}`{meant(name, COMMANDS)} ({advice})")
    return command

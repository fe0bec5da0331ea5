"""The commands. Each is a module of its own with one function, imported when it is called."""

from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.exit import ExitCode


class Command(Value):
    """A command's module in this package, and what it does in a few words."""

    module: str
    summary: str

    def load(self) -> "Callable[[Sequence[str]], ExitCode]":
        """The command's function, from its module."""
        module = __import__(f"{__name__}.{self.module}", fromlist=["main"])
        main: Callable[[Sequence[str]], ExitCode] = module.main
        return main


COMMANDS = {
    "amend": Command("amend", "allow a prefix from now on, or take it back"),
    "check": Command("check", "decide about a command"),
    "diff": Command("diff", "what another set of rules would decide differently"),
    "doctor": Command("doctor", "check that the policy stands in front of the agents"),
    "explain": Command("explain", "show the way to a verdict"),
    "fmt": Command("fmt", "rules files in their canonical form"),
    "hook": Command("hook", "answer a coding agent's host about one call"),
    "import": Command("import_", "a host's own permission list as rules"),
    "init": Command("init", "begin with rules of your own"),
    "install": Command("install", "put the policy in front of an agent"),
    "layers": Command("layers", "show where rules come from"),
    "lint": Command("lint", "find mistakes in rules files"),
    "log": Command("log", "show what was decided"),
    "test": Command("test", "run tables of cases against rules"),
    "trust": Command("trust", "let a project's rules allow, too"),
    "uninstall": Command("uninstall", "take it out again"),
}

"""What a `program(...)` call says, word for word, before it is compiled."""

from _collections_abc import Sequence

from execpolicy.model.rule import Origin
from execpolicy.support.ordered_enum import StrEnum
from execpolicy.support.record import Value

EFFECT = {
    "read": "only reads",
    "write": "writes",
    "network": "reaches the network",
    "execute": "runs code that is not seen here",
    "system": "changes the system",
    "remote": "changes something on another machine",
    "privilege": "acts with other rights",
    "destroy": "removes what cannot be brought back",
    "unknown": "what it does is not known",
}
"""What an operation can do to the world, from mild to strong, each as a verb and the rest for where
an entry says no more. The order serves explanation only.

`network` gets from another machine. `remote` changes something on another machine, and includes
`network`.
"""
EFFECTS = tuple(EFFECT)
UNSEEN = frozenset(("execute", "unknown"))
"""Effects of what runs and is not seen here."""
CONTAINED = frozenset(("read", "write", "execute"))
"""Effects that stay in a sandbox."""
OF_CODE = frozenset(("execute", "network", "write"))
"""What code of a project may do, so that running it allows all of these."""

CONFIGURES = {
    "configures": ".git/config",
    "configures-worktree": ".git/config.worktree",
    "configures-user": "~/.gitconfig",
    "configures-system": "/etc/gitconfig",
}
"""What stands among effects for `write` of a file of git's configuration, and which file that is
(git-config(1), FILES)."""

FOLLOWS = "follows"
"""The mark of a program that goes into what the links of a tree lead to. It is not an effect of its
own: it says of the trees which are read or written how far these reach."""

MARK = {
    "secret": "shows a secret",
    "environment": "shows all variables of the environment",
    "traces": "prints each command with the values of its variables",
    "history": "shows what git keeps of the repository",
    "overwrites": "writes over files that no word names",
    **dict.fromkeys(CONFIGURES, "changes what git does later"),
    "keeps": "keeps what is there",
    FOLLOWS: "follows links",
}
"""What stands among effects and says more: of reading, that a secret is shown which the program
keeps or is given elsewhere, or that all variables of the environment are, or those that a script
expands, or what any commit of the repository has; of writing, that files below the working
directory change which no word names, or that a configuration of git does, or that what a file holds
before it is written is kept; of both, that in a directory the links are followed, too."""
MARKS = tuple(MARK)

PRINTS = (
    *("", "plain", "word", "time", "number", "integer"),
    *("path", "fresh", "one", "files", "numbered", "input", "colon", "less"),
    *("words", "format", "base64"),
)
"""What an output looks like: nothing known; no word of it begins like an option; besides, no word
holds more than letters, digits and `_`, `.`, `:`, `/`; every word is a day or a time of a day
that begins with a digit; every word is digits; perhaps with a sign; it begins with `/` or a
letter; it is the path of what the program just made under a new name; it is one word without any
sign of a pattern, whatever that begins with; each line is the name of a file that is there,
whatever that begins with; each line begins with its number and a colon; it is lines of the input;
each up to its first colon; the input without some characters; its operands as `echo` prints them,
or as `printf` does; what its input is in base64."""


LOADS = {
    "after": "",
    "before": "loads configuration, plugins or build files of the project whatever its words are",
    "copy": "starts the copy of itself that the project has or names",
}
"""When a program loads code that the project names, and what the user is told of it: not before its
words have asked for that, so that `--help` and `--version` show and end; whatever its words are;
in the very beginning, as a launcher that hands its words on."""


RUNS = ("", "project", "hooks", "patches", "template", "installed")
"""Whose code a program runs: it is not known; the project's that it is started in, whatever it
does; what git finds in the repository, a hook or a filter, and else it works in `.git` with what it
keeps there, or applies what a file says, or begins a repository with hooks of the user, each with
the names of the hooks that it runs, or any; a program of `node_modules` that its first operand
names, where there is one."""
NAMED_HOOKS = frozenset(("hooks", "patches", "template"))
"""Those of RUNS after which names of hooks may stand."""
WRITES = "operands"
"""What a program changes are the files that it reads; after it the options that say so."""


class Form(Value):
    """One way to call a program: it fits where its conditions on the parsed words hold.

    `needs`: at least one of these options is present, with a value of a kind where one is given.
    `without`: none of these is. `operands` is None where the form takes those of its program.
    `options` gives other kinds to options that the program declares (`-f=out` where the rest of
    the program says `-f=file`). `prints`: see PRINTS.
    """

    effect: str
    needs: str = ""
    without: str = ""
    operands: str | None = None
    options: str = ""
    why: str = ""
    prints: str = ""


class Program(Value):
    """One entry of the catalogue, for a program or for one of its subcommands.

    `names` are whole paths: `sort`, `git push`, `python{version} -m json.tool`. `effect` holds
    effects with spaces between them, or nothing for a wrapper that adds none. `operands` is None
    where none are taken; a program with subcommands says `""` to be fit for a call without one.
    `help` names what shows help beside `--help`, here and in all subcommands. `loads` is one of
    LOADS, for the subcommands too, and the words that the program answers before it loads anything.
    `settings` names files of the project that the program follows whatever its words are, each with
    the effects that this adds (`.npmrc!network`); without any, what `loads` says needs that file.
    `runs` begins with one of RUNS, `writes` is empty or begins with WRITES.
    `credentials` says which keys of the user a program and its subcommands use.
    `examples` pairs an effect with command lines whose strongest effect it is.
    """

    names: tuple[str, ...]
    options: str = ""
    operands: str | None = None
    effect: str = "read"
    forms: tuple[Form, ...] = ()
    style: str = ""
    why: str = ""
    abbreviations: bool = False
    help: str = ""
    prints: str = ""
    loads: str = ""
    settings: str = ""
    runs: str = ""
    writes: str = ""
    credentials: str = ""
    examples: tuple[tuple[str, tuple[str, ...]], ...] = ()
    origin: Origin = Origin("", "", 0)


class HostsOf(StrEnum):
    """How the files with keys name the hosts that the keys are for."""

    URLS = "urls"
    """As URLs, `https://host:port/…` and `//host/…`."""
    KEYS = "keys"
    """As keys of a YAML mapping, at its top or further in."""
    FIELDS = "fields"
    """As the first two fields of a line, `host:port:…`."""
    BLOCKS = "blocks"
    """As a name in quotes before a brace, in JSON or HCL: `"host:port": {`."""
    MACHINES = "machines"
    """As netrc(5) has them, `machine HOST`."""
    OPTIONS = "options"
    """As `host=NAME` and `port=NUMBER`, each a line."""


class Closed(StrEnum):
    """Why a subcommand that wants a key never gets one."""

    LOGIN = "login"
    """It writes down a new key."""
    MACHINE = "machine"
    """It logs in on another machine."""
    SERVICE = "service"
    """It asks a service of this machine that may do more."""
    AGENT = "agent"
    """It is an agent, which has a key and hosts of its own and starts what it likes."""
    RIGHTS = "rights"
    """It takes the rights of another user."""
    CODE = "code"
    """It runs code of others, or sends whatever files the project names."""


class Credentials(Value):
    """What opens for one command, and what has to hold for that.

    `files` are read only inside, `hosts` may be reached on these ports beside those that the files
    name in the form `hosts_of`. `variables` are set. `settings` are files of the project of which
    every setting must be known to be data. `git`: the key is that of a remote of git,
    `ssh`: that by which the user's ssh logs in on the host that the words name.
    Of `passed` variables `X*` stands for all that begin with `X`.
    `git_settings`: the same of git's own configuration of the repository. `apart`: nothing of the
    project is there but those files, and files that words name. `only` are the
    subcommands that it is for, `a/b` for those of two words, or every one; `without` those that it
    is not for. Of `packed` ones a word has to name a file, which the project made before.
    `closed` are those for which no key ever opens, each with why. In `private` directories of the
    home it writes beside its keys: it gets copies. Before a subcommand of `first` this text runs,
    without the key, and makes the file to be sent in the directory `makes`.
    """

    files: tuple[str, ...] = ()
    hosts: tuple[tuple[str, int], ...] = ()
    hosts_of: tuple[HostsOf, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    passed: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    git: bool = False
    ssh: bool = False
    git_settings: bool = False
    apart: bool = False
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    packed: tuple[str, ...] = ()
    closed: tuple[tuple[str, Closed], ...] = ()
    private: tuple[str, ...] = ()
    first: tuple[tuple[str, str], ...] = ()
    makes: str = ""

    def is_for(self, subcommand: "Sequence[str]") -> bool:
        """Whether a subcommand uses the key, and starts nothing that must not have it."""
        begins = _begins(subcommand)
        named = not self.only or any(one in self.only for one in begins)
        return named and not any(one in self.without for one in begins)

    def why_closed(self, subcommand: "Sequence[str]") -> "Closed | None":
        """Why a subcommand that wants a key never gets one."""
        begins = ("*", *_begins(subcommand))
        return next((why for one, why in self.closed if one in begins), None)

    @property
    def logs_in(self) -> str:
        """The subcommand by which the user gets a key; empty where none is known."""
        closed = (one for one, why in self.closed if why is Closed.LOGIN and one.endswith("login"))
        return next(closed, "").replace("/", " ")


def _begins(subcommand: "Sequence[str]") -> list[str]:
    return ["/".join(subcommand[:size]) for size in range(1, len(subcommand) + 1)]

"""Which keys of the user a program needs, and what opens for it."""

from _collections_abc import Sequence

from execpolicy.support.ordered_enum import StrEnum
from execpolicy.support.record import Value


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

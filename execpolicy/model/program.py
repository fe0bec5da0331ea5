"""The words that an entry of the catalogue is made of, and what each says."""

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

"""The names of kinds: what a word can be for a program, and what it can then do."""

from execpolicy.model.program import EFFECTS, MARKS

EFFECTS_OF: dict[str, tuple[str, ...]] = {
    "text": (),
    "task": (),
    "own": ("remote", "network"),
    "patch": ("write", "destroy", "unknown"),
    "number": (),
    "name": ("unknown",),
    "only-names": (),
    "not-names": (),
    "file": ("read",),
    "path": ("read",),
    "dir": ("read",),
    "tree": ("read",),
    "visible": ("read",),
    "tracked": ("read",),
    "staged": ("read",),
    "member": ("read",),
    "form-field": ("read",),
    "object": ("read",),
    "variable": ("read",),
    "cwd": ("read",),
    "base": ("read",),
    "out": ("write",),
    "in-place": ("write",),
    "opened": ("write",),
    "new-tree": ("write",),
    "database": ("read", "write"),
    "database-readonly": ("read",),
    "out-prefix": ("write",),
    "into": ("write",),
    "link-target": ("read", "write"),
    "symlink-target": ("write",),
    "kept-in": ("write",),
    "moved": ("write",),
    "packed": ("write",),
    "packed-kept": ("write",),
    "suffix": ("write",),
    "include": (),
    "code-include": (),
    "exclude": (),
    "exclude-dir": (),
    "exclude-from": ("read",),
    "glob": (),
    "code-glob": (),
    "iglob": (),
    "any-type": (),
    "remove": ("destroy",),
    "host": ("network",),
    "ssh": ("network",),
    "url": ("network", "read"),
    "urls": ("network", "read"),
    "local": ("network", "read"),
    "repo": ("network", "execute"),
    "cloned": ("network", "execute", "write"),
    "slug": ("network",),
    "location": ("network", "read"),
    "location-tree": ("network", "read"),
    "location-out": ("network", "remote", "write"),
    "location-into": ("network", "remote", "write"),
    "resource": ("network", "read"),
    "including": ("network", "read"),
    "including-local": ("read",),
    "chart": ("network", "read"),
    "program": ("execute",),
    "code": ("execute",),
    "python": ("execute",),
    "source": ("execute",),
    "command": ("execute",),
    "command+": ("execute",),
    "remote-command": ("execute",),
    "remote-shell...": ("execute",),
    "command;": ("execute",),
    "command;.": ("execute",),
    "command;+": ("execute",),
    "command;@": ("execute",),
    "shell": ("execute",),
    "bash": ("execute",),
    "zsh": ("execute",),
    "shell...": ("execute",),
    "command/shell...": ("execute",),
    "self-command": ("execute",),
    "assignment": ("execute",),
    "typed-input": ("execute",),
    "remote-input": ("remote",),
    "instructions": (),
    "git-setting": ("execute", "network"),
    "placeholder": (),
    "placeholder-or-end": (),
    "placeholder...": (),
    "template": ("execute",),
    "bindings": ("execute",),
    "sed": ("write", "execute"),
    "awk": ("read", "write", "execute"),
    "jq": ("read",),
    "filters": ("write", "execute"),
    "miller": ("write", "execute"),
    "go-template": ("secret",),
    "kube-fields": ("secret",),
    "sql": ("write", "destroy", "execute", "privilege"),
    "sqlite": ("write", "destroy", "execute", "privilege"),
    "sqlite-readonly": ("write", "destroy", "execute", "privilege"),
    "duckdb": ("write", "destroy", "execute", "network", "privilege"),
    "mysql": ("write", "destroy", "execute", "privilege"),
    "remote-sql": ("write", "destroy", "execute", "privilege", "remote"),
    **{effect: (effect,) for effect in (*EFFECTS, *MARKS)},
}
"""Every kind, and all that a word of it can do: what a dynamic word in its place counts as."""

CHANGES = frozenset(("write", "execute", "system", "destroy", "unknown"))
"""What a client does to its server, where nothing says that it is to a path here."""

TAILS = frozenset(
    (
        *("command", "command+", "self-command", "command/shell..."),
        *("remote-command", "remote-shell...", "shell..."),
    )
)
"""The kinds that take this operand and all that follow."""

INNER = TAILS | {"shell", "bash", "zsh"}
"""The kinds of an operand that is a command, or where one begins."""

REMOTE = frozenset(("remote-command", "remote-shell..."))
"""Those of them whose command runs on another machine or in a container."""

UNTIL = frozenset(("command;", "command;.", "command;+", "command;@"))
"""The option values that go on to a `;` or `+`."""

LIMITS = frozenset(
    ("include", "code-include", "exclude", "exclude-dir", "exclude-from")
) | frozenset(("glob", "code-glob", "iglob", "any-type"))
"""The kinds of words that say which files of a tree a search reads."""

SCRIPTS = frozenset(
    ("shell", "bash", "zsh", "sed", "awk", "python", "sql", "remote-sql", "sqlite", "duckdb")
)
"""The kinds of a program text in one word."""

RESTRICTIVE = frozenset(("number", "name", "assignment", "local"))
"""The named kinds that not every word is of; a word can be of any other."""

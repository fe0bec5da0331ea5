"""Paths that ask wherever they lie: what runs at the next login, keys, what a policy is made of."""

from execpolicy.policy.folding import fold
from execpolicy.support.path_match import PathPattern, below
from execpolicy.support.record import Value

DENY_WRITE = (
    "**/.bashrc", "**/.bash_profile", "**/.bash_login", "**/.zshrc", "**/.zshenv", "**/.zprofile",
    "**/.profile", "**/authorized_keys", "**/LaunchAgents/**", "**/.git/hooks/**",
    "**/.git/config", "**/.envrc", "**/.ssh/**", "**/.config/fish/**", "**/.config/autostart/**",
    "**/.config/systemd/**", "**/.gitconfig", "/etc/crontab", "/etc/cron.*/**",
    "/var/spool/cron/**",
)  # fmt: skip
"""What runs later, or says what does: start files of shells, autostart, hooks, keys that let in."""
DENY_READ = (
    "**/.ssh/id_*", "**/.aws/credentials", "**/.netrc", "**/.git-credentials", "**/.pgpass",
    "**/.config/gh/hosts.yml", "**/.docker/config.json", "**/.kube/config", "/etc/shadow",
)  # fmt: skip
"""Where keys, passwords and tokens lie by convention."""


class Guards(Value):
    """What asks beside where a path lies. Globs are those of `path_rule`.

    `protected` are real directories whose loss or change would be one of the policy itself.
    `any_case` is for file systems that take names of another case for equal. `as_published` takes
    every path as it is written: globs compare exactly, a climb by `..` is one from anywhere, and
    devices, processes and homes are not special paths.
    """

    deny_write: tuple[str, ...] = DENY_WRITE
    deny_read: tuple[str, ...] = DENY_READ
    protected: tuple[str, ...] = ()
    any_case: bool = False
    as_published: bool = False

    def guards(self, mode: str, paths: tuple[str, ...]) -> bool:
        """Whether one of these spellings of a path is guarded. A public key is not a secret."""
        globs = self.deny_read if mode == "read" else self.deny_write
        patterns = _patterns(globs, self.as_published)
        spellings = [path for path in paths if mode != "read" or not path.endswith(".pub")]
        if not self.as_published:
            spellings = list(map(fold, spellings))
        return any(pattern.matches(path, None, None) for pattern in patterns for path in spellings)

    def protects(self, mode: str, paths: tuple[str, ...]) -> bool:
        """Whether one of these is protected, or a directory to remove that holds what is."""
        folded = [fold(path) for path in paths]
        return any(
            below(path, kept) or (mode == "remove" and path != "/" and below(kept, path))
            for kept in map(fold, self.protected)
            for path in folded
        )

    def covers(self, path: str, directories: tuple[str, ...]) -> bool:
        """Whether a path lies in one of the directories, as the file system compares names."""
        if self.any_case:
            path, directories = fold(path), tuple(map(fold, directories))
        return any(below(path, directory) for directory in directories)


def _patterns(globs: tuple[str, ...], exact: bool) -> tuple[PathPattern, ...]:
    """The globs taken apart."""
    return tuple(PathPattern(glob if exact else fold(glob)) for glob in globs)

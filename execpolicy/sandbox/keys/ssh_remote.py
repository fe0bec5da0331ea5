"""ssh, scp and rsync with the key of the user: ssh runs outside as a whole, for one host.

Inside, a script stands in the place of ssh, and joins its streams to it. What is to run there was
decided about with the call; of rsync, which makes it of its words, the script says it first.
"""

import os
import re
import shlex

from execpolicy.engine.rules.credentials import KeyUse
from execpolicy.model.errors import printable
from execpolicy.sandbox.keys.git_remote import Address, short, ssh_words
from execpolicy.sandbox.keys.opening import Bridge, NoKeyError, Opening, Outside
from execpolicy.sandbox.keys.programs import Programs
from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

ENDED = ("ended.execpolicy.invalid", 1)
"""What the script asks how ssh ended: no host has this name (RFC 6761)."""
_WORDS = words_of("credentials")
_COPIES = _WORDS["copies"]
"""Programs that start ssh for the host's sftp."""
_PLAIN = re.compile(r"[A-Za-z0-9./_~+@%,=:*?-]*")
_RUNS = (
    *("/bin/sh", "-c"),
    "LC_ALL=C; IFS= read -r c; case $c in *[!A-Za-z0-9\\ ./_~+@%,=:*?-]*) exit 1;; "
    '"rsync --server "*) exec "$@" "$c";; esac',
)
"""What begins ssh with the command that comes first: that of rsync, and no other."""
_SAYS = (
    'while [ "${1#-}" != "$1" ]; do [ "$1" = -l ] && shift; shift; done; shift; exec 3<&0\n'
    "p=/tmp/ssh.$$; mkfifo $p; { printf '%s\\n' \"$*\"; exec cat <&3; } >$p &\n"
    "WAY <$p\n"
)
"""The same inside: rsync gives options and the host before it."""


class Login(Value):
    """The host that a command logs in on, and the options that the user's ssh gets for it."""

    address: Address
    options: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


class SshKey:
    """Opens the host of one command."""

    def __init__(self, use: "KeyUse", programs: "Programs", outside: Outside, root: str) -> None:
        self._use, self._programs, self._outside, self._root = use, programs, outside, root
        self._name = use.path[0]

    def opening(self, cwd: str, tunnel: str) -> Opening:
        """What opens; `tunnel` joins its streams to a host and a port. Raises `NoKeyError`."""
        ssh, login = self._programs.named("ssh"), self._login(cwd)
        host, port = login.address.host, login.address.port
        words = (ssh, *ssh_words(login.address, *login.options), *login.command)
        if self._name == "rsync":
            words = (*_RUNS, "sh", *words)
        given, home = self._outside.environment, os.path.expanduser("~")
        way = f"{tunnel} {shlex.quote(host)} {port}"
        asks = f"c=$({tunnel} {ENDED[0]} {ENDED[1]} </dev/null)\nexit ${{c:-255}}\n"
        joins = _SAYS.replace("WAY", way) if self._name == "rsync" else f"{way}\n"
        first: tuple[str, ...] = ("-S", ssh) if self._name in _COPIES else ()
        first += ("-s",) if self._name == "scp" else ()  # by sftp, as sftp does
        return Opening(
            (self._programs.named(self._name), *first, *self._use.argv[1:]),
            self._programs.path,
            f"`{printable(host, 80)}` by the user's ssh",
            contents=((os.path.realpath(ssh), f"#!/bin/sh\n{joins}{asks}".encode()),),
            hosts=frozenset(((host, port),)),
            bridges=(
                Bridge(host, port, words, given, home, judged=True),
                Bridge(*ENDED, (), given, home),
            ),
            needed=self._programs.own(),
        )

    def _login(self, cwd: str) -> Login:
        if self._name == "rsync":
            return Login(self._copied(cwd))
        login, rest = self._options(cwd)
        if self._name in _COPIES:
            address = self._copied(cwd).replace(port=login.address.port)
            return login.replace(address=address, options=("-s", *login.options), command=("sftp",))
        address, command = short(f"{rest[0].replace(':', '::')}:"), tuple(rest[1:])
        if not command or command[0][:1] == "-":
            raise NoKeyError("there is no terminal for a shell: name the command after the host")
        port, user = login.address.port, login.address.user
        return login.replace(
            address=address.replace(port=port, user=user or address.user), command=command
        )

    def _options(self, cwd: str) -> "tuple[Login, list[str]]":
        """What stands before the operands, and these. The host is not known yet."""
        given, words = Address("ssh", "", 22, "", "", ""), [*self._use.argv[1:]]
        options: list[str] = []
        while words and words[0][:1] == "-":
            word = words.pop(0)
            name, value = word[1:2], word[2:]
            if name == "P" and self._name in _COPIES:
                name = "p"
            elif _WORDS[self._name].issuperset(word[1:]):
                options += [word] if self._name == "ssh" else []
                continue
            elif name not in _WORDS["valued"] or (name in "pl" and self._name in _COPIES):
                raise NoKeyError(f"`{printable(word, 80)}` opens more than the host")
            value = value or (words.pop(0) if words else "")
            if name == "o" and value[:5].lower() in ("port=", "user="):
                name, value = ("p" if value[0] in "pP" else "l"), value[5:]
            if name == "p" and value.isdigit():
                given = given.replace(port=int(value))
            elif name == "l":
                given = given.replace(user=short(f"{value}@host:").user)
            else:
                options += [f"-{name}", self._identity(value, cwd) if name == "i" else value]
        if not words:
            raise NoKeyError("no host is named")
        return Login(given, tuple(options)), words

    def _identity(self, word: str, cwd: str) -> str:
        path = os.path.join(cwd, os.path.expanduser(word))
        if not self._programs.is_kept(path):
            raise NoKeyError(f"`{printable(word, 80)}` can be written by what runs in the sandbox")
        return path

    def _copied(self, cwd: str) -> Address:
        """The one host that files are copied to or from; the others are of the project."""
        found = set()
        for word in self._use.operands:
            if ":" in word.partition("/")[0]:
                if self._name == "rsync" and not _PLAIN.fullmatch(word):
                    raise NoKeyError(f"`{printable(word, 80)}` is not a plain path")
                found.add(short(word).replace(path="", url=""))
                continue
            if not below(os.path.realpath(os.path.join(cwd, word)), self._root):
                raise NoKeyError(f"`{printable(word, 200)}` is not a file of the project")
        if not found:
            raise NoKeyError("there is no terminal for a session: write `HOST:FILE`")
        if len(found) != 1:
            raise NoKeyError("with a key it reaches one host at a time")
        return found.pop()

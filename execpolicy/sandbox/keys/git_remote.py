"""A remote of git with the key of the user: the helper and ssh run outside, and are for one host.

Inside is no key at all. Where the server asks who it is, git asks a bridge, and gets what the
user's own helper says for this one address (gitcredentials(7)). ssh runs outside as a whole: what
comes inside is what the server's git says (git(1), GIT_SSH_COMMAND).
"""

import shlex
from _collections_abc import Iterator
from urllib.parse import urlsplit

from execpolicy.engine.rules.credentials import KeyUse
from execpolicy.model.errors import printable
from execpolicy.policy.network_hosts import PORTS
from execpolicy.sandbox.keys.opening import Bridge, NoKeyError, Opening, Outside
from execpolicy.sandbox.keys.programs import Programs
from execpolicy.sandbox.keys.upstream import Upstream, upstream
from execpolicy.support.record import Value

HELPER = ("credential.execpolicy.invalid", 1)
"""What git's helper inside asks for its tunnel to: no host has this name (RFC 6761)."""
SSH = "ssh"
_PUSHES = ("git", "push")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")
_MANY = frozenset(("--all", "--multiple", "-m", "--mirror", "--repo", "--recurse-submodules"))
OFF = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.askPass": "",
    "core.pager": "cat",
    "core.alternateRefsCommand": "true",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    "push.recurseSubmodules": "no",
    "push.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.followRedirects": "false",
    "protocol.allow": "never",
    "protocol.http.allow": "always",
    "protocol.https.allow": "always",
    "protocol.ssh.allow": "always",
}
"""Settings that come after all others, so that git starts no program but its own
(git-config(1) 2.47)."""


class Address(Value):
    """Where a remote is. `user` and `path` as they are written."""

    scheme: str
    host: str
    port: int
    user: str
    path: str
    url: str

    @property
    def is_http(self) -> bool:
        """Whether git reaches it by HTTP, and asks a helper."""
        return self.scheme != SSH


class GitKey:
    """Opens the remote of one command of git."""

    def __init__(self, use: "KeyUse", programs: "Programs", outside: Outside) -> None:
        self._use, self._programs, self._outside = use, programs, outside
        self._git = programs.named("git")

    def opening(self, tunnel: str, *, approved: bool) -> Opening:
        """What opens. `tunnel` is the command that joins its streams to a host and a port.

        Raises `NoKeyError`, also where the remote needs no key.
        """
        address = self._address(approved)
        host, port = address.host, address.port
        bridge = self._helper(address) if address.is_http else self._ssh(address)
        way = "the user's credential helper" if address.is_http else "the user's ssh"
        follows = self._follows() if self._use.path == _PUSHES else Upstream(self._use.argv)
        return Opening(
            (self._git, *follows.argv[1:]),
            self._programs.path,
            f"`{printable(host, 80)}` by {way}",
            hosts=frozenset(((host, port),)),
            variables=variables(tunnel, bridge),
            bridges=(bridge,),
            needed=self._programs.own(),
            then=tuple((self._git, *one) for one in self._written(follows)),
            outside=self._outside,
        )

    def _written(self, follows: Upstream) -> Iterator[tuple[str, ...]]:
        if follows.settings:
            yield (*_settings(OFF), *follows.told)
        for name, value in follows.settings:
            yield "config", name, value

    def _follows(self) -> Upstream:
        """What a branch that is there is to follow, if it is a remote of the repository."""
        head = self._output("symbolic-ref", "-q", "--short", "HEAD").strip()
        found = upstream(self._use.argv, self._use.operands, head)
        names = {name.split(".", 1)[1].rpartition(".")[0] for name, _ in found.settings}
        there = all(self._output("rev-parse", "-q", "--verify", f"refs/heads/{n}") for n in names)
        known = self._use.operands[:1] and self._use.operands[0] in self._output("remote").split()
        return found if there and known else found.replace(settings=())

    def _address(self, approved: bool) -> Address:
        before = self._use.argv[1 : self._use.argv.index(self._use.path[1])]
        if before and (len(before) != 2 or before[0] != "-C"):
            raise NoKeyError(f"`{printable(before[0], 80)}` stands before `{self._use.path[1]}`")
        if _MANY.intersection(word.partition("=")[0] for word in self._use.argv):
            raise NoKeyError("with a key git reaches one remote at a time: name it")
        named = self._use.operands[:1]
        remotes = self._output("remote").split("\n")
        if named and named[0] not in remotes:
            if not approved:
                raise NoKeyError(f"`{printable(named[0], 80)}` is not a remote of this repository")
            return parsed(named[0])
        return parsed(self._url(named[0] if named else self._usual()))

    def _usual(self) -> str:
        """The remote that is meant where none is named (git-fetch(1), git-push(1))."""
        branch = self._output("symbolic-ref", "-q", "HEAD").strip()
        kind = "push" if self._use.path == _PUSHES else "upstream"
        form = f"--format=%({kind}:remotename)"
        found = self._output("for-each-ref", form, branch).strip() if branch else ""
        return found or "origin"

    def _url(self, name: str) -> str:
        push = ("--push",) if self._use.path == _PUSHES else ()
        found = self._output("remote", "get-url", "--all", *push, "--", name).splitlines()
        if len(found) != 1:
            raise NoKeyError(f"`{printable(name, 80)}` is not one remote with one address")
        return found[0]

    def _output(self, *words: str) -> str:
        return self._outside.output((self._git, *_settings(OFF), *words))

    def _helper(self, address: Address) -> Bridge:
        words = (self._git, "-c", "core.askPass=", "credential", "fill")
        text = f"url={address.url}\n\n".encode()
        return Bridge(*HELPER, words, self._outside.environment, self._outside.cwd, text)

    def _ssh(self, address: Address) -> Bridge:
        service = "git-receive-pack" if self._use.path == _PUSHES else "git-upload-pack"
        command = f"{service} {quoted(address.path)}"
        words = (*self._ssh_words(), *ssh_words(address), command)
        environment = (*self._outside.environment, ("GIT_PROTOCOL", "version=2"))
        return Bridge(
            address.host, address.port, words, environment, self._outside.cwd, judged=True
        )

    def _ssh_words(self) -> tuple[str, ...]:
        """The user's own ssh, as git runs it: the repository sets none (git-config(1))."""
        own = self._output("config", "--get", "core.sshCommand").strip()
        if not own:
            return (self._programs.named("ssh"),)
        return ("/bin/sh", "-c", f'{own} "$@"', own)


_SSH_OPTIONS = (
    *("BatchMode=yes", "ClearAllForwardings=yes", "ForwardAgent=no", "ForwardX11=no"),
    *("PermitLocalCommand=no", "ControlMaster=no", "RequestTTY=no", "SendEnv=GIT_PROTOCOL"),
)
_SSH = tuple(word for option in _SSH_OPTIONS for word in ("-o", option))
"""ssh_config(5): it opens this one command, and neither asks nor forwards."""


def ssh_words(address: Address, *options: str) -> tuple[str, ...]:
    """What follows ssh in order to log in at an address, with a command after it."""
    place = f"{address.user}@{address.host}" if address.user else address.host
    port = ("-p", str(address.port)) if address.port != PORTS[SSH] else ()
    return (*_SSH, *port, *options, "--", place)


def parsed(url: str) -> Address:
    """The address of a remote (git-fetch(1), GIT URLS). Raises `NoKeyError` for others, which need
    no key."""
    if any(ord(char) <= ord(" ") or ord(char) > ord("~") for char in url):
        raise NoKeyError(f"`{printable(url, 80)}` is not read as an address")
    if "://" not in url:
        return short(url)
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError as error:
        raise NoKeyError(f"`{printable(url, 80)}` is not read as an address: {error}") from None
    scheme = split.scheme.removeprefix("git+").removesuffix("+git")
    if scheme not in PORTS or not split.hostname:
        raise NoKeyError(f"`{printable(url, 80)}` needs no key")
    user = (split.username or "").partition(":")[0]
    path = split.path[1:] if split.path[:2] == "/~" else split.path
    return _checked(Address(scheme, split.hostname, port or PORTS[scheme], user, path, url))


def short(url: str) -> Address:
    """`[user@]host:path`. Raises `NoKeyError`."""
    place, colon, path = url.partition(":")
    user, _, host = place.rpartition("@")
    if not colon or "/" in place or "::" in url or "[" in place:
        raise NoKeyError(f"`{printable(url, 80)}` needs no key")
    return _checked(Address(SSH, host.lower(), PORTS[SSH], user, path, url))


def _checked(address: Address) -> Address:
    """The same, if no part of it could be an option of ssh or of its command."""
    plain = all(_PLAIN.issuperset(part) for part in (address.host, address.user))
    parts = (address.host, address.user, address.path)
    decoded = address.is_http or "%" not in address.url
    if not (plain and decoded) or any(part[:1] == "-" for part in parts):
        raise NoKeyError(f"`{printable(address.url, 80)}` is not read as an address")
    return address


def quoted(path: str) -> str:
    """A path as git quotes it for the shell of the server (`sq_quote_buf` of its quote.c)."""
    return "'" + path.replace("'", "'\\''").replace("!", "'\\!'") + "'"


def _settings(given: "dict[str, str]") -> tuple[str, ...]:
    return tuple(word for name, value in given.items() for word in ("-c", f"{name}={value}"))


def variables(tunnel: str, bridge: Bridge) -> tuple[tuple[str, str], ...]:
    """The variables with which git asks the bridge, and nothing else."""
    target = f"{tunnel} {shlex.quote(bridge.host)} {bridge.port}"
    given = [*OFF.items()]
    if not bridge.judged:
        given.append(
            ("credential.helper", f'!f() {{ test "$1" = get && {target} </dev/null; }}; f')
        )
    listed = {"GIT_CONFIG_COUNT": str(len(given))}
    for number, (name, value) in enumerate(given):
        listed |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    ssh = f"f() {{ exec {target}; }}; f" if bridge.judged else "false"
    more = {"GIT_SSH_COMMAND": ssh, "GIT_SSH_VARIANT": "ssh", "GIT_PAGER": "cat", "GIT_ASKPASS": ""}
    return tuple({**listed, **more, "GIT_TERMINAL_PROMPT": "0"}.items())

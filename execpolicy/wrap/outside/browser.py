"""The browser of the user, which an agent asks for where it logs in.

There is none inside. What an agent starts to open one is a program shim like any other, and says
the address. That is told to the user; it is opened outside where it is one of the agent's own
hosts, and nothing else is. A port of the loopback that the page leads back to is forwarded to the
agent while something listens on it.
"""

import os
import re
import subprocess
from time import monotonic, sleep

from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import SHELLS
from execpolicy.policy.network_hosts import HTTP, PORTS, TUNNEL, Attempt, decide
from execpolicy.sandbox.backends.published import Published, join, network_of
from execpolicy.sandbox.keys.opening import NoKeyError
from execpolicy.sandbox.keys.programs import Programs
from execpolicy.support.hostname import HostError, parse_host
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of
from execpolicy.wrap.outside.ports import listening
from execpolicy.wrap.programs import OPENER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from execpolicy.policy.policy import Policy
    from execpolicy.wrap.command_sandbox import Ends
    from execpolicy.wrap.protocol import CommandRequest

OPENERS = words_of("credentials")["openers"]
MAX_ADDRESS = 8192
MAX_TOLD = 16
"""Addresses of one session."""
LOGIN_SECONDS, PAUSE = 600.0, 0.3
NOT_OPENED = 3
"""What xdg-open ends with where it has no browser; an agent shows the address then, too."""
_ADDRESS = re.compile(
    r"(https?)://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?:[/?#][\x21-\x7e]*)?"
)
_PASSED = re.compile(r"[A-Za-z0-9._~:/?#@+,=&%\[\]-]*")
"""What of an address is given to a program, which may be a script."""
_BACK = re.compile(r"[?&]redirect_uri=([^&#]*)")
_LOOPBACK = re.compile(r"http://(?:localhost|127\.0\.0\.1|\[::1\]):([0-9]{4,5})(?:[/?].*)?")
"""Where a page leads back to that an agent opens (RFC 8252, 7.3)."""


class WebAddress(Value):
    """An address, its host and port, and the port of the loopback that its page leads back to."""

    text: str
    protocol: str
    host: str
    port: int
    back: int = 0


def address_of(words: "tuple[str, ...]") -> WebAddress | None:
    """The address that these words open in a browser; None where they are a command like any other.

    >>> address_of(("/usr/bin/xdg-open", "https://a.example/?redirect_uri=http://localhost:1455/x"))
    WebAddress(text='https://a.example/?redirect_uri=http://localhost:1455/x', protocol='https', \
host='a.example', port=443, back=1455)
    """
    if os.path.basename(words[0]) in SHELLS:  # a script of the agent's own package
        words = words[1:]
    if len(words) != 2 or os.path.basename(words[0]) not in OPENERS or len(words[1]) > MAX_ADDRESS:
        return None
    found = _ADDRESS.fullmatch(words[1])
    if found is None:
        return None
    protocol, name, port = found.groups()
    try:
        host = parse_host(name).text
    except HostError:
        return None
    return WebAddress(words[1], protocol, host, int(port or PORTS[protocol]), _back(words[1]))


def _back(text: str) -> int:
    from urllib.parse import unquote

    given = _BACK.search(text)
    found = _LOOPBACK.fullmatch(unquote(given[1])) if given else None
    return int(found[1]) if found and 1024 <= int(found[1]) < 65536 else 0


class Browser:
    """Opens addresses for one agent, by the environment that the session began with.

    `hosts` are opened, each with its port. What it opens them with is a program that nothing inside
    can write.
    """

    def __init__(
        self,
        name: str,
        hosts: "frozenset[tuple[str, int]]",
        environment: "Mapping[str, str]",
        programs: Programs,
    ) -> None:
        self._name, self._hosts = name, hosts
        self._environment, self._programs = {**environment}, programs
        self._tells = os.dup(2)
        self._left, left = os.pipe()  # what all processes of the session share
        os.write(left, b"." * MAX_TOLD)
        os.close(left)

    def open(
        self, address: WebAddress, request: "CommandRequest", ends: "Ends", policy: "Policy"
    ) -> int:
        """Tell the user an address and open it; wait while its page may lead back. The exit code
        of what asked for it."""
        if not os.read(self._left, 1):
            os.write(2, b"execpolicy: this session has asked for too many addresses\n")
            return NOT_OPENED
        back = address.back if address.back in _listening(request.process) else 0
        network = network_of(request.process) if back else -1
        _let_go(request)
        try:
            published = Published((back,) if back else (), lambda: join(network))
        finally:
            if back:
                os.close(network)
        try:
            code = self._opened(address, policy, published.process if back else None)
            ends.ended(code)
            _wait(published.process, back)
        finally:
            published.close()
        return code

    def _opened(self, address: WebAddress, policy: "Policy", back: "int | None") -> int:
        """Open it and say so; `back` is what serves the port, None where none is asked for."""
        program = self._program() if self._may_open(address, policy) else ""
        opens = bool(program) and back != 0
        done = "opens in your browser" if opens else "is to be opened in a browser by you"
        more = f", and port {address.back} of this machine leads to it" if back else ""
        if back == 0:
            more = f", once port {address.back} of this machine is free: then log in again"
        shown = printable(address.text, MAX_ADDRESS)
        self._tell(f"{self._name} asks for a page, which {done}{more}: {shown}")
        if opens:
            subprocess.Popen(
                (program, address.text),
                env=self._environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return 0 if opens else NOT_OPENED

    def _may_open(self, address: WebAddress, policy: "Policy") -> bool:
        """Whether it is one of the agent's hosts, and no rule forbids that."""
        way = HTTP if address.protocol == "http" else TUNNEL
        asked = Attempt(parse_host(address.host), way, address.port)
        ruling = decide(policy, asked)
        refused = ruling.decision is Decision.FORBIDDEN and ruling.rule is not None
        own = (address.host, address.port) in self._hosts
        return own and not refused and bool(_PASSED.fullmatch(address.text))

    def _program(self) -> str:
        """The user's own opener; empty where there is none, or no screen for it."""
        name = self._environment.get("BROWSER", "").partition(":")[0]
        if not name and not {"DISPLAY", "WAYLAND_DISPLAY"} & self._environment.keys():
            return ""
        name = name or OPENER
        try:
            if name[:1] != "/":
                return self._programs.named(name)
            return name if os.access(name, os.X_OK) and self._programs.is_kept(name) else ""
        except NoKeyError:
            return ""

    def _tell(self, text: str) -> None:
        try:
            os.write(self._tells, f"\r\nexecpolicy: {text}\r\n".encode())
        except OSError:  # the terminal is gone
            return


def _listening(process: int) -> "frozenset[int]":
    return frozenset(port for port, _ in listening(process))


def _let_go(request: "CommandRequest") -> None:
    """Hold nothing of what asked, which may wait for the end of its streams."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for number in {0, 1, 2, *(fd for _, fd in request.descriptors)}:
        os.dup2(nothing, number, inheritable=False)
    os.close(nothing)


def _wait(process: int, port: int) -> None:
    """Wait until nothing listens on the port any more: the login is over, or was given up."""
    until = monotonic() + LOGIN_SECONDS
    while port and process and monotonic() < until and port in _listening(process):
        sleep(PAUSE)

"""MCP servers of the user's own configuration, which keep the variables that this gives them.

An agent starts each as any program; commands do not get these variables."""

import os

from execpolicy.hosts.agents.servers import McpServer
from execpolicy.sandbox.keys.opening import NoKeyError
from execpolicy.sandbox.keys.programs import Programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.wrap.protocol import CommandRequest


class UserServers:
    """The servers as they are configured when a session begins, which is not the agent's to say."""

    def __init__(self, servers: "Iterable[McpServer]", programs: Programs) -> None:
        self._servers, self._programs = tuple(servers), programs

    def variables(self, request: "CommandRequest") -> "tuple[tuple[str, str], ...]":
        """What a server is given that is started so; nothing of what is none of them, or of a
        program that something inside can write."""
        name = os.path.basename(request.path)
        for one in self._servers:
            word = one.words[0]
            same = word == (request.path if "/" in word else name)
            if same and one.words[1:] == request.argv[1:]:
                return one.variables if self._is_kept(word) else ()
        return ()

    def _is_kept(self, word: str) -> bool:
        try:
            return self._programs.is_kept(word) if "/" in word else bool(self._programs.named(word))
        except NoKeyError:
            return False

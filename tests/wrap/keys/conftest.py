"""A home with keys, and servers that want them, beside a project in which a shell is wrapped."""

import pytest

from tests.sandbox.keys.conftest import PASSWORD
from tests.sandbox.keys.conftest import home as home
from tests.sandbox.keys.conftest import remote as remote
from tests.sandbox.keys.home import Home
from tests.sandbox.keys.servers import Server


@pytest.fixture
def login(home: Home, remote: Server) -> Server:
    """The server, with its password where `git credential-store` keeps it."""
    home.git("credential.helper", "store")
    home.write(".git-credentials", f"http://user:{PASSWORD}@127.0.0.1:{remote.port}\n")
    return remote

"""A cache of a test's own that has the shipped rules compiled already, as after a first command.

In a checkout whose rules or code were changed since the package was built, they are compiled by
the first process that uses a cache. That takes seconds.
"""

import shutil
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.support import directories
from execpolicy.support.resources import BUILTIN


def warm(common: Path, cache: Path) -> Path:
    """Put into `cache` what the common cache of the tests has of the shipped rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(common))
        Engine.load(rules=[])
        compiled = Path(directories.cache()) / BUILTIN
    own = cache / compiled.parent.relative_to(common)
    own.mkdir(mode=0o700, parents=True)
    own.parent.chmod(0o700)
    if compiled.exists():  # else the package has them, and they are read there
        shutil.copy2(compiled, own)
    return cache

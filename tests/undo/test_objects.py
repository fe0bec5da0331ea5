"""An object has the name that its bytes have, whatever digests them."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from execpolicy.support import digest
from execpolicy.undo.objects import CHUNK, Objects


def test_much_and_little_have_the_same_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    objects = Objects(str(tmp_path / "state/execpolicy/undo/1"))
    objects.prepare()
    for size in (3, digest.MUCH, 3, CHUNK + 5):
        data = os.urandom(size)
        (tmp_path / "a").write_bytes(data)
        source = os.open(tmp_path / "a", os.O_RDONLY)
        names = objects.put(data)[0], objects.put_file(source, size)[0]
        os.close(source)
        assert names == (sha256(data).hexdigest(),) * 2
        assert objects.get(names[0]) == data

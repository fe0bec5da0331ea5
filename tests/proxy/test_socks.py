"""The bytes of SOCKS5 (RFC 1928): when a greeting and a request are whole, and what they ask."""

import pytest

from execpolicy.proxy import socks
from execpolicy.proxy.http1 import MalformedError

GREETINGS = [
    (b"\x05", None),
    (b"\x05\x01", None),
    (b"\x05\x02\x00", None),
    (b"\x05\x00", (2, False)),
    (b"\x05\x01\x00", (3, True)),
    (b"\x05\x01\x02", (3, False)),  # with a name and a password only
    (b"\x05\x02\x02\x00", (4, True)),
    (b"\x05\x01\x02\x00", (3, False)),  # what follows is not part of the greeting
]
"""Version, number of methods, methods: the bytes taken, and whether one of them is not a log-in."""

NAME = b"\x05\x01\x00\x03\x06a.test\x01\xbb"
REQUESTS = [
    (NAME, ("a.test", 443)),
    (b"\x05\x01\x00\x01\x08\x08\x08\x08\x00\x50", ("8.8.8.8", 80)),
    (b"\x05\x01\x00\x04" + bytes(15) + b"\x01\x00\x16", ("::1", 22)),
]


@pytest.mark.parametrize(("data", "taken"), GREETINGS)
def test_greetings(data: bytes, taken: tuple[int, bool] | None) -> None:
    assert socks.greeting(data) == taken


@pytest.mark.parametrize(("data", "wanted"), REQUESTS)
def test_requests(data: bytes, wanted: tuple[str, int]) -> None:
    found = socks.request(data)
    assert found is not None
    assert (str(found.host), found.port) == wanted
    assert all(socks.request(data[:size]) is None for size in range(len(data)))


@pytest.mark.parametrize("data", [b"\x04\x01\x00", b"GET / HTTP/1.1"])
def test_another_protocol_is_no_greeting(data: bytes) -> None:
    with pytest.raises(MalformedError):
        socks.greeting(data)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x05\x02" + NAME[2:], socks.NO_COMMAND),
        (b"\x05\x01\x00\x02" + NAME[4:], socks.NO_TYPE),
        (NAME[:-2] + b"\x00\x00", socks.FAILED),
    ],
)
def test_what_is_not_served_is_told_by_its_code(data: bytes, code: int) -> None:
    with pytest.raises(socks.UnsupportedError) as raised:
        socks.request(data)
    assert raised.value.code == code

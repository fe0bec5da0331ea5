"""SHA-256 without `hashlib`, which loads OpenSSL and costs as much as reading a policy.

The checksum against damage is the one that Python has built in for its compiled modules
(SipHash 1-3, the same on every Python since 3.11). `zlib` and `binascii` are libraries of their
own, and to load these takes as long as to look at a hundred files.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _hashlib import HASH as HASH
    from collections.abc import Iterable
    from hashlib import sha256 as sha256

    CHECKSUM: str

    def source_hash(key: int, data: bytes) -> bytes:
        """The checksum by which Python knows a source again (`importlib.util.source_hash`)."""
else:
    try:
        if sys.version_info >= (3, 12):  # to look for a module that is none takes a while
            from _sha2 import sha256
        else:
            from _sha256 import sha256
    except ImportError:
        from hashlib import sha256
    try:
        from _imp import source_hash

        CHECKSUM = "siphash13"
    except ImportError:

        def source_hash(_key: int, data: bytes) -> bytes:
            """A checksum where Python has none built in."""
            from zlib import crc32

            return crc32(data).to_bytes(4, "little")

        CHECKSUM = "crc32"


MUCH = 1 << 20
"""Bytes from which on OpenSSL is worth its loading: it takes a fifth of the time for each."""


def begun(size: int) -> "HASH":
    """What makes a digest, in a process that makes digests of so many bytes."""
    if size < MUCH:
        return sha256()
    from hashlib import sha256 as by_openssl

    return by_openssl()


_KEY = 0x6578_6563_706F_6C69


def checksum(data: bytes) -> int:
    """A number of 32 bits against damage. It is neither a secret nor a proof: those are below.

    >>> checksum(b"execpolicy") == checksum(b"execpolicy") != checksum(b"exec policy")
    True
    """
    return int.from_bytes(source_hash(_KEY, data)[:4], "little")


def of(data: bytes) -> str:
    """The digest of some bytes, in hexadecimal."""
    return sha256(data).hexdigest()


def of_parts(parts: "Iterable[bytes]") -> str:
    """The digest of several texts, each with its length, so that no two lists are alike."""
    digest = sha256()
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest()

"""SHA-256 without `hashlib`, which loads OpenSSL and costs as much as reading a policy."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256


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

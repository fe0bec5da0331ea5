"""Names of hosts as rules write them, and as they are compared."""


def normal_host(given: str) -> str:
    """The host in lower case, without port, brackets and trailing dots.

    Raises `ValueError` where it is no host: a URL, a path, a wildcard, white space inside.
    """
    host = given.strip()
    if not host:
        raise ValueError("it is empty")
    for mark in ("://", "/", "?", "#"):
        if mark in host:
            raise ValueError(f"it contains `{mark}`")
    if host.startswith("["):
        host, bracket, port = host[1:].partition("]")
        if not bracket or (port and not (port[0] == ":" and _digits(port[1:]))):
            raise ValueError("text after the closing bracket is not a port")
    elif host.count(":") == 1:
        name, _, port = host.partition(":")
        host = name if _digits(port) else host
    host = host.rstrip(".").strip().lower() if host.isascii() else host.rstrip(".").strip()
    if not host:
        raise ValueError("it is empty")
    if "*" in host:
        raise ValueError("a wildcard is `*.` or `**.` in front of a name")
    if any(c.isspace() for c in host):
        raise ValueError("it contains white space")
    return host


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()

"""The hosts that a request names, as far as they are literal."""

from execpolicy.engine.unwrap import unwrap
from execpolicy.model.operation import Connect, Request
from execpolicy.policy.network_hosts import PORTS
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.hostname import HostError, parse_host


def hosts_named(request: "Request", snapshot: "Snapshot") -> frozenset[tuple[str, int]]:
    """Each host in the form in which hosts are compared, with the port that is written for it or
    that its protocol has."""
    found = set[tuple[str, int]]()
    touched = (each for step in unwrap(request, snapshot) for each in step.touched)
    for connect in (each for each in touched if isinstance(each, Connect)):
        port = connect.port or PORTS.get(connect.protocol)
        if port is None or not isinstance(connect.host, str):
            continue
        try:
            found.add((parse_host(connect.host).text, port))
        except HostError:
            continue
    return frozenset(found)
